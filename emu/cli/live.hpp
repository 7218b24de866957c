// What the ports of a served machine are doing now: a line each, redrawn in place.
#pragma once

#include "emu/cli/ready_stream.hpp"
#include "emu/machine/hardware.hpp"
#include "emu/trace/trace_ring.hpp"

#include <string>
#include <vector>

namespace spinup::cli {

/// How often the lines are redrawn, and files that grow are written on.
inline constexpr duration tick = std::chrono::milliseconds{250};

/// Follows the ports by the events of the hardware; how far a drive is, it says itself.
class port_monitor final : public trace_reader {
  public:
    /// The hardware must outlive it.
    port_monitor(std::size_t ports, machine::hardware& hw);

    void take(std::span<const trace_record> records, const trace& names) override;

    /// A line a port, without line ends: "ata2  spinning up, 6.3 s left   1 in flight".
    [[nodiscard]] std::vector<std::string> lines(time_point now) const;

  private:
    struct port {
        bool link = false;
        bool identified = false;
        u32 in_flight = 0;
        u32 comresets = 0; ///< since power came
    };
    void take(const trace_record& r);
    [[nodiscard]] bool has_power() const { return attached_ && powered_ && !asleep_; }
    [[nodiscard]] std::string state_of(u32 number, time_point now) const;

    machine::hardware& hardware_;
    std::vector<port> ports_;
    bool attached_ = false;
    bool powered_ = false;
    bool asleep_ = false;
};

/// Lines on standard error that are rewritten in place; silent unless that is a terminal.
class live_lines {
  public:
    live_lines();
    ~live_lines();
    live_lines(const live_lines&) = delete;
    live_lines& operator=(const live_lines&) = delete;

    [[nodiscard]] bool visible() const { return terminal_; }
    /// As many of them as the terminal has room for, cut to its width.
    void show(const std::vector<std::string>& lines);
    void clear();

  private:
    /// False if the terminal has not taken all of the last frame yet.
    bool finish_frame();

    bool terminal_;
    ready_stream stream_;
    std::string rest_; ///< of a frame
    std::size_t shown_ = 0;
};

/// What rewrites `before` lines by these, on a terminal of that size. For tests.
std::string redraw(std::size_t before, const std::vector<std::string>& lines, std::size_t rows,
                   std::size_t columns);

} // namespace spinup::cli
