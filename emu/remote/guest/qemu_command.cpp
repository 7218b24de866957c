#include "emu/remote/guest/qemu_command.hpp"

#include "emu/remote/guest/guest_scripts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace spinup::remote {

namespace {

/// Enough for a Linux kernel and a small initramfs, as in `boot`; the user sees it and may change
/// it.
constexpr int guest_megabytes = 512;

std::string program() {
    const auto cache = guest_scripts::cache_folder();
    const std::string prepared = cache ? *cache + "/qemu/run" : "";
    return ::access(prepared.c_str(), X_OK) == 0 ? prepared : "qemu-system-x86_64";
}

} // namespace

std::vector<std::string> qemu_command(const std::string& socket) {
    nlohmann::ordered_json device;
    device["driver"] = "vfio-user-pci";
    device["socket"] = {{"type", "unix"}, {"path", socket}};
    // pc, because its firmware does S3 more than once; memory with a descriptor that is shared,
    // for otherwise each access to it is a message and its answer. Without the devices that QEMU
    // adds by itself: the one that is fetched lacks their ROMs.
    return {program(),
            "-M",
            "pc,memory-backend=mem",
            "-m",
            fmt::format("{}M", guest_megabytes),
            "-object",
            fmt::format("memory-backend-memfd,id=mem,size={}M,share=on", guest_megabytes),
            "-device",
            device.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
            "-nodefaults",
            "-display",
            "none",
            "-serial",
            "mon:stdio"};
}

} // namespace spinup::remote
