#include "emu/study/kernel_log.hpp"

#include "emu/study/log_wordings.hpp"
#include <algorithm>
#include <charconv>

namespace spinup::study {

namespace {

constexpr auto npos = std::string_view::npos;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != npos; }

/// Takes `head` off the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view head) {
    if (!text.starts_with(head))
        return false;
    text.remove_prefix(head.size());
    return true;
}

template <class T> std::optional<T> take_number(std::string_view& text) {
    T value{};
    const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.ec != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(r.ptr - text.data()));
    return value;
}

void skip_blanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

/// "12.000345": a whole part that may be years, and a fraction of any length.
std::optional<duration> take_decimal(std::string_view& text, s64 unit_ns) {
    const auto whole = take_number<s64>(text);
    constexpr s64 most = s64{1} << 32;
    if (!whole || *whole < 0 || *whole > most || !take(text, "."))
        return std::nullopt;
    s64 ns = 0;
    s64 digit = unit_ns;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        digit /= 10;
        ns += (text.front() - '0') * digit;
        text.remove_prefix(1);
    }
    return duration{*whole * unit_ns + ns};
}

/// "[    4.593848] ", with "<6>" before and a caller ("[   T12]") after it.
std::optional<duration> take_stamp(std::string_view& line) {
    if (line.starts_with('<')) {
        const auto end = line.find('>');
        if (end == npos)
            return std::nullopt;
        line.remove_prefix(end + 1);
    }
    if (!take(line, "["))
        return std::nullopt;
    skip_blanks(line);
    const auto at = take_decimal(line, 1'000'000'000);
    if (!at || !take(line, "]"))
        return std::nullopt;
    std::string_view rest = line;
    skip_blanks(rest);
    if (take(rest, "[")) {
        skip_blanks(rest);
        if ((take(rest, "T") || take(rest, "C")) && take_number<u32>(rest) && take(rest, "]"))
            line = rest;
    }
    skip_blanks(line);
    return at;
}

/// "ata3" as a whole.
std::optional<u32> port_number(std::string_view name) {
    if (!take(name, "ata"))
        return std::nullopt;
    const auto number = take_number<u32>(name);
    return number && *number != 0 && name.empty() ? number : std::nullopt;
}

enum class direction : u8 { unknown, down, up };

direction direction_of(std::string_view function) {
    if (contains(function, "suspend") || contains(function, "freeze") ||
        contains(function, "poweroff"))
        return direction::down;
    if (contains(function, "resume") || contains(function, "thaw") || contains(function, "restore"))
        return direction::up;
    return direction::unknown;
}

/// A line of a device's callback, of either age.
struct call_line {
    std::string_view device;
    direction way = direction::unknown; ///< known of the newer form only
    bool returned = false;
    int result = 0;
    duration took{};
};

/// "returned 0 after 12 usecs", the rest of a line.
bool take_result(std::string_view text, s64 usec_ns, call_line& out) {
    const auto result = take_number<int>(text);
    if (!result || !take(text, " after "))
        return false;
    const auto usecs = take_number<s64>(text);
    constexpr s64 most = s64{1} << 42;
    if (!usecs || *usecs < 0 || *usecs > most || !text.starts_with(" usecs"))
        return false;
    out.returned = true;
    out.result = *result;
    out.took = duration{*usecs * usec_ns};
    return true;
}

constexpr s64 usec_ns = 1000;
/// initcall_debug and device_pm_callback of 2.6.30 to 3.x: ktime_to_ns() >> 10.
constexpr s64 old_usec_ns = 1024;

std::optional<call_line> new_call(std::string_view text) {
    const auto mark = text.find(": PM: ");
    if (mark == npos)
        return std::nullopt;
    call_line out;
    out.device = text.substr(0, mark);
    if (const auto blank = out.device.rfind(' '); blank != npos)
        out.device.remove_prefix(blank + 1);
    std::string_view rest = text.substr(mark + 6);
    if (take(rest, "calling ")) {
        out.way = direction_of(rest.substr(0, rest.find(' ')));
        return contains(rest, " @ ") ? std::optional{out} : std::nullopt;
    }
    out.way = direction_of(rest.substr(0, rest.find(' ')));
    const auto result = rest.find(" returned ");
    if (result == npos || !take_result(rest.substr(result + 10), usec_ns, out))
        return std::nullopt;
    return out;
}

std::optional<call_line> old_call(std::string_view text) {
    call_line out;
    const bool begins = take(text, "calling  ");
    if (!begins && !take(text, "call "))
        return std::nullopt;
    const auto plus = text.find(begins ? "+ @ " : "+ returned ");
    if (plus == npos)
        return std::nullopt;
    out.device = text.substr(0, plus);
    if (begins)
        return out;
    if (!take_result(text.substr(plus + 11), old_usec_ns, out))
        return std::nullopt;
    return out;
}

class log_parser {
  public:
    kernel_log parse(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find('\n');
            line(text.substr(0, end));
            text.remove_prefix(end == npos ? text.size() : end + 1);
        }
        return std::move(out_);
    }

  private:
    enum class phase : u8 { awake, suspending, resuming };

    void line(std::string_view text) {
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        const auto at = take_stamp(text);
        if (!at)
            return;
        now_ = *at;
        has_drivers_ = has_drivers_ || text.starts_with("libata version ");
        if (is_complaint(text)) {
            if (has_drivers_)
                out_.complaints.emplace_back(text);
            return;
        }
        if (text.starts_with("Linux version "))
            return release(text.substr(14));
        if (text.starts_with("GUEST "))
            return guest_says(text);
        if (milestone(text))
            return;
        if (const auto call = new_call(text))
            return callback(*call);
        if (const auto call = old_call(text))
            return callback(*call);
        port_line(text);
    }

    void release(std::string_view text) { out_.kernel = text.substr(0, text.find(' ')); }

    /// A line of the guest's init: what it does, and key=value. It loads drivers when it starts.
    void guest_says(std::string_view text) {
        const auto value_of = [text](std::string_view key) {
            const auto at = text.find(key);
            const auto rest = at != npos ? text.substr(at + key.size()) : std::string_view{};
            return rest.substr(0, rest.find(' '));
        };
        has_drivers_ = true;
        const auto event = value_of(" event=");
        if (event == "start")
            return release(value_of(" kernel="));
        if (event != "hba")
            return;
        auto& ports = out_.hbas[std::string{value_of(" pci=")}];
        for (std::string_view list = value_of(" ports="); !list.empty();) {
            const auto end = std::min(list.find(','), list.size());
            if (const auto number = port_number(list.substr(0, end)))
                ports.push_back(*number);
            list.remove_prefix(std::min(end + 1, list.size()));
        }
        std::sort(ports.begin(), ports.end()); // sysfs lists ata10 before ata2
    }

    /// Lines of the PM core and of ACPI.
    bool milestone(std::string_view text) {
        if (text.starts_with("PM: suspend entry") ||
            (text.starts_with("PM: Entering ") && text.ends_with(" sleep"))) {
            if (phase_ != phase::suspending)
                begin_cycle();
        } else if (contains(text, "Low-level resume complete") ||
                   contains(text, "Waking up from system sleep state")) {
            if (phase_ == phase::awake)
                begin_cycle();
            out_.cycles.back().slept = true;
            begin_resume();
        } else if (text.starts_with("PM: Some devices failed to suspend")) {
            if (!out_.cycles.empty())
                begin_resume(); // of those that had been suspended
        } else {
            return phase_complete(text);
        }
        return true;
    }

    /// "PM: resume of devices complete after 12.345 msecs".
    bool phase_complete(std::string_view text) {
        const bool down = take(text, "PM: suspend of devices complete after ");
        if (!down && !take(text, "PM: resume of devices complete after "))
            return false;
        if (out_.cycles.empty())
            return true;
        log_cycle& cycle = out_.cycles.back();
        (down ? cycle.suspend_devices : cycle.resume_devices) = take_decimal(text, 1'000'000);
        return true;
    }

    void begin_cycle() {
        out_.cycles.emplace_back();
        phase_ = phase::suspending;
    }

    void begin_resume() {
        if (phase_ == phase::resuming)
            return;
        phase_ = phase::resuming;
        resumed_ = out_.cycles.size();
    }

    void callback(const call_line& call) {
        direction way = call.way;
        if (way == direction::unknown)
            way = phase_ == phase::suspending ? direction::down
                  : phase_ == phase::resuming ? direction::up
                                              : direction::unknown;
        if (way == direction::unknown)
            return;
        if (way == direction::down && phase_ != phase::suspending && !call.returned)
            begin_cycle(); // the line that says so is lost
        if (out_.cycles.empty())
            return;
        if (way == direction::up)
            begin_resume();
        log_cycle& cycle = out_.cycles.back();
        if (way == direction::down && !cycle.suspend_begin)
            cycle.suspend_begin = now_;
        if (const auto number = port_number(call.device))
            port_callback(cycle.ports[*number], call, way);
    }

    void port_callback(log_port& port, const call_line& call, direction way) const {
        auto& which = way == direction::down ? port.suspend : port.resume;
        if (!call.returned) {
            if (!which)
                which = log_callback{now_, std::nullopt, 0};
            return;
        }
        if (!which)
            which = log_callback{now_ - call.took, std::nullopt, 0};
        if (which->took)
            return;
        which->took = call.took;
        which->returned = call.result;
    }

    void port_line(std::string_view text) {
        const auto mark = text.find(": ");
        if (mark == npos)
            return;
        std::string_view name = text.substr(0, mark);
        const std::string_view rest = text.substr(mark + 2);
        name = name.substr(0, name.find('.')); // "ata1.00", and "ata1.15" behind a port multiplier
        const auto number = port_number(name);
        if (!number)
            return;
        has_drivers_ = true;
        if (rest.starts_with("SATA max")) {
            out_.sata_ports.push_back(*number);
            return;
        }
        if (const auto kind = kind_of(rest)) {
            auto& ports = resumed_ == 0 ? out_.boot : out_.cycles[resumed_ - 1].ports;
            ports[*number].lines.push_back({*kind, now_});
        }
    }

    kernel_log out_;
    duration now_{};
    phase phase_ = phase::awake;
    std::size_t resumed_ = 0; // cycles whose resume has begun
    bool has_drivers_ = false;
};

} // namespace

kernel_log parse_kernel_log(std::string_view text) { return log_parser{}.parse(text); }

} // namespace spinup::study
