#include "emu/kernel/explore/minimiser.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace spinup::kernel {

namespace {

class search {
  public:
    search(failing_run first, const rerun& again, u64 max_runs)
        : best_(std::move(first)), again_(again), left_(max_runs) {
        strip(best_.picks);
    }

    minimised run(u64 max_runs) {
        bool smaller = true;
        while (smaller && left_ != 0) {
            smaller = drop_options();
            smaller = cut_end() || smaller;
            smaller = zero() || smaller;
            smaller = cut_out() || smaller;
        }
        return {std::move(best_), max_runs - left_, !smaller && !gave_up_};
    }

  private:
    /// Picks past the end are 0, so those of 0 at the end say nothing.
    static void strip(std::vector<u32>& picks) {
        while (!picks.empty() && picks.back() == 0)
            picks.pop_back();
    }
    /// What is to become smaller, the most important first.
    static auto size(const failing_run& r) {
        const auto used = std::count_if(r.options.begin(), r.options.end(),
                                        [](const run_option& o) { return o.value != 0; });
        const auto picked =
            std::count_if(r.picks.begin(), r.picks.end(), [](u32 p) { return p != 0; });
        return std::tuple{used, picked, r.picks.size()};
    }

    bool keep_if_it_fails(failing_run candidate) {
        strip(candidate.picks);
        if (!(size(candidate) < size(best_)))
            return false;
        if (left_ == 0) {
            gave_up_ = true;
            return false;
        }
        --left_;
        auto picks = again_(candidate);
        if (!picks)
            return false;
        candidate.picks = std::move(*picks);
        strip(candidate.picks);
        best_ = std::move(candidate);
        return true;
    }

    bool drop_options() {
        bool any = false;
        for (std::size_t i = 0; i < best_.options.size(); ++i) {
            failing_run candidate = best_;
            candidate.options[i].value = 0;
            any = keep_if_it_fails(std::move(candidate)) || any;
        }
        return any;
    }

    /// The shortest beginning that fails, if longer ones do; and one pick less in any case.
    bool cut_end() {
        bool any = false;
        for (std::size_t step = best_.picks.size(); step != 0; step /= 2)
            while (step <= best_.picks.size()) {
                failing_run candidate = best_;
                candidate.picks.resize(candidate.picks.size() - step);
                if (!keep_if_it_fails(std::move(candidate)))
                    break;
                any = true;
            }
        return any;
    }

    /// Sets stretches of the picks that are not 0 to 0, from all of them down to single ones.
    bool zero() {
        bool any = false;
        for (std::size_t length = places().size(); length != 0; length /= 2)
            for (std::size_t from = 0; from < places().size();) {
                const std::vector<std::size_t> all = places();
                failing_run candidate = best_;
                for (std::size_t i = from; i < std::min(from + length, all.size()); ++i)
                    candidate.picks[all[i]] = 0;
                if (keep_if_it_fails(std::move(candidate)))
                    any = true; // what follows has moved up to `from`
                else
                    from += length;
            }
        return any;
    }

    /// Takes stretches out altogether, so that later picks move up.
    bool cut_out() {
        bool any = false;
        for (std::size_t length = best_.picks.size() / 2; length != 0; length /= 2)
            for (std::size_t from = 0; from + length <= best_.picks.size();) {
                failing_run candidate = best_;
                const auto begin = candidate.picks.begin() + static_cast<std::ptrdiff_t>(from);
                candidate.picks.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
                if (keep_if_it_fails(std::move(candidate)))
                    any = true;
                else
                    from += length;
            }
        return any;
    }

    [[nodiscard]] std::vector<std::size_t> places() const {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < best_.picks.size(); ++i)
            if (best_.picks[i] != 0)
                all.push_back(i);
        return all;
    }

    failing_run best_;
    const rerun& again_;
    u64 left_;
    bool gave_up_ = false;
};

} // namespace

minimised minimise(failing_run first, const rerun& again, u64 max_runs) {
    return search{std::move(first), again, max_runs}.run(max_runs);
}

} // namespace spinup::kernel
