#include "emu/cli/log.hpp"

#include "emu/machine/machine.hpp"
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>

namespace spinup::cli {

spdlog::logger& log() {
    static spdlog::logger the_log = [] {
        spdlog::logger made{"spinup", std::make_shared<spdlog::sinks::stderr_sink_st>()};
        made.set_pattern("%n: %v");
        made.set_level(spdlog::level::warn);
        return made;
    }();
    return the_log;
}

void log_run(const machine::machine& what, const study::configuration& config,
             const study::run_report& report) {
    log().info("ran {} ({} ports, {} other devices), design {}, disk start {}, order {}: {}, "
               "{} cycles, {} events, digest {:016x}",
               what.name, what.ports.size(), what.devices.size(), config.design, config.disk_start,
               config.order, report.verdict, report.cycles.size(), report.events, report.digest);
}

void be_verbose() { log().set_level(spdlog::level::info); }

} // namespace spinup::cli
