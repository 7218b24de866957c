// A loose cable makes the driver ask for the error handler just as the last command ends, which is
// what that has to wait for: who asks counts the busy commands, and the last one's end looks for
// who asks. Since 5.5 neither takes a lock that the other holds; and a command's end runs beside
// who asks, as on another CPU.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 2> counted_by_flags{"lockless_busy", "ksoftirqd"};
// A command takes its time, so that nobody else is at work when it ends.
constexpr duration latency = 200us;
constexpr std::array<std::string_view, 2> one_at_a_time{"disk_driver=false",
                                                        "port.1.command_latency_us=200"};

void play(stage& s) {
    const bool second = s.option("second-read");
    s.spawn("reader", [&s, second] {
        static_cast<void>(s.read(1, 0));
        if (second)
            static_cast<void>(s.read(1, 1));
    });
    s.sleep(second ? 2 * latency : latency);
    s.replug(1);
    s.join();
}

} // namespace

const scenario scenario_last_completion{
    .name = "last-completion",
    .summary = "one SSD without sd: EH is asked for as the last command ends, by flags alone",
    .machine = "fast-ssd",
    .overrides = one_at_a_time,
    .switches = counted_by_flags,
    .play = play,
};

} // namespace spinup::study
