// A kernel with a PM core and devices that note what is asked of them, and when.
#pragma once

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "drivers/base/device.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/suspend.hpp"
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/dmesg.hpp"
#include "emu/trace/trace_ring.hpp"

namespace spinup::drivers {

enum class step { prepare, suspend, late, noirq, resume_noirq, resume_early, resume, complete };

/// What one callback of a probe does, besides being noted.
struct behaviour {
    duration takes{};
    errno_t returns = errno_t::ok;
    std::function<void()> also = nullptr;
};

/// "name@begin", or "name@begin-end" if it took time; in milliseconds.
using notebook = std::vector<std::pair<step, std::string>>;

/// A device all of whose callbacks note that they ran.
struct probe {
    probe(kernel::system& k, notebook& notes_, std::string_view name, device* parent, bool async)
        : notes(notes_), dev(k, name, parent) {
        static constexpr dev_pm_ops ops{
            call<step::prepare>,      call<step::suspend>,
            call<step::late>,         call<step::noirq>,
            call<step::resume_noirq>, call<step::resume_early>,
            call<step::resume>,       [](device& d) { static_cast<void>(call<step::complete>(d)); },
        };
        dev.pm = &ops;
        dev.drvdata = this;
        dev.async_suspend = async;
    }

    probe& on(step which, behaviour does) {
        behaviours[which] = std::move(does);
        return *this;
    }

    template <step Which> static errno_t call(device& d) {
        return dev_get_drvdata<probe>(d).act(Which);
    }
    errno_t act(step which) {
        const auto ms = [this] { return std::to_string(to_ns(dev.kernel.now()) / 1'000'000); };
        const behaviour does = behaviours[which];
        const std::size_t place = notes.size();
        notes.emplace_back(which, dev.name + "@" + ms());
        if (does.takes != duration::zero()) {
            dev.kernel.usleep_range(does.takes);
            notes[place].second += "-" + ms();
        }
        if (does.also)
            does.also();
        return does.returns;
    }

    notebook& notes;
    std::map<step, behaviour> behaviours;
    device dev;
};

struct pm_setup : kernel::platform_suspend_ops {
    explicit pm_setup(kernel::oracle_config config = {}, log_wording of = log_wording::linux_3)
        : wording(of), k(line, log, std::move(config)) {
        log.attach(dmesg);
    }
    virtual ~pm_setup() {
        k.stop();
        log.detach(dmesg);
    }

    static constexpr bool async = true;

    /// A device; the PM core learns of it when the world runs next.
    probe& add(std::string_view name, device* parent = nullptr, bool is_async = false) {
        return probes.emplace_back(k, notes, name, parent, is_async);
    }

    /// One suspend and resume. The first call decides the order.
    errno_t cycle(const dpm_order& order = dpm_order_sync) {
        errno_t rc = errno_t::ok;
        run(order, [&] { rc = pm_suspend(*core, *this); });
        return rc;
    }

    void run(const dpm_order& order, const std::function<void()>& body) {
        if (core == nullptr)
            core = std::make_unique<dpm>(k, order, wording);
        const kernel::run_end end = k.run("main", [&] {
            for (; registered < probes.size(); ++registered)
                core->device_add(probes[registered].dev);
            body();
        });
        EXPECT_TRUE(end.done()) << end.text();
    }

    /// The notes about one callback, in the order in which they began.
    [[nodiscard]] std::string noted(step which) const {
        std::string text;
        for (const auto& [about, note] : notes)
            if (about == which)
                text += (text.empty() ? "" : " ") + note;
        return text;
    }
    /// The order in which the callbacks of any kind began.
    [[nodiscard]] std::vector<step> steps() const {
        std::vector<step> all;
        for (const auto& note : notes)
            all.push_back(note.first);
        return all;
    }

    std::string kernel_log() {
        log.drain();
        return dmesg_text.str();
    }

    void enter() override { ++sleeps; }

    const log_wording wording;
    virtual_timeline line;
    trace_ring log{line};
    std::ostringstream dmesg_text;
    dmesg_writer dmesg{dmesg_text, wording};
    kernel::simulated_kernel k;
    notebook notes;
    std::unique_ptr<dpm> core;
    std::deque<probe> probes;
    std::size_t registered = 0;
    int sleeps = 0;
};

struct pm_world : testing::Test, pm_setup {};

} // namespace spinup::drivers
