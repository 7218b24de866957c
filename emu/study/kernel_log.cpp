#include "emu/study/kernel_log.hpp"

#include <numeric>

namespace spinup::study {

std::optional<duration> log_port::suspend_took() const {
    return suspend ? suspend->took : std::nullopt;
}

std::optional<duration> log_port::resume_took() const {
    return resume ? resume->took : std::nullopt;
}

std::optional<duration> log_port::link_up() const {
    for (const log_line& l : lines)
        if (l.kind == log_kind::link_up)
            return l.at;
    return std::nullopt;
}

std::vector<log_kind> log_port::kinds() const {
    std::vector<log_kind> out;
    for (const log_line& l : lines)
        if (l.kind != log_kind::standby)
            out.push_back(l.kind);
    return out;
}

std::optional<duration> log_cycle::first_port_resume() const {
    std::optional<duration> first;
    for (const auto& [number, port] : ports)
        if (port.resume && (!first || port.resume->begin < *first))
            first = port.resume->begin;
    return first;
}

std::optional<duration> kernel_log::gap_after(std::size_t cycle) const {
    if (cycle + 1 >= cycles.size())
        return std::nullopt;
    const auto from = cycles[cycle].first_port_resume();
    const auto to = cycles[cycle + 1].suspend_begin;
    return from && to ? std::optional{*to - *from} : std::nullopt;
}

std::vector<std::vector<u32>> port_numbers(const kernel_log& log,
                                           std::span<const std::size_t> ports_of_hbas) {
    const std::size_t count =
        std::accumulate(ports_of_hbas.begin(), ports_of_hbas.end(), std::size_t{0});
    std::vector<u32> all;
    for (const auto& [address, ports] : log.hbas)
        all.insert(all.end(), ports.begin(), ports.end());
    if (all.size() != count)
        all = log.sata_ports;
    if (all.size() != count) {
        all.resize(count);
        std::iota(all.begin(), all.end(), 1u);
    }
    std::vector<std::vector<u32>> out;
    auto next = all.begin();
    for (const std::size_t ports : ports_of_hbas) {
        const auto end = next + static_cast<std::ptrdiff_t>(ports);
        out.emplace_back(next, end);
        next = end;
    }
    return out;
}

} // namespace spinup::study
