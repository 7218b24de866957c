// How long the second suspend of a back-to-back pair takes, for every design: the table of the
// README. `UPDATE=1` in the environment rewrites it, after a change of the model that is meant.
//
// One drive a machine, whose spin-up is what the suspend may wait for: it stops in 1 ms, so that
// stopping it does not count. The suspend comes 70 ms after the resume, as in back_to_back_test.
#include "emu/study/explore/subject.hpp"
#include "tests/support/studies.hpp"

#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/scsi/disk_start.hpp"
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace spinup::test {
namespace {

constexpr const char* file = SPINUP_SOURCE_DIR "/tests/golden/resume/back_to_back_table.md";

constexpr std::array<u32, 4> ready_ms{200, 3'000, 7'000, 25'000};

std::string start_of(const pm_design& design) {
    const auto options = study::options_of({.design = std::string{design.name}});
    if (!options)
        throw std::runtime_error(options.error().text());
    return std::string{options->start->name};
}

/// The PM core's second suspend, in ms.
double blocked(const pm_design& design, u32 ready, bool sd) {
    const auto what =
        from_text(std::string{"name = \"test\"\n"} + (sd ? "" : "disk_driver = false\n") +
                  "[hba]\nports = 1\n" + disk(1, ready, "stop_ms = 1"));
    const auto report = run(what, std::string{design.name}, start_of(design), "upfront", 2,
                            std::chrono::milliseconds{70});
    EXPECT_EQ(report.verdict, "ok") << design.name << ", " << ready << " ms: " << report.reason;
    return to_ms(report.cycles.at(1).kernel_suspend);
}

std::string row(const pm_design& design) {
    std::string line = fmt::format("| {:<16} | {:<12} |", design.name, start_of(design));
    for (const bool sd : {false, true})
        for (const u32 ready : ready_ms)
            line += fmt::format(" {:>5.0f} |", blocked(design, ready, sd));
    return line + '\n';
}

std::string table() {
    std::string text = fmt::format("| {:<16} | {:<12} |", "ms, drive of", "disk start");
    for (const char* sd : {"", "sd "})
        for (const u32 ready : ready_ms)
            text += fmt::format(" {:>5} |", fmt::format("{}{:g}", sd, ready / 1000.0));
    text += "\n|---|---|---|---|---|---|---|---|---|---|\n";
    for (const pm_design* each : drivers::pm_designs)
        text += row(*each);
    return text;
}

TEST(BackToBackTable, is_what_the_file_says) {
    const std::string now = table();
    if (std::getenv("UPDATE") != nullptr) {
        std::ofstream{file} << now;
        return;
    }
    std::stringstream expected;
    expected << std::ifstream{file}.rdbuf();
    EXPECT_EQ(now, expected.str());
}

// The point of the reference design, whatever the drive and whether sd is there.
TEST(BackToBackTable, reference_is_never_blocked_by_a_drive_that_spins_up) {
    for (const bool sd : {false, true})
        for (const u32 ready : ready_ms)
            EXPECT_LT(blocked(drivers::pm_design_spinup_reference, ready, sd), 20) << ready;
}

} // namespace
} // namespace spinup::test
