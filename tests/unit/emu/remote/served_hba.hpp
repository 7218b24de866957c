// A served HBA with two disks, in virtual time, and a client that speaks to it in requests.
#pragma once

#include "descriptors.hpp"
#include "emu/hw/drive/drive.hpp"
#include "emu/remote/vfio_device.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"

#include <cstring>
#include <memory>
#include <spinup/spec/ahci_layout.hpp>
#include <stdexcept>
#include <vector>

namespace spinup::test {

// Flags of SET_IRQS as a client sends them (linux/vfio.h).
inline constexpr u32 none_trigger = 0x21;
inline constexpr u32 eventfd_trigger = 0x24;

class served_hba final : private remote::platform {
  public:
    static constexpr duration spin_up = std::chrono::seconds{4};
    static constexpr u64 ram_size = 1u << 20;
    struct ungreeted {};

    explicit served_hba(const remote::pci_identity& identity = {.ports = 2, .msi = true})
        : served_hba(identity, ungreeted{}) {
        greet();
    }
    explicit served_hba(ungreeted u) : served_hba({.ports = 2, .msi = true}, u) {}
    ~served_hba() { log.detach(store); }

    // Requests.
    template <class Body> int ask(Body body) {
        remote::request what;
        what.body = std::move(body);
        const auto answer = device.handle(what);
        payload.assign(answer.payload.begin(), answer.payload.end());
        return answer.error_number;
    }
    void greet() {
        if (ask(remote::ask::version{.reply_room = 200}) != 0)
            throw std::runtime_error("not greeted");
    }
    template <class T> [[nodiscard]] T payload_at(std::size_t offset) const {
        T value{};
        std::memcpy(&value, payload.data() + offset, sizeof(T));
        return value;
    }
    template <class T> [[nodiscard]] std::vector<T> payload_as() const {
        std::vector<T> out(payload.size() / sizeof(T));
        std::memcpy(out.data(), payload.data(), out.size() * sizeof(T));
        return out;
    }
    u64 read(u32 region, u64 offset, u32 count) {
        if (const int e = ask(remote::ask::region_read{{offset, region, count}}); e != 0)
            throw std::runtime_error("read refused");
        u64 value = 0;
        std::memcpy(&value, payload.data() + sizeof(remote::wire::region_access), count);
        return value;
    }
    int write(u32 region, u64 offset, u32 count, u64 value) {
        const std::span data{reinterpret_cast<const u8*>(&value), count};
        return ask(remote::ask::region_write{{offset, region, count}, data});
    }
    int set_irqs(u32 index, u32 flags, u32 n, remote::unique_fd fd = {},
                 std::span<const u8> bools = {}) {
        remote::ask::set_irqs body;
        body.what = {.argsz = 20, .flags = flags, .index = index, .start = 0, .count = n};
        body.flags = bools;
        if (fd)
            body.eventfds.push_back(std::move(fd));
        return ask(std::move(body));
    }
    std::vector<u8> config() {
        ask(remote::ask::region_read{{0, remote::wire::region_config, 256}});
        return {payload.begin() + sizeof(remote::wire::region_access), payload.end()};
    }

    // A guest's driver.
    void give_memory() {
        const remote::wire::dma_map all{
            .argsz = 32, .flags = 3, .offset = 0, .address = 0, .size = ram_size};
        if (ask(remote::ask::dma_map{all, duplicate(ram)}) != 0)
            throw std::runtime_error("not mapped");
    }
    /// Memory space and bus master.
    void enable() { write(remote::wire::region_config, 0x04, 2, 0x6); }
    template <class Reg> Reg reg(u32 port) {
        Reg r;
        r.raw = static_cast<u32>(
            read(remote::wire::region_bar5, spec::port_offset(port, Reg::offset), 4));
        return r;
    }
    template <class Reg> void put(u32 port, Reg r) {
        write(remote::wire::region_bar5, spec::port_offset(port, Reg::offset), 4, r.raw);
    }
    /// Until commands can be issued. Returns: the drive became ready within a minute.
    bool bring_up(u32 port) {
        using namespace spec;
        put(port, reg<px_cmd>(port).with(px_cmd::st, false));
        put(port, px_clb{static_cast<u32>(list)});
        put(port, px_fb{static_cast<u32>(fis_area)});
        put(port, reg<px_cmd>(port).with(px_cmd::fre, true));
        put(port, px_ie{rw_mask<px_ie>});
        put(port, px_sctl{}.with(px_sctl::det, sctl_det::comreset));
        write(remote::wire::region_bar5, ghc::offset, 4, ghc::ae.mask | ghc::ie.mask);
        put(port, px_sctl{});
        const auto limit = line.now() + std::chrono::minutes{1};
        while (!link_online(reg<px_ssts>(port)) && line.now() < limit && line.step()) {
        }
        put(port, reg<px_serr>(port));
        while (!idle(reg<px_tfd>(port)) && line.now() < limit && line.step()) {
        }
        put(port, reg<px_cmd>(port).with(px_cmd::st, true));
        clear_interrupts(port);
        return idle(reg<px_tfd>(port));
    }
    void clear_interrupts(u32 port) {
        put(port, reg<spec::px_serr>(port));
        put(port, spec::px_is{~0u});
        write(remote::wire::region_bar5, spec::is::offset, 4, 1u << port);
    }
    void issue_read(u32 port, u64 lba) {
        spec::command_header header;
        header.dw0.set(spec::cmd_header_dw0::cfl, 5);
        header.dw0.set(spec::cmd_header_dw0::prdtl, 1);
        header.set_table(table);
        spec::fis_reg_h2d fis;
        fis.flags.set(spec::h2d_flag::c);
        fis.command = spec::ata_cmd::read_dma_ext;
        fis.device = spec::device_lba;
        fis.set_lba48(lba);
        fis.set_count(1);
        spec::prd_entry prd;
        prd.set_address(data_area);
        prd.set_byte_count(512);
        poke(list, header);
        poke(table, fis);
        poke(table + spec::command_table::prd(0), prd);
        put(port, spec::px_ci{1});
    }
    /// Returns: it has ended well.
    bool read_sector(u32 port, u64 lba) {
        issue_read(port, lba);
        run(std::chrono::milliseconds{100});
        return reg<spec::px_ci>(port).raw == 0;
    }
    /// The sector that was read.
    const u8* data() {
        if (::pread(ram.get(), sector_, sizeof(sector_), data_area) != sizeof(sector_))
            throw std::runtime_error("no sector");
        return sector_;
    }

    void run(duration d) { line.run_until(line.now() + d); }
    /// First arguments of an event's records.
    std::vector<u32> args(trace_event event) {
        log.drain();
        std::vector<u32> out;
        for (const auto& r : store.records())
            if (r.event == static_cast<u16>(event))
                out.push_back(r.args[0]);
        return out;
    }
    u32 resets() { return static_cast<u32>(args(trace_event::device_reset).size()); }

    virtual_timeline line;
    trace_ring log{line};
    record_store store;
    remote::unique_fd ram = memory_file(ram_size);
    remote::dma_windows memory;
    remote::irq_eventfds interrupts;
    std::vector<std::unique_ptr<hw::drive>> drives;
    hw::hba the_hba;
    remote::vfio_device device;
    std::vector<u8> payload;

  private:
    static constexpr u64 list = 0x1000;
    static constexpr u64 fis_area = 0x1400;
    static constexpr u64 table = 0x2000;
    static constexpr u64 data_area = 0x8000;

    served_hba(const remote::pci_identity& identity, ungreeted)
        : the_hba(line, log, interrupts, memory, {.ports = identity.ports, .msi = identity.msi}),
          device(*this, log, memory, interrupts, identity) {
        for (u32 i = 0; i < 2; ++i) {
            hw::drive_profile p;
            p.kind = hw::drive_kind::hdd;
            p.ready = spin_up;
            drives.push_back(std::make_unique<hw::drive>(line, log, p));
            the_hba.attach(i, *drives.back());
        }
        log.attach(store);
        device.attach();
    }

    template <class T> void poke(u64 address, const T& value) {
        if (::pwrite(ram.get(), &value, sizeof(T), static_cast<off_t>(address)) != sizeof(T))
            throw std::runtime_error("no memory");
    }

    hw::hba& hba() override { return the_hba; }
    void power_on_ready() override {
        the_hba.power_on();
        for (const auto& d : drives)
            d->assume_ready();
    }
    void power_off() override { the_hba.power_off(); }
    void power_on() override { the_hba.power_on(); }

    u8 sector_[512] = {};
};

} // namespace spinup::test
