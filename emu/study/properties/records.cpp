#include "emu/study/properties/records.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace spinup::study {
namespace {

using spec::ata_cmd;

template <std::size_t N> bool is_one_of(const std::array<ata_cmd, N>& set, u32 command) {
    return std::find(set.begin(), set.end(), static_cast<ata_cmd>(command)) != set.end();
}

/// Returns: the number that `text` is, all of it; 0 if it is none.
u32 number(std::string_view text) {
    u32 n = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), n);
    return wrong == std::errc{} && end == text.data() + text.size() ? n : 0;
}

} // namespace

u32 port_of_ata(std::string_view device) {
    return device.starts_with("ata") ? number(device.substr(3)) : 0;
}

u32 port_of_disk(std::string_view device) {
    const std::size_t colon = device.find(':');
    if (colon == std::string_view::npos || device.substr(colon) != ":0:0:0")
        return 0;
    const std::string_view host = device.substr(0, colon);
    return host == "0" ? 1 : number(host) == 0 ? 0 : number(host) + 1;
}

bool pm_phases::take(const trace_record& r) {
    if (event_of(r) != trace_event::pm_phase_begin)
        return false;
    name_ = facts_.name(name_id{r.args[0]});
    return true;
}

void pm_owners::take(const trace_record& r) {
    if (event_of(r) == trace_event::pm_asked)
        asking_.insert(r.thread);
    else if (event_of(r) == trace_event::pm_answered)
        asking_.erase(r.thread);
    else if (event_of(r) == trace_event::pm_request)
        behind_[r.args[0]] = asking_.contains(r.thread);
}

bool is_standby(u32 command) { return command == static_cast<u32>(ata_cmd::standby_immediate); }

bool is_write(u32 command) {
    return is_one_of(std::array{ata_cmd::write_dma, ata_cmd::write_dma_ext}, command);
}

bool is_flush(u32 command) {
    return is_one_of(std::array{ata_cmd::flush_cache, ata_cmd::flush_cache_ext}, command);
}

bool is_media(u32 command) {
    return is_write(command) ||
           is_one_of(std::array{ata_cmd::read_dma, ata_cmd::read_dma_ext,
                                ata_cmd::read_verify_sectors, ata_cmd::read_verify_sectors_ext},
                     command);
}

bool succeeded(const trace_record& done) {
    const auto status = static_cast<spec::ata_status>(done.args[3]);
    return !spec::has_any(status, spec::ata_status::err | spec::ata_status::df);
}

} // namespace spinup::study
