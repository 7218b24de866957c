// Reads and writes issued while ports resume without blocking are held, and then complete exactly
// once, with the right data, on every drive, whatever the times and whatever the order. None of
// them reaches a port while that port's error handler is at work: it is the midlayer that holds
// them, not the drive's being busy.

#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/scsi/scsi_io.hpp"
#include "emu/machine/world.hpp"
#include "tests/support/studies.hpp"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <rapidcheck/gtest.h>

namespace spinup::test {
namespace {

constexpr u32 sector = 512;
constexpr u32 blocks_max = 8;
constexpr u32 lba_range = 40; // few, so that commands meet on the same sectors

struct operation {
    u32 port;
    bool write;
    u32 lba;
    u32 blocks;
    u32 after_us; ///< pause before it is issued, counted from the end of the resume
};

struct scenario {
    std::vector<u32> ready_ms;
    std::vector<operation> operations;
    u64 seed; ///< of the schedule; 0: first come, first served
};

std::ostream& operator<<(std::ostream& out, const scenario& s) {
    out << "seed " << s.seed << ", drives ready after";
    for (const u32 ms : s.ready_ms)
        out << ' ' << ms;
    for (const auto& o : s.operations)
        out << "\n  +" << o.after_us << " us ata" << o.port << (o.write ? " write " : " read ")
            << o.lba << " x " << o.blocks;
    return out;
}

rc::Gen<scenario> any_scenario() {
    return rc::gen::mapcat(rc::gen::inRange<u32>(1, 5), [](u32 ports) {
        const auto op = rc::gen::build<operation>(
            rc::gen::set(&operation::port, rc::gen::inRange<u32>(1, ports + 1)),
            rc::gen::set(&operation::write),
            rc::gen::set(&operation::lba, rc::gen::inRange<u32>(0, lba_range)),
            rc::gen::set(&operation::blocks, rc::gen::inRange<u32>(1, blocks_max + 1)),
            rc::gen::set(&operation::after_us,
                         rc::gen::weightedOneOf<u32>(
                             {{3, rc::gen::just(0u)}, {1, rc::gen::inRange<u32>(0, 900'000)}})));
        return rc::gen::build<scenario>(
            rc::gen::set(&scenario::ready_ms,
                         rc::gen::container<std::vector<u32>>(
                             ports, rc::gen::element<u32>(0, 20, 340, 1'000, 3'000, 10'150))),
            rc::gen::set(&scenario::operations, rc::gen::container<std::vector<operation>>(op)),
            rc::gen::set(&scenario::seed, rc::gen::inRange<u64>(0, 4)));
    });
}

/// Issues a scenario's operations and keeps a model of what each read must return. A drive runs
/// the commands of one queue in order, so the model is updated at the submission.
class host_under_test {
  public:
    host_under_test(machine::world& w, const scenario& s) : world_(w), scenario_(s) {
        pending_.reserve(s.operations.size());
    }

    void run() {
        world_.boot();
        RC_ASSERT(!failed(world_.suspend_resume()));
        for (const operation& o : scenario_.operations) {
            if (o.after_us != 0)
                world_.kernel().usleep_range(std::chrono::microseconds{o.after_us});
            issue(o);
        }
        world_.settle();
        while (done_ < pending_.size())
            world_.kernel().usleep_range(std::chrono::milliseconds{10});
        // A second completion would come now.
        world_.kernel().usleep_range(std::chrono::seconds{60});
        for (const pending& p : pending_)
            check(p);
    }

  private:
    struct pending {
        host_under_test* owner;
        operation what;
        kernel::dma_memory buffer;
        std::vector<u8> expected;
        u32 completions = 0;
        errno_t rc = errno_t::ok;
    };

    static void done(void* context, errno_t rc) {
        auto& p = *static_cast<pending*>(context);
        ++p.completions;
        p.rc = rc;
        ++p.owner->done_;
    }

    void issue(const operation& o) {
        pending_.push_back(
            {this, o, world_.kernel().dma_alloc_coherent(o.blocks * sector, sector), {}});
        pending& p = pending_.back();
        drivers::scsi_device* sdev = world_.ata(o.port).link.dev.sdev;
        RC_ASSERT(sdev != nullptr);
        if (o.write) {
            const auto fill = static_cast<u8>(pending_.size());
            std::memset(p.buffer.cpu, fill, p.buffer.bytes);
            for (u32 i = 0; i < o.blocks; ++i)
                written_[{o.port, o.lba + i}] = fill;
            drivers::submit_write(*sdev, o.lba, o.blocks, p.buffer, done, &p);
            return;
        }
        for (u32 i = 0; i < o.blocks; ++i) {
            const auto w = written_.find({o.port, o.lba + i});
            std::vector<u8> bytes(sector, w == written_.end() ? u8{0} : w->second);
            if (w == written_.end()) // an untouched sector holds its own address
                bytes[0] = static_cast<u8>(o.lba + i);
            p.expected.insert(p.expected.end(), bytes.begin(), bytes.end());
        }
        std::memset(p.buffer.cpu, 0xee, p.buffer.bytes);
        drivers::submit_read(*sdev, o.lba, o.blocks, p.buffer, done, &p);
    }

    static void check(const pending& p) {
        RC_ASSERT(p.completions == 1u);
        RC_ASSERT(p.rc == errno_t::ok);
        if (!p.what.write)
            RC_ASSERT(std::memcmp(p.buffer.cpu, p.expected.data(), p.expected.size()) == 0);
    }

    machine::world& world_;
    const scenario& scenario_;
    std::vector<pending> pending_;
    std::map<std::pair<u32, u64>, u8> written_;
    std::size_t done_ = 0;
};

/// Counts commands that the midlayer gives to a port while the port's EH runs. The port would turn
/// most of them away, so that what it issues tells nothing.
class eh_watch final : public trace_reader {
  public:
    explicit eh_watch(trace_ring& log) : log_(log) { log_.attach(*this); }
    ~eh_watch() { log_.detach(*this); }
    eh_watch(const eh_watch&) = delete;
    eh_watch& operator=(const eh_watch&) = delete;

    void take(std::span<const trace_record> records, const trace& names) override {
        for (const trace_record& r : records) {
            const auto what = static_cast<trace_event>(r.event);
            if (what == trace_event::eh_begin)
                in_eh_.insert(r.args[0]);
            else if (what == trace_event::eh_end)
                in_eh_.erase(r.args[0]);
            else if (what == trace_event::scsi_dispatch)
                intruders += in_eh_.count(port_of(names.name(name_id{r.args[0]})));
        }
    }

    std::size_t intruders = 0;

  private:
    /// "0:0:0:0" is ata1.
    static u32 port_of(std::string_view device) {
        return static_cast<u32>(std::stoul(std::string{device})) + 1;
    }

    trace_ring& log_;
    std::set<u32> in_eh_;
};

RC_GTEST_PROP(QueuedCommands, complete_exactly_once_with_right_data_after_a_non_blocking_resume,
              ()) {
    const scenario s = *any_scenario();
    std::string text = hba(static_cast<u32>(s.ready_ms.size()));
    for (std::size_t i = 0; i < s.ready_ms.size(); ++i)
        text += disk(static_cast<u32>(i + 1), s.ready_ms[i]);
    const auto what = from_text(text);
    machine::world_options options;
    options.design = drivers::find_pm_design(non_blocking);
    options.start = drivers::find_disk_start("async");
    options.order = drivers::find_dpm_order("upfront");
    if (s.seed != 0)
        options.schedule = kernel::oracle_config::random(s.seed);
    machine::world w{what, options};
    eh_watch watch{w.log()};
    host_under_test host{w, s};
    const auto end = w.kernel().run("host", [&host] { host.run(); });
    RC_ASSERT(end.done());
    RC_ASSERT(w.kernel().complaints() == 0u);
    w.log().drain();
    RC_ASSERT(watch.intruders == 0u);
}

} // namespace
} // namespace spinup::test
