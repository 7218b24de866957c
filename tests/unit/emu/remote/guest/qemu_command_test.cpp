// The command that `spinup serve` shows.
#include "emu/remote/guest/qemu_command.hpp"
#include "guest_folder.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace spinup::remote {
namespace {

using QemuCommand = GuestFolder;

/// What follows `option`.
std::string argument(const std::vector<std::string>& command, const std::string& option) {
    const auto at = std::find(command.begin(), command.end(), option);
    return at == command.end() || at + 1 == command.end() ? "" : at[1];
}

TEST_F(QemuCommand, gives_the_socket_as_json) {
    const std::string text = argument(qemu_command("/tmp/a \"b\""), "-device");
    const auto device = nlohmann::json::parse(text, nullptr, false);
    ASSERT_FALSE(device.is_discarded()) << text;
    EXPECT_EQ(device.at("driver"), "vfio-user-pci");
    EXPECT_EQ(device.at("socket").at("path"), "/tmp/a \"b\"");
}

TEST_F(QemuCommand, shares_the_memory_that_the_machine_has) {
    const auto command = qemu_command("/s");
    EXPECT_EQ(argument(command, "-M"), "pc,memory-backend=mem");
    EXPECT_EQ(argument(command, "-object"),
              "memory-backend-memfd,id=mem,size=" + argument(command, "-m") + ",share=on");
}

TEST_F(QemuCommand, prefers_the_program_that_was_fetched) {
    EXPECT_EQ(qemu_command("/s").front(), "qemu-system-x86_64");
    const std::string fetched = put("cache/qemu/run", "#!/bin/sh\n", true);
    EXPECT_EQ(qemu_command("/s").front(), fetched);
}

} // namespace
} // namespace spinup::remote
