// A server with an HBA and a disk behind it, on a real socket, and what a guest's driver does
// there. A client that waits for an answer turns the server's loop.
#pragma once

#include "emu/remote/event_loop.hpp"
#include "failing_accept.hpp"
#include "tests/support/one_disk.hpp"
#include "tests/support/vfio_client.hpp"

#include <gtest/gtest.h>

namespace spinup::test {

using namespace remote;
using bytes = std::vector<u8>;
using namespace std::chrono_literals;

inline constexpr u32 version_1_3_1 = 0x00010301;
inline constexpr u64 ram = 0x10000;
inline constexpr std::size_t ram_size = 1u << 20;

struct serving_one_disk : testing::Test {
    serving_one_disk() {
        s = open("hba.sock");
        hardware = std::make_unique<one_disk>(line, log, s->irq(), s->dma(), 2);
        s->serve(*hardware);
        loop.add(*s);
    }
    std::unique_ptr<server> open(const std::string& name) {
        auto r = server::listen(folder.file(name), log, {.ports = 2});
        EXPECT_TRUE(r) << r.error().text();
        return std::move(*r);
    }
    std::string error_of(const std::string& path) {
        auto r = server::listen(path, log, {.ports = 2});
        return r ? "" : r.error().text();
    }
    vfio_client connect() {
        return vfio_client{connect_to(s->path()), [this] { loop.turn(0s); }};
    }
    /// Turns until nothing is left to do.
    void settle() {
        for (int i = 0; i < 10; ++i)
            loop.turn(0s);
    }
    /// A turn in which nobody can be accepted.
    void turn_without_descriptors() {
        const failing_accept none_left;
        loop.turn(0s);
    }
    u32 reg(vfio_client& c, u64 offset) { return c.read32(wire::region_bar5, offset); }

    /// Writes the command of slot 0 of port 0 into guest memory; its data goes to ram + 0x8000.
    static void prepare(std::span<u8> memory, const spec::fis_reg_h2d& fis, u32 length) {
        spec::command_header h;
        h.dw0.set(spec::cmd_header_dw0::cfl, 5);
        h.dw0.set(spec::cmd_header_dw0::prdtl, 1);
        h.set_table(ram + 0x4000);
        std::memcpy(memory.data(), &h, sizeof(h));
        std::memcpy(memory.data() + 0x4000, &fis, sizeof(fis));
        spec::prd_entry prd;
        prd.set_address(ram + 0x8000);
        prd.set_byte_count(length);
        std::memcpy(memory.data() + 0x4000 + spec::command_table::prd(0), &prd, sizeof(prd));
    }
    /// A port that takes commands, as a driver starts it.
    static void start_port(vfio_client& c) {
        c.write32(wire::region_config, spec::pci_command::offset, 0x0406);
        const auto get = [&](u32 offset) {
            return c.read32(wire::region_bar5, spec::port_offset(0, offset));
        };
        const auto put = [&](u32 offset, u64 value) {
            c.post32(wire::region_bar5, spec::port_offset(0, offset), static_cast<u32>(value));
        };
        c.post32(wire::region_bar5, spec::ghc::offset,
                 spec::ghc{}.with(spec::ghc::ae, true).with(spec::ghc::ie, true).raw);
        put(spec::px_clb::offset, ram);
        put(spec::px_fb::offset, ram + 0x2000);
        put(spec::px_ie::offset, ~0u);
        const auto cmd = spec::px_cmd{}.with(spec::px_cmd::sud, true).with(spec::px_cmd::fre, true);
        put(spec::px_cmd::offset, cmd.raw);
        put(spec::px_sctl::offset, 1);
        put(spec::px_sctl::offset, 0);
        spec::px_ssts ssts;
        do
            ssts.raw = get(spec::px_ssts::offset);
        while (!spec::link_online(ssts) && !c.closed());
        put(spec::px_serr::offset, ~0u);
        spec::px_tfd tfd;
        do
            tfd.raw = get(spec::px_tfd::offset);
        while (!spec::idle(tfd.get(spec::px_tfd::sts)) && !c.closed());
        EXPECT_FALSE(c.closed());
        put(spec::px_serr::offset, ~0u);
        put(spec::px_is::offset, ~0u);
        c.post32(wire::region_bar5, spec::is::offset, ~0u);
        put(spec::px_cmd::offset, cmd.with(spec::px_cmd::st, true).raw);
    }
    /// Issues slot 0 and waits until it has ended, by reading a register as a driver would.
    static void finish_command(vfio_client& c) {
        const u32 ci = spec::port_offset(0, spec::px_ci::offset);
        c.post32(wire::region_bar5, ci, 1);
        wait_for_command(c);
    }
    static void wait_for_command(vfio_client& c) {
        const u32 ci = spec::port_offset(0, spec::px_ci::offset);
        u32 slots = 1;
        while (slots == 1)
            slots = c.read32(wire::region_bar5, ci); // all ones if the server has hung up
        EXPECT_EQ(slots, 0u);
    }

    scratch_folder folder;
    wall_timeline line;
    trace_ring log{line};
    event_loop loop{line};
    std::unique_ptr<server> s;
    std::unique_ptr<one_disk> hardware;
};

} // namespace spinup::test
