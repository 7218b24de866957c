// A machine's HBA on a socket, with everything that watches it: what `serve` and `guest` share.
#pragma once

#include "emu/cli/live.hpp"
#include "emu/cli/output.hpp"
#include "emu/machine/hardware.hpp"
#include "emu/remote/server.hpp"
#include "emu/study/hardware_report.hpp"
#include "emu/time/wall_timeline.hpp"
#include "emu/trace/print_trace.hpp"
#include "emu/trace/trace_ring.hpp"

#include <functional>
#include <memory>
#include <sstream>
#include <string>

namespace spinup::cli {

/// The hardware's part of a trace in the shape of a kernel log: "[    2.104000] port 2: COMRESET,
/// PxSCTL.DET=1". Without each register's and command's coming and going there is nothing else that
/// the serving side could log: the kernel's own log is the guest's.
class hardware_log final : public trace_reader {
  public:
    explicit hardware_log(std::ostream& out) : out_(out) {}
    void take(std::span<const trace_record> records, const trace& names) override;

  private:
    std::ostream& out_;
    std::string text_;
};

class served_hba {
  public:
    /// Listens. `what` is the machine as it is to be served, scaled already.
    static result<std::unique_ptr<served_hba>>
    listen(machine::machine what, const std::string& socket, wall_timeline& line);
    ~served_hba();
    served_hba(const served_hba&) = delete;
    served_hba& operator=(const served_hba&) = delete;

    [[nodiscard]] const machine::machine& what() const { return what_; }
    [[nodiscard]] remote::server& server() { return *server_; }
    [[nodiscard]] const study::hardware_recorder& report() const { return recorder_; }
    [[nodiscard]] std::vector<std::string> live(time_point now) const {
        return monitor_->lines(now);
    }

    /// From now on. The texts wait for take_trace() and take_log().
    void want_trace();
    void want_log();
    /// What has been recorded since the last time; after update().
    [[nodiscard]] std::string take_trace();
    [[nodiscard]] std::string take_log();
    /// Hands what has happened to all that watch it.
    void update() { log_.drain(); }

  private:
    class power final : public remote::platform {
      public:
        explicit power(machine::hardware& hw) : hardware_(hw) {}
        hw::hba& hba() override { return hardware_.hba(); }
        void power_on_ready() override { hardware_.power_on_ready(); }
        void power_off() override { hardware_.power_off(); }
        void power_on() override { hardware_.power_on(); }

      private:
        machine::hardware& hardware_;
    };

    served_hba(machine::machine what, wall_timeline& line);

    const machine::machine what_;
    trace_ring log_;
    study::hardware_recorder recorder_;
    std::ostringstream trace_text_;
    std::ostringstream log_text_;
    std::optional<trace_printer> printer_;
    std::optional<hardware_log> hardware_log_;
    // The server uses the platform, and the hardware the server's interrupts and memory; a server
    // whose client is gone touches the hardware no more, so it may go last.
    std::unique_ptr<remote::server> server_;
    std::optional<machine::hardware> hardware_;
    std::optional<power> platform_;
    std::optional<port_monitor> monitor_;
};

/// "'text'", for a shell, whatever is in it; as it is if no shell would mind.
std::string shell_quoted(const std::string& text);

} // namespace spinup::cli
