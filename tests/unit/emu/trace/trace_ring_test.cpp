#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <rapidcheck/gtest.h>

#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"

namespace spinup {
namespace {

using namespace literals;

struct TraceRing : testing::Test {
    virtual_timeline line;
    trace_ring log{line};
};

TEST_F(TraceRing, keeps_time_thread_event_and_arguments) {
    record_store seen;
    log.attach(seen);
    line.run_until(time_point{1500ms});
    log.set_thread(7);
    log.emit(trace_event::qc_issue, 1, 31u, u8{0xec});
    log.drain();

    ASSERT_EQ(seen.records().size(), 1u);
    const trace_record& r = seen.records()[0];
    EXPECT_EQ(r.time_ns, 1'500'000'000u);
    EXPECT_EQ(r.thread, 7u);
    EXPECT_EQ(r.event, static_cast<u16>(trace_event::qc_issue));
    EXPECT_EQ(std::vector<u32>(std::begin(r.args), std::end(r.args)),
              (std::vector<u32>{1, 31, 0xec, 0, 0}));
}

RC_GTEST_PROP(TraceRingProperty, drops_and_reorders_nothing_whatever_its_capacity, ()) {
    const auto capacity = *rc::gen::inRange<std::size_t>(1, 9);
    const auto drains = *rc::gen::arbitrary<std::vector<bool>>();
    virtual_timeline line;
    trace_ring log{line, capacity};
    record_store one;
    record_store two;
    log.attach(one);
    log.attach(two);
    for (std::size_t i = 0; i < drains.size(); ++i) {
        log.emit(trace_event::port_ready, i);
        if (drains[i])
            log.drain();
    }
    log.detach(one);
    log.detach(two);
    RC_ASSERT(one.records().size() == drains.size());
    RC_ASSERT(two.records().size() == drains.size());
    for (std::size_t i = 0; i < drains.size(); ++i) {
        RC_ASSERT(one.records()[i].args[0] == i);
        RC_ASSERT(two.records()[i].args[0] == i);
    }
}

TEST_F(TraceRing, shows_a_reader_what_happens_while_it_is_attached) {
    record_store first;
    record_store second;
    log.emit(trace_event::port_ready, 0);
    log.attach(first);
    log.emit(trace_event::port_ready, 1);
    log.attach(second);
    log.emit(trace_event::port_ready, 2);
    log.detach(first);
    log.emit(trace_event::port_ready, 3);
    log.detach(second);
    log.emit(trace_event::port_ready, 4);

    const auto ports = [](const record_store& s) {
        std::string text;
        for (const trace_record& r : s.records())
            text += std::to_string(r.args[0]);
        return text;
    };
    EXPECT_EQ(ports(first), "12");
    EXPECT_EQ(ports(second), "23");
}

TEST_F(TraceRing, keeps_what_some_reader_wants_and_nothing_else) {
    record_store faults;
    record_store all;
    const auto emit_both = [this] {
        log.emit(trace_event::port_ready, 0);
        log.emit(trace_event::port_frozen, 0);
    };
    log.attach(faults, {trace_event::port_frozen});
    emit_both();
    log.drain();
    ASSERT_EQ(faults.records().size(), 1u);
    EXPECT_EQ(faults.records()[0].event, static_cast<u16>(trace_event::port_frozen));
    log.attach(all);
    emit_both();
    log.detach(all);
    EXPECT_EQ(all.records().size(), 2u);
    faults.clear();
    emit_both();
    log.detach(faults);
    EXPECT_EQ(faults.records().size(), 1u);
}

TEST_F(TraceRing, knows_every_name_again_however_many_there_are) {
    constexpr u32 many = 5000;
    const auto text = [](u32 i) { return "name " + std::to_string(i); };
    std::vector<name_id> ids;
    for (u32 i = 0; i < many; ++i)
        ids.push_back(log.intern(text(i)));
    for (u32 i = 0; i < many; ++i) {
        EXPECT_EQ(static_cast<u32>(ids[i]), i + 1); // 0 is the empty name
        EXPECT_EQ(log.intern(text(i)), ids[i]);
        EXPECT_EQ(log.name(ids[i]), text(i));
    }
    EXPECT_EQ(log.names().size(), many + 1);
}

TEST_F(TraceRing, has_a_digest_that_does_not_depend_on_readers) {
    trace_ring watched{line, 2};
    record_store seen;
    watched.attach(seen);
    for (u32 i = 0; i < 10; ++i) {
        log.emit(trace_event::port_frozen, i);
        watched.emit(trace_event::port_frozen, i);
    }
    EXPECT_EQ(log.digest(), watched.digest());
    watched.detach(seen);
}

TEST_F(TraceRing, has_a_digest_of_time_thread_event_order_and_every_argument) {
    const auto digest_of = [](auto... steps) {
        virtual_timeline l;
        trace_ring t{l};
        (steps(l, t), ...);
        return t.digest();
    };
    const auto event = [](trace_event e, auto... args) {
        return [=](virtual_timeline&, trace_ring& t) { t.emit(e, args...); };
    };
    const auto wait = [](virtual_timeline& l, trace_ring&) { l.run_until(time_point{1ns}); };
    const auto thread = [](virtual_timeline&, trace_ring& t) { t.set_thread(1); };
    const auto a = event(trace_event::comreset, 0);
    const auto b = event(trace_event::comreset, 1);

    const u64 digests[] = {
        digest_of(),
        digest_of(a),
        digest_of(b),
        digest_of(a, b),
        digest_of(b, a),
        digest_of(wait, a),
        digest_of(thread, a),
        digest_of(event(trace_event::comreset_end, 0)),
        digest_of(event(trace_event::comreset, 0, 1)),
        digest_of(event(trace_event::comreset, 0, 0, 1)),
        digest_of(event(trace_event::comreset, 0, 0, 0, 1)),
        digest_of(event(trace_event::comreset, 0, 0, 0, 0, 1)),
    };
    for (auto i = std::begin(digests); i != std::end(digests); ++i)
        for (auto j = std::begin(digests); j != i; ++j)
            EXPECT_NE(*i, *j) << "runs " << i - digests << " and " << j - digests;
    EXPECT_EQ(digest_of(a, b), digest_of(a, b));
}

TEST_F(TraceRing, interns_each_name_once_and_counts_up) {
    EXPECT_EQ(log.intern(""), name_id{0});
    const name_id one = log.intern("ata1");
    const name_id two = log.intern("ata2");
    EXPECT_EQ(one, name_id{1});
    EXPECT_EQ(two, name_id{2});
    EXPECT_EQ(log.intern(std::string{"ata1"}), one);
    EXPECT_EQ(log.name(one), "ata1");
    EXPECT_EQ(log.name(two), "ata2");
    EXPECT_EQ(log.name(name_id{0}), "");
}

// Ids are part of the digest, so they must not depend on the order in which a compiler likes to
// evaluate arguments (g++ from the right, clang from the left).
TEST_F(TraceRing, interns_texts_of_an_event_from_left_to_right) {
    record_store seen;
    log.attach(seen);
    const std::string model = "disk";
    log.emit(trace_event::ata_dev_id, 1, std::string_view{"ATA-8"}, model, "1.0", 133);
    log.drain();
    const trace_record& r = seen.records().front();
    EXPECT_EQ(std::vector<u32>(std::begin(r.args), std::end(r.args)),
              (std::vector<u32>{1, 1, 2, 3, 133}));
    EXPECT_EQ(log.name(name_id{2}), "disk");
}

TEST_F(TraceRing, keeps_names_while_others_are_added) {
    const std::string_view first = log.name(log.intern("first"));
    for (int i = 0; i < 1000; ++i)
        log.intern("name " + std::to_string(i));
    EXPECT_EQ(first, "first");
    EXPECT_EQ(log.name(log.intern("name 999")), "name 999");
}

TEST_F(TraceRing, checks_that_a_name_is_known) {
    EXPECT_DEATH(static_cast<void>(log.name(name_id{1})), "CHECK failed");
}

} // namespace
} // namespace spinup
