#include "emu/cli/served.hpp"

#include "emu/trace/dmesg.hpp"
#include "emu/trace/format.hpp"
#include <ostream>

namespace spinup::cli {
namespace {

/// What happens a few times in a resume, as opposed to with each command.
bool worth_a_line(trace_event event) {
    switch (event) {
    case trace_event::guest_attached:
    case trace_event::guest_detached:
    case trace_event::device_reset:
    case trace_event::pci_power_state:
    case trace_event::function_reset:
    case trace_event::power_off:
    case trace_event::power_on:
    case trace_event::comreset:
    case trace_event::phy_ready:
    case trace_event::phy_offline:
    case trace_event::spin_up_begin:
    case trace_event::spin_up_end:
    case trace_event::spin_down:
    case trace_event::medium_ready:
    case trace_event::signature:
        return true;
    default:
        return false;
    }
}

std::string take_text(std::ostringstream& from) {
    std::string out = from.str();
    from.str({});
    return out;
}

} // namespace

void hardware_log::take(std::span<const trace_record> records, const trace& names) {
    text_.clear();
    for (const trace_record& r : records) {
        if (!worth_a_line(static_cast<trace_event>(r.event)))
            continue;
        append_log_time(text_, from_ns(r.time_ns));
        append_event(text_, r, names);
        text_ += '\n';
    }
    out_ << text_;
}

served_hba::served_hba(machine::machine what, wall_timeline& line)
    : what_(std::move(what)), log_(line), recorder_(what_.ports.size()) {}

result<std::unique_ptr<served_hba>>
served_hba::listen(machine::machine what, const std::string& socket, wall_timeline& line) {
    std::unique_ptr<served_hba> out{new served_hba{std::move(what), line}};
    remote::pci_identity identity;
    identity.ports = static_cast<u32>(out->what_.ports.size());
    identity.msi = out->what_.hba.irq == machine::irq_kind::msi;
    auto server = remote::server::listen(socket, out->log_, identity);
    if (!server)
        return server.error();
    out->server_ = std::move(*server);
    out->hardware_.emplace(out->what_, line, out->log_, out->server_->irq(), out->server_->dma());
    out->platform_.emplace(*out->hardware_);
    out->log_.attach(out->recorder_);
    out->log_.attach(out->monitor_.emplace(out->what_.ports.size(), *out->hardware_));
    out->server_->serve(*out->platform_);
    return out;
}

served_hba::~served_hba() {
    // The readers go before the ring does, and what is still in it is theirs no more.
    if (hardware_log_)
        log_.detach(*hardware_log_);
    if (printer_)
        log_.detach(*printer_);
    if (server_) {
        log_.detach(*monitor_);
        log_.detach(recorder_);
    }
}

void served_hba::want_trace() { log_.attach(printer_.emplace(trace_text_)); }

void served_hba::want_log() { log_.attach(hardware_log_.emplace(log_text_)); }

std::string served_hba::take_trace() { return take_text(trace_text_); }

std::string served_hba::take_log() { return take_text(log_text_); }

std::string shell_quoted(const std::string& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-+=:,./@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos)
        return text;
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

} // namespace spinup::cli
