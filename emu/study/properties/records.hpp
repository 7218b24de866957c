// Records as properties read them: who and what a record is about, in the words of a sentence.
#pragma once

#include "emu/study/properties/registry.hpp"
#include <fmt/format.h>
#include <set>
#include <spinup/base/errno.hpp>
#include <spinup/kernel/pm.hpp>
#include <spinup/spec/ata.hpp>
#include <vector>

namespace spinup::study {

[[nodiscard]] inline trace_event event_of(const trace_record& r) {
    return static_cast<trace_event>(r.event);
}
[[nodiscard]] inline time_point time_of(const trace_record& r) { return from_ns(r.time_ns); }
[[nodiscard]] inline int signed_of(u32 argument) { return static_cast<int>(argument); }
[[nodiscard]] inline kernel::pm_message message_of(u32 argument) {
    return {static_cast<kernel::pm_event>(argument)};
}

/// Of "ata3". Returns: 0 for another device.
[[nodiscard]] u32 port_of_ata(std::string_view device);
/// Of "2:0:0:0", a disk: SCSI hosts count from 0. Returns: 0 for another device.
[[nodiscard]] u32 port_of_disk(std::string_view device);

/// A T for each port, there as soon as it is asked for.
template <class T> class by_port {
  public:
    T& operator[](u32 port) {
        if (port >= all_.size())
            all_.resize(port + 1);
        return all_[port];
    }
    void clear() { all_.clear(); }

  private:
    std::vector<T> all_;
};

/// A T for each thread.
template <class T> using by_thread = by_port<T>;

/// Where the PM core is.
class pm_phases {
  public:
    static constexpr event_set sees{trace_event::pm_phase_begin};
    explicit pm_phases(const run_facts& facts) : facts_(facts) {}

    /// Returns: whether a phase begins.
    bool take(const trace_record& r);
    /// "suspend", "resume", "freeze" and so on; empty before the first.
    [[nodiscard]] std::string_view name() const { return name_; }
    /// In the middle phases, which are those that disks and ports take part in.
    [[nodiscard]] bool down() const {
        return name_ == "suspend" || name_ == "freeze" || name_ == "hibernate";
    }
    [[nodiscard]] bool up() const {
        return name_ == "resume" || name_ == "thaw" || name_ == "restore";
    }

  private:
    const run_facts& facts_;
    std::string_view name_;
};

/// Who posted a port's last PM operation: the PM core, or a requester beside it, which the PM core
/// cannot know of.
class pm_owners {
  public:
    static constexpr event_set sees{trace_event::pm_asked, trace_event::pm_answered,
                                    trace_event::pm_request};
    void take(const trace_record& r);
    [[nodiscard]] bool behind_pm_core(u32 port) { return behind_[port] != 0; }
    /// The PM core has looked after the port since.
    void seen_to(u32 port) { behind_[port] = false; }

  private:
    std::set<u16> asking_; // threads of such requesters
    by_port<char> behind_; // a truth value; a vector of bool has no references
};

/// What an ATA command does, by its code.
[[nodiscard]] bool is_standby(u32 command);
[[nodiscard]] bool is_write(u32 command);
[[nodiscard]] bool is_flush(u32 command);
/// Needs the medium.
[[nodiscard]] bool is_media(u32 command);
/// Of a command_done record.
[[nodiscard]] bool succeeded(const trace_record& done);

template <class Watch> std::unique_ptr<property_watch> watch_over(const run_facts& facts) {
    return std::make_unique<Watch>(facts);
}

} // namespace spinup::study
