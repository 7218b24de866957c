// A port with more than one owner: the system, which sleeps and wakes, and requesters beside the PM
// core that know nothing of it or of each other, as SAS ports had until 6.6. What a design does
// with requests that overlap, or ask for what the port is already, is its own affair.
//
// What they must not do is wake a port that the PM core has suspended before its power goes, or
// touch it before its host adapter is back: the drive that is lost then is lost through no fault of
// the design. So they belong to a device below the adapter, as libsas does: when the system is
// about to sleep they come to an end and start no more, and they go on as soon as the adapter has
// resumed, side by side with the PM core's resume of the port. What they have asked for before, and
// do not wait for, is not over then.
#include "emu/study/scenarios/registry.hpp"

#include "drivers/ata/libata.hpp"
#include "drivers/base/power/dpm.hpp"

#include <deque>
#include <spinup/kernel/result_slot.hpp>
#include <spinup/kernel/work.hpp>

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

struct rival {
    std::string_view name;
    kernel::pm_message first;
    kernel::pm_message second;
};
constexpr std::array<rival, 3> rivals{
    rival{"rival 1", kernel::PMSG_SUSPEND, kernel::PMSG_RESUME},
    rival{"rival 2", kernel::PMSG_RESUME, kernel::PMSG_SUSPEND},
    rival{"rival 3", kernel::PMSG_SUSPEND, kernel::PMSG_RESUME},
};

/// What they belong to.
class owner {
  public:
    explicit owner(machine::world& w)
        : gate(w.kernel()), pm_(w.pm()), dev_(w.kernel(), "rivals", &w.ata(1).host.dev) {
        dev_.pm = &ops;
        dev_.drvdata = this;
        dev_.async_suspend = true;
        pm_.device_add(dev_);
    }
    void remove() { pm_.device_del(dev_); }

    kernel::freezer gate;

  private:
    static errno_t prepare(drivers::device& dev) {
        return drivers::dev_get_drvdata<owner>(dev).gate.freeze();
    }
    static errno_t resume(drivers::device& dev) {
        drivers::dev_get_drvdata<owner>(dev).gate.thaw();
        return errno_t::ok;
    }
    /// Also where the suspend was given up before it came to the device.
    static void complete(drivers::device& dev) { static_cast<void>(resume(dev)); }

    static constexpr drivers::dev_pm_ops ops = [] {
        drivers::dev_pm_ops o;
        o.prepare = prepare;
        o.resume = resume;
        o.complete = complete;
        return o;
    }();

    drivers::dpm& pm_;
    drivers::device dev_;
};

/// One request and the place for its result.
class asking {
  public:
    /// `early`: it looks at the result at once; otherwise when EH is through.
    asking(stage& s, kernel::freezer& gate, kernel::pm_message message, bool early)
        : stage_(s), message_(message), early_(early), into_(s.place_for_a_result()),
          item_(
              s.kernel(), "rival's request", [this] { ask(); }, &gate) {}

    void run() {
        static_cast<void>(item_.queue());
        item_.flush();
    }

  private:
    void ask() {
        const errno_t rc = stage_.request(1, message_, into_);
        if (!early_)
            stage_.settle();
        if (!failed(rc))
            static_cast<void>(stage_.read_result(1, into_));
    }

    stage& stage_;
    const kernel::pm_message message_;
    const bool early_;
    kernel::result_slot into_;
    kernel::work item_;
};

void play(stage& s) {
    const u32 n = 1 + s.option("more-rivals", 3);
    const bool sleeps = s.option("system-sleeps");
    const bool early = s.option("looks-early");
    const bool twice = s.option("twice");
    const u32 turn = s.option("who-begins", 3);
    const duration when = s.option("rivals-after", {0ms, 1ms, 5ms, 400ms});
    // They live until nobody can write to a result, or use anything of theirs.
    owner all{s.world()};
    std::deque<asking> requests;
    for (u32 i = 0; i < n; ++i) {
        const rival& who = rivals[(i + turn) % rivals.size()];
        asking& first = requests.emplace_back(s, all.gate, who.first, early);
        asking& second = requests.emplace_back(s, all.gate, who.second, early);
        s.spawn(rivals[i].name, [&s, &first, &second, twice, when] {
            s.sleep(when);
            first.run();
            if (twice)
                second.run();
        });
    }
    if (sleeps)
        static_cast<void>(s.suspend_to_ram());
    s.join();
    s.settle();
    all.remove();
}

} // namespace

const scenario scenario_rivals{
    .name = "rivals",
    .summary = "one SSD without sd: requesters beside the PM core ask for what each of them likes",
    .machine = "fast-ssd",
    .overrides = without_sd,
    .play = play,
};

} // namespace spinup::study
