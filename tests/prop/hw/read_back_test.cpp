// Whatever a host does between two commands, a read returns what was last acknowledged.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

enum class step : u8 { write, read, flush, standby, comreset, hba_reset, power_cycle };

struct action {
    step what;
    u64 lba;
    u16 count;
    u8 value;
    u32 slot;
    u32 chunk;
};

void showValue(const action& a, std::ostream& os) {
    os << "{" << static_cast<int>(a.what) << " lba " << a.lba << " count " << a.count << " value "
       << static_cast<int>(a.value) << " slot " << a.slot << " chunk " << a.chunk << "}";
}

rc::Gen<action> any_action() {
    using rc::gen::element;
    using rc::gen::inRange;
    return rc::gen::construct<action>(rc::gen::weightedElement<step>({{6, step::write},
                                                                      {6, step::read},
                                                                      {1, step::flush},
                                                                      {1, step::standby},
                                                                      {1, step::comreset},
                                                                      {1, step::hba_reset},
                                                                      {1, step::power_cycle}}),
                                      inRange<u64>(0, 200), inRange<u16>(1, 40),
                                      rc::gen::arbitrary<u8>(), inRange<u32>(0, 32),
                                      element<u32>(512, 514, 4096, 8192, 20480));
}

struct model_disk {
    std::map<u64, u8> written;

    void check(u64 lba, const u8* sector) const {
        const auto it = written.find(lba);
        if (it == written.end()) {
            u64 address = 0;
            std::memcpy(&address, sector, sizeof(address));
            RC_ASSERT(address == lba);
            RC_ASSERT(sector[511] == 0);
            return;
        }
        for (u32 i = 0; i < 512; i += 73)
            RC_ASSERT(sector[i] == static_cast<u8>(it->second + i));
    }
};

bool transfer(hba_host& h, const action& a, ata_cmd code) {
    h.build(0, a.slot, ata(code, a.lba, a.count), a.count * 512u, a.chunk);
    h.issue(0, 1u << a.slot);
    return h.finish(0) && h.raw<px_ci>(0) == 0 && !has(h.status(0), ata_status::err);
}

void apply(hba_host& h, model_disk& model, const action& a) {
    const u32 bytes = a.count * 512u;
    switch (a.what) {
    case step::write:
        for (u32 i = 0; i < bytes; ++i)
            h.data(bytes)[i] = static_cast<u8>(a.value + i / 512 + i % 512);
        RC_ASSERT(transfer(h, a, ata_cmd::write_dma_ext));
        for (u16 i = 0; i < a.count; ++i)
            model.written[a.lba + i] = static_cast<u8>(a.value + i);
        break;
    case step::read:
        std::memset(h.data(bytes), 0xEE, bytes);
        RC_ASSERT(transfer(h, a, ata_cmd::read_dma_ext));
        for (u16 i = 0; i < a.count; ++i)
            model.check(a.lba + i, h.data(bytes) + i * 512u);
        break;
    case step::flush:
        RC_ASSERT(h.execute(0, ata(ata_cmd::flush_cache_ext)));
        break;
    case step::standby:
        RC_ASSERT(h.execute(0, ata(ata_cmd::standby_immediate)));
        break;
    case step::comreset:
        h.stop(0);
        RC_ASSERT(h.bring_up(0));
        break;
    case step::hba_reset:
        h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw);
        h.run(1ms);
        RC_ASSERT(h.bring_up(0));
        break;
    case step::power_cycle:
        h.hba.power_off();
        h.run(100ms);
        h.hba.power_on();
        RC_ASSERT(h.bring_up(0));
        break;
    }
    h.clear_interrupts(0);
}

RC_GTEST_PROP(read_back, returns_the_last_acknowledged_write, ()) {
    const auto actions = *rc::gen::container<std::vector<action>>(any_action());
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    RC_ASSERT(h.bring_up(0));
    model_disk model;
    for (const auto& a : actions)
        apply(h, model, a);
}

// A write that was cut off may have happened, or parts of it, but nothing else may have changed.
RC_GTEST_PROP(read_back, survives_power_loss_in_the_middle_of_a_write, ()) {
    const auto cut_us = *rc::gen::inRange(0, 400);
    const auto count = *rc::gen::inRange<u16>(1, 100);
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    RC_ASSERT(h.bring_up(0));
    const u32 bytes = count * 512u;
    std::memset(h.data(bytes), 0xC3, bytes);
    h.build(0, 0, ata(ata_cmd::write_dma_ext, 50, count), bytes);
    h.issue(0, 1);
    h.run(std::chrono::microseconds{cut_us});
    const bool acknowledged = h.raw<px_ci>(0) == 0;
    h.hba.power_off();
    h.hba.power_on();
    RC_ASSERT(h.bring_up(0));
    RC_ASSERT(
        h.execute(0, ata(ata_cmd::read_dma_ext, 49, static_cast<u16>(count + 2)), bytes + 1024));
    const model_disk blank;
    blank.check(49, h.data());
    blank.check(50 + count, h.data(bytes + 1024) + bytes + 512);
    if (acknowledged) {
        for (u32 i = 0; i < bytes; ++i)
            RC_ASSERT(h.data(bytes + 1024)[512 + i] == 0xC3);
    }
}

} // namespace
} // namespace spinup::test
