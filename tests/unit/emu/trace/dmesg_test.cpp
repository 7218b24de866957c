#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/dmesg.hpp"

namespace spinup {
namespace {

using namespace literals;

struct Dmesg : testing::Test {
    Dmesg() { log.attach(writer); }
    ~Dmesg() override { log.detach(writer); }

    std::string text() {
        log.drain();
        return out.str();
    }

    virtual_timeline line;
    trace_ring log{line};
    std::ostringstream out;
    dmesg_writer writer{out};
};

TEST_F(Dmesg, prints_seconds_and_microseconds_as_the_kernel_does) {
    log.emit(trace_event::pm_suspend_entry);
    line.run_until(time_point{550'862'937us} + 999ns);
    log.emit(trace_event::pm_suspend_entry);
    line.run_until(time_point{29'619s});
    log.emit(trace_event::pm_suspend_entry);
    EXPECT_EQ(text(), "[    0.000000] PM: Entering mem sleep\n"
                      "[  550.862937] PM: Entering mem sleep\n"
                      "[29619.000000] PM: Entering mem sleep\n");
}

TEST_F(Dmesg, leaves_out_what_is_for_debugging_and_keeps_complaints) {
    log.emit(trace_event::comreset, 0);
    log.emit(trace_event::warn_on, log.intern("irqs_disabled()"), log.intern("sd.cpp"), 12);
    log.emit(trace_event::eh_begin, 1, 1);
    EXPECT_EQ(text(), "[    0.000000] WARNING: irqs_disabled() at sd.cpp:12\n");
}

TEST_F(Dmesg, has_the_wording_of_the_kernel_it_is_told) {
    std::ostringstream modern;
    dmesg_writer later{modern, log_wording::linux_6_12};
    log.attach(later);
    log.emit(trace_event::pm_sync);
    log.emit(trace_event::pm_suspend_entry);
    log.emit(trace_event::pm_calling, log.intern("ata1"), 61, log.intern("0000:00:02.0"), " ",
             "ata_port_pm_resume [libata]");
    log.emit(trace_event::ata_dev_disabled, 1);
    log.drain();
    EXPECT_EQ(modern.str(),
              "[    0.000000] PM: suspend entry (deep)\n"
              "[    0.000000]  ata1: PM: calling ata_port_pm_resume [libata] @ 61, parent: "
              "0000:00:02.0\n"
              "[    0.000000] ata1.00: disable device\n");
    EXPECT_EQ(text(), "[    0.000000] PM: Syncing filesystems ... done.\n"
                      "[    0.000000] PM: Entering mem sleep\n"
                      "[    0.000000] calling  ata1+ @ 61, parent: 0000:00:02.0\n"
                      "[    0.000000] ata1.00: disabled\n");
    log.detach(later);
}

TEST(LogWording, changes_from_the_kernel_on_that_changed_it) {
    EXPECT_STREQ(format_of(trace_event::pm_restart_tasks, log_wording::linux_6_12),
                 row_of(trace_event::pm_restart_tasks).format);
    EXPECT_STREQ(format_of(trace_event::pm_restart_tasks, log_wording::linux_7_3),
                 "Restarting tasks: Done");
    EXPECT_FALSE(is_line(trace_event::pm_restart_begin, log_wording::linux_6_12));
    EXPECT_TRUE(is_line(trace_event::pm_restart_begin, log_wording::linux_7_3));
    EXPECT_FALSE(is_line(trace_event::pm_suspend_exit, log_wording::linux_3));
    EXPECT_STREQ(format_of(trace_event::scsi_host_added, log_wording::linux_3), "scsi{0} : ahci");
    EXPECT_STREQ(format_of(trace_event::scsi_host_added, log_wording::linux_6_1),
                 "scsi host{0}: ahci");
    EXPECT_EQ(format_of(trace_event::pm_sync, log_wording::linux_6_12), nullptr);
    EXPECT_STREQ(format_of(trace_event::sd_start, log_wording::linux_6_12),
                 row_of(trace_event::sd_start).format);
}

TEST(LogWording, says_how_many_arguments_a_line_has) {
    EXPECT_EQ(arguments_of(trace_event::pm_calling, log_wording::linux_3), 3u);
    EXPECT_EQ(arguments_of(trace_event::pm_calling, log_wording::linux_6_1), 5u);
    EXPECT_EQ(arguments_of(trace_event::pm_power_down_failed, log_wording::linux_3), 0u);
    EXPECT_EQ(arguments_of(trace_event::pm_power_down_failed, log_wording::linux_6_1), 1u);
    EXPECT_EQ(arguments_of(trace_event::pm_sync, log_wording::linux_6_1), 0u);
}

TEST(LogWording, times_a_callback_as_its_kernel_does) {
    EXPECT_EQ(callback_usecs(13'904us, log_wording::linux_3), 13578u);
    EXPECT_EQ(callback_usecs(13'904us, log_wording::linux_6_1), 13904u);
}

/// What a shell pipeline prints for this input.
std::string piped(const std::string& input, const std::string& pipeline) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("spinup_dmesg_" + std::to_string(getpid()) + ".txt");
    std::ofstream{file} << input;
    std::string printed;
    if (FILE* pipe = popen(("< " + file.string() + " " + pipeline).c_str(), "r"); pipe != nullptr) {
        char chunk[256];
        while (std::fgets(chunk, sizeof chunk, pipe) != nullptr)
            printed += chunk;
        pclose(pipe);
    }
    std::filesystem::remove(file);
    return printed;
}

// The pipeline of the mailing list thread that this project grew from: the slowest callbacks first.
TEST_F(Dmesg, feeds_the_pipeline_that_sorts_callbacks_by_time) {
    const auto call = [&](const char* name, u32 usecs) {
        const name_id id = log.intern(name);
        log.emit(trace_event::pm_calling, id, 12, log.intern("none"));
        log.emit(trace_event::pm_call_returned, id, 0, usecs);
    };
    line.run_until(time_point{552'612'611us});
    call("ata1", 57);
    call("0:0:0:0", 819657);
    call("0000:00:1f.2", 13578);
    log.emit(trace_event::pm_phase_complete, log.intern("suspend"), 866, 9);
    EXPECT_EQ(piped(text(), "grep 'call .* returned ' | awk '{print $8 \"\\t\" $4;}' | sort -nr"),
              "819657\t0:0:0:0+\n"
              "13578\t0000:00:1f.2+\n"
              "57\tata1+\n");
}

} // namespace
} // namespace spinup
