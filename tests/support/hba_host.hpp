// A host for tests of the HBA and the drives: memory, an interrupt probe, a timeline, and the few
// register sequences that a driver makes. No kernel, no threads; time moves when a test says so.
#pragma once

#include "emu/hw/ahci/hba.hpp"
#include "emu/hw/drive/drive.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <spinup/bus.hpp>
#include <spinup/spec/ahci_layout.hpp>
#include <utility>
#include <vector>

namespace spinup::test {

using namespace std::chrono_literals;

/// RAM at [base, base + size); everything else does not answer.
class flat_memory final : public bus::dma {
  public:
    static constexpr u64 base = 0x1'0000'0000; // above 4 GiB, so that upper halves matter
    explicit flat_memory(std::size_t size) : bytes_(size) {}

    bool read(u64 address, void* into, std::size_t n) override {
        interrupt();
        const u8* from = at(address, n);
        if (from != nullptr && n != 0)
            std::memcpy(into, from, n);
        return from != nullptr;
    }
    bool write(u64 address, const void* from, std::size_t n) override {
        interrupt();
        u8* into = at(address, n);
        if (into != nullptr && n != 0)
            std::memcpy(into, from, n);
        return into != nullptr;
    }
    /// Host side. Requires: the range is RAM.
    [[nodiscard]] u8* at(u64 address, std::size_t n) {
        if (address < base || address - base > bytes_.size() ||
            n > bytes_.size() - (address - base))
            return nullptr;
        return bytes_.data() + (address - base);
    }

    u64 accesses = 0;
    /// What software does while the next access goes on; it is done once.
    std::function<void()> meanwhile;

  private:
    void interrupt() {
        ++accesses;
        if (const auto act = std::exchange(meanwhile, nullptr))
            act();
    }

    std::vector<u8> bytes_;
};

/// Counts what the HBA raises; on_message may act like an interrupt handler.
class irq_probe final : public bus::irq_sink {
  public:
    void message() override {
        ++messages;
        if (on_message)
            on_message();
    }
    void level(bool asserted) override {
        line = asserted;
        ++edges;
    }

    u32 messages = 0;
    u32 edges = 0;
    bool line = false;
    std::function<void()> on_message;
};

/// A profile of a disk that is ready at once and small, with nothing else unusual.
inline hw::drive_profile quick_disk(duration ready = 40ms) {
    hw::drive_profile p;
    p.kind = hw::drive_kind::hdd;
    p.model = "test disk";
    p.ready = ready;
    p.standby_ready = ready;
    p.stop = 800ms;
    p.flush = 20ms;
    return p;
}

inline hw::drive_profile quick_odd(bool disc, duration medium_ready = 13s) {
    hw::drive_profile p;
    p.kind = hw::drive_kind::odd;
    p.model = "test dvd";
    p.speed = spec::ssts_spd::gen1;
    p.ready = 500ms;
    p.disc = disc;
    p.capacity = sectors{1000};
    p.medium_ready = medium_ready;
    return p;
}

class hba_host {
  public:
    static constexpr u64 memory_size = 8u << 20;
    /// Where things lie in memory. Each port has its own list, FIS area and 32 command tables.
    static constexpr u64 port_area = 0x40000;
    static constexpr u64 table_size = 0x1000;
    static constexpr u64 data_area = flat_memory::base + 0x200000;

    explicit hba_host(const hw::hba_config& config = {}, std::vector<hw::drive_profile> disks = {})
        : log(line), memory(memory_size), hba(line, log, irq, memory, config) {
        for (u32 i = 0; i < disks.size(); ++i) {
            drives.push_back(std::make_unique<hw::drive>(line, log, std::move(disks[i])));
            hba.attach(i, *drives[i]);
        }
        log.attach(store);
    }
    ~hba_host() { log.detach(store); }

    // Registers.
    template <class Reg> [[nodiscard]] Reg get(u32 port) {
        Reg r;
        r.raw = hba.read32(spec::port_offset(port, Reg::offset));
        return r;
    }
    template <class Reg> void put(u32 port, Reg r) { put<Reg>(port, r.raw); }
    template <class Reg> void put(u32 port, u32 raw) {
        hba.write32(spec::port_offset(port, Reg::offset), raw);
    }
    template <class Reg> [[nodiscard]] u32 raw(u32 port) { return get<Reg>(port).raw; }
    template <class Reg> [[nodiscard]] Reg global() {
        Reg r;
        r.raw = hba.read32(Reg::offset);
        return r;
    }
    [[nodiscard]] spec::ata_status status(u32 port) {
        return get<spec::px_tfd>(port).get(spec::px_tfd::sts);
    }
    [[nodiscard]] spec::ata_error error(u32 port) {
        return get<spec::px_tfd>(port).get(spec::px_tfd::err);
    }

    // Time.
    void run(duration d) { line.run_until(line.now() + d); }
    /// Steps time until `done` or the limit. Returns: done().
    template <class Done> bool run_until(Done done, duration limit) {
        const auto end = line.now() + limit;
        while (!done()) {
            if (line.empty() || line.next() > end) {
                line.run_until(end);
                return done();
            }
            line.step();
        }
        return true;
    }
    [[nodiscard]] s64 now_us() const { return static_cast<s64>(to_ns(line.now()) / 1000); }

    // Sequences.
    /// Base addresses, FRE, all interrupts.
    void set_up(u32 port) {
        const u64 list = list_of(port);
        put<spec::px_clb>(port, static_cast<u32>(list));
        put<spec::px_clbu>(port, static_cast<u32>(list >> 32));
        const u64 area = fis_area_of(port);
        put<spec::px_fb>(port, static_cast<u32>(area));
        put<spec::px_fbu>(port, static_cast<u32>(area >> 32));
        put<spec::px_cmd>(
            port,
            get<spec::px_cmd>(port).with(spec::px_cmd::sud, true).with(spec::px_cmd::fre, true));
        put<spec::px_ie>(port, spec::rw_mask<spec::px_ie>);
        hba.write32(spec::ghc::offset,
                    global<spec::ghc>().with(spec::ghc::ie, true).with(spec::ghc::hr, false).raw);
    }
    /// DET=1 for 1 ms, DET=0, as libata does it.
    void comreset(u32 port) {
        const auto sctl = get<spec::px_sctl>(port);
        put(port, sctl.with(spec::px_sctl::det, spec::sctl_det::comreset));
        run(1ms);
        put(port, sctl.with(spec::px_sctl::det, spec::sctl_det::none));
    }
    void clear_serr(u32 port) { put<spec::px_serr>(port, raw<spec::px_serr>(port)); }
    bool wait_ready(u32 port, duration limit = 1s) {
        run_until([&] { return spec::link_online(get<spec::px_ssts>(port)); }, 10ms);
        clear_serr(port);
        return run_until([&] { return spec::idle(status(port)); }, limit);
    }
    void start(u32 port) { put(port, get<spec::px_cmd>(port).with(spec::px_cmd::st, true)); }
    void stop(u32 port) { put(port, get<spec::px_cmd>(port).with(spec::px_cmd::st, false)); }
    void clear_interrupts(u32 port) {
        clear_serr(port);
        put<spec::px_is>(port, ~0u);
        hba.write32(spec::is::offset, 1u << port);
    }
    /// Everything until commands can be issued. Returns: the device became ready.
    bool bring_up(u32 port, duration limit = 60s) {
        set_up(port);
        comreset(port);
        if (!wait_ready(port, limit))
            return false;
        start(port);
        clear_interrupts(port);
        return true;
    }

    // Commands.
    [[nodiscard]] u64 list_of(u32 port) const { return flat_memory::base + port * port_area; }
    [[nodiscard]] u64 fis_area_of(u32 port) const { return list_of(port) + 0x400; }
    [[nodiscard]] u64 table_of(u32 port, u32 slot) const {
        return list_of(port) + 0x1000 + slot * table_size;
    }
    [[nodiscard]] spec::command_header& header(u32 port, u32 slot) {
        return *reinterpret_cast<spec::command_header*>(
            memory.at(list_of(port) + slot * sizeof(spec::command_header), 32));
    }
    template <class T> void poke(u64 address, const T& value) {
        std::memcpy(memory.at(address, sizeof(T)), &value, sizeof(T));
    }
    template <class T> [[nodiscard]] T peek(u64 address) {
        T value;
        std::memcpy(&value, memory.at(address, sizeof(T)), sizeof(T));
        return value;
    }
    [[nodiscard]] u8* data(std::size_t n = 1) { return memory.at(data_area, n); }

    /// Puts a command into a slot. Data is at data_area, in descriptors of at most `chunk` bytes.
    void build(u32 port, u32 slot, const spec::fis_reg_h2d& fis, u32 bytes = 0, u32 chunk = 4096) {
        spec::command_header h;
        h.dw0.set(spec::cmd_header_dw0::cfl, 5);
        h.dw0.set(spec::cmd_header_dw0::w,
                  spec::protocol_of(fis.command) == spec::ata_protocol::dma_out);
        h.set_table(table_of(port, slot));
        poke(table_of(port, slot), fis);
        u16 entries = 0;
        for (u32 done = 0; done < bytes; ++entries) {
            const u32 n = std::min(chunk, bytes - done);
            spec::prd_entry prd;
            prd.set_address(data_area + done);
            prd.set_byte_count(n);
            poke(table_of(port, slot) + spec::command_table::prd(entries), prd);
            done += n;
        }
        h.dw0.set(spec::cmd_header_dw0::prdtl, entries);
        header(port, slot) = h;
    }
    void issue(u32 port, u32 slots) { put<spec::px_ci>(port, slots); }
    /// CI is clear, or the port has stopped on an error.
    bool finish(u32 port, duration limit = 60s) {
        return run_until(
            [&] {
                return raw<spec::px_ci>(port) == 0 ||
                       get<spec::px_is>(port).get(spec::px_is::tfes) ||
                       get<spec::px_is>(port).get(spec::px_is::hbfs);
            },
            limit);
    }
    /// Builds, issues and waits, in slot 0. Returns: ended without error.
    bool execute(u32 port, const spec::fis_reg_h2d& fis, u32 bytes = 0, u32 chunk = 4096) {
        build(port, 0, fis, bytes, chunk);
        issue(port, 1);
        return finish(port) && raw<spec::px_ci>(port) == 0 &&
               !has(status(port), spec::ata_status::err);
    }

    /// Records of one event so far.
    [[nodiscard]] std::vector<trace_record> events(trace_event e) {
        log.drain();
        std::vector<trace_record> out;
        for (const auto& r : store.records())
            if (r.event == static_cast<u16>(e))
                out.push_back(r);
        return out;
    }

    virtual_timeline line;
    trace_ring log;
    record_store store;
    flat_memory memory;
    irq_probe irq;
    std::vector<std::unique_ptr<hw::drive>> drives;
    hw::hba hba;
};

/// A command FIS for a disk.
inline spec::fis_reg_h2d ata(spec::ata_cmd command, u64 lba = 0, u16 count = 0) {
    spec::fis_reg_h2d fis;
    fis.flags.set(spec::h2d_flag::c);
    fis.command = command;
    fis.device = spec::device_lba;
    fis.set_lba48(lba);
    fis.set_count(count);
    return fis;
}

inline spec::fis_reg_h2d set_features(spec::set_features_op op, u8 count = 0) {
    auto fis = ata(spec::ata_cmd::set_features, 0, count);
    fis.set_feature(spec::raw(op));
    return fis;
}

inline spec::fis_reg_h2d control(bool srst) {
    spec::fis_reg_h2d fis;
    fis.control = srst ? spec::ata_control::srst : spec::ata_control::none;
    return fis;
}

} // namespace spinup::test
