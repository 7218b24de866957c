// An HBA with one quick disk behind a vfio-user server, for tests of the server and for the fuzzer.
#pragma once

#include "emu/hw/ahci/hba.hpp"
#include "emu/hw/drive/drive.hpp"
#include "emu/remote/server.hpp"
#include "emu/trace/trace_ring.hpp"
#include "tests/support/hba_host.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace spinup::test {

/// A folder of its own for sockets, removed with what is in it.
class scratch_folder {
  public:
    scratch_folder() : path_("/tmp/spinup-test-XXXXXX") {
        if (::mkdtemp(path_.data()) == nullptr)
            path_.clear();
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

/// The machine behind the server.
class one_disk final : public remote::platform {
  public:
    one_disk(timeline& line, trace& log, bus::irq_sink& irq, bus::dma& memory, u32 ports)
        : disk_(line, log, quick_disk()), hba_(line, log, irq, memory, {.ports = ports}) {
        hba_.attach(0, disk_);
    }

    hw::hba& hba() override { return hba_; }
    hw::drive& disk() { return disk_; }
    void power_on_ready() override {
        power_on();
        disk_.assume_ready();
    }
    void power_off() override { hba_.power_off(); }
    void power_on() override { hba_.power_on(); }

  private:
    hw::drive disk_;
    hw::hba hba_;
};

} // namespace spinup::test
