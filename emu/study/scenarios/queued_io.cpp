// Reads, writes and flushes of a disk while the system goes to sleep and wakes.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr u64 first_block = 64;

void write_then_read(stage& s, u32 rounds, duration pause) {
    for (u32 i = 0; i < rounds; ++i) {
        static_cast<void>(s.write(1, first_block));
        static_cast<void>(s.read(1, first_block));
        s.sleep(pause);
    }
}

void play(stage& s) {
    const u32 cycles = 1 + s.option("more-cycles", 2);
    const u32 rounds = 1 + s.option("more-rounds", 3);
    const duration start = s.option("io-before", {0ms, 2ms});
    const duration pause = s.option("io-pause", {0ms, 5ms, 600ms});
    const bool flush = s.option("flush");
    const bool second = s.option("second-reader");
    s.spawn("writer", [&] { write_then_read(s, rounds, pause); });
    if (second)
        s.spawn("reader", [&] {
            for (u32 i = 0; i < rounds; ++i)
                static_cast<void>(s.read(1, first_block));
        });
    if (flush)
        s.spawn("flusher", [&] { static_cast<void>(s.flush(1)); });
    s.sleep(start);
    for (u32 i = 0; i < cycles; ++i)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_queued_io{
    .name = "queued-io",
    .summary = "one SSD: reads, writes and flushes, whose data is checked, around suspends",
    .machine = "fast-ssd",
    .overrides = {},
    .play = play,
};

} // namespace spinup::study
