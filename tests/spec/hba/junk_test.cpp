// Junk from software must never hurt the HBA: what comes is what the standard says, or nothing.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>
#include <spinup/base/rng.hpp>

namespace spinup::test {
namespace {

using namespace spec;

/// Half of the offsets are registers, half are anything.
u32 any_offset(random_stream& random, u32 ports) {
    if (random.below(2) == 0)
        return static_cast<u32>(random.below(abar_size + 64));
    const auto port = static_cast<u32>(random.below(ports));
    return port_offset(port, port_registers[random.below(port_registers.size())].offset);
}

void junk(hba_host& h, u64 seed, int steps) {
    random_stream random{seed, "junk"};
    const auto touch_memory = [&] {
        const u64 at = flat_memory::base + random.below(0x80000);
        h.poke(at, static_cast<u32>(random.next()));
    };
    for (int i = 0; i < steps; ++i) {
        switch (random.below(10)) {
        case 0:
            (void)h.hba.read32(any_offset(random, 3));
            break;
        case 1:
            h.run(duration{static_cast<s64>(random.below(5'000'000))});
            break;
        case 2:
            touch_memory();
            break;
        case 3:
            h.put<px_ci>(static_cast<u32>(random.below(3)), static_cast<u32>(random.next()));
            break;
        case 4: { // commands that could be meant
            const auto port = static_cast<u32>(random.below(3));
            h.build(port, static_cast<u32>(random.below(32)),
                    ata(static_cast<ata_cmd>(random.below(256)), random.below(4096),
                        static_cast<u16>(random.below(64))),
                    static_cast<u32>(random.below(64)) * 512);
            break;
        }
        case 5:
            if (random.below(50) == 0) {
                h.hba.power_off();
                h.hba.power_on();
            }
            break;
        case 6:
            h.set_up(static_cast<u32>(random.below(3)));
            break;
        case 7:
            h.start(static_cast<u32>(random.below(3)));
            break;
        default:
            h.hba.write32(any_offset(random, 3), static_cast<u32>(random.next()));
            break;
        }
    }
}

TEST(junk, writes_of_any_kind_do_no_harm) {
    for (const u64 seed : {1ull, 2ull, 3ull, 4ull}) {
        hba_host h{{}, {quick_disk(), quick_odd(true, 100ms)}};
        h.hba.power_on();
        junk(h, seed, 100'000);
        EXPECT_GT(h.hba.counters(0).commands, 0u) << "the junk was too wild to do anything";
        h.hba.power_off();
        h.hba.power_on();
        EXPECT_TRUE(h.bring_up(0));
        EXPECT_TRUE(h.bring_up(1));
        EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, 1), 512));
    }
}

TEST(junk, same_junk_same_trace) {
    const auto digest = [](u64 seed) {
        hba_host h{{}, {quick_disk(), quick_odd(true, 100ms)}};
        h.hba.power_on();
        junk(h, seed, 20'000);
        return h.log.digest();
    };
    EXPECT_EQ(digest(7), digest(7));
    EXPECT_NE(digest(7), digest(8));
}

TEST(junk, command_tables_of_noise_end_in_an_error_or_not_at_all) {
    random_stream random{99, "tables"};
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(h.bring_up(0));
        for (u64 at = h.table_of(0, 0); at < h.table_of(0, 0) + 0x100; at += 8)
            h.poke(at, random.next());
        for (u64 at = h.list_of(0); at < h.list_of(0) + 32; at += 8)
            h.poke(at, random.next());
        if (random.below(2) == 0)
            h.header(0, 0).set_table(h.table_of(0, 0));
        if (random.below(2) == 0)
            h.poke(h.table_of(0, 0), fis_type::reg_h2d);
        h.issue(0, 1);
        h.finish(0, 2s);
        h.stop(0);
    }
}

} // namespace
} // namespace spinup::test
