// Determinism: the same machine, design and token have the same trace digest on any machine, with
// any compiler and in any build type. digests.txt holds them; each build runs this test against the
// same file. `UPDATE=1` in the environment rewrites it, after a change of the model that is meant.

#include "tests/support/studies.hpp"
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace spinup::test {
namespace {

constexpr const char* file = SPINUP_SOURCE_DIR "/tests/golden/resume/digests.txt";

struct sample {
    const char* machine;
    const char* design;
    const char* disk_start;
    const char* order;
    std::optional<u64> seed;
    u32 cycles = 1;
    std::optional<duration> gap;
};

const sample samples[] = {
    {"computer-one", blocking, "sync", "upfront", {}, 1, {}},
    {"computer-one", blocking, "sync", "sync", {}, 1, {}},
    {"computer-one", blocking, "async", "async", {}, 1, {}},
    {"computer-one", non_blocking, "async", "upfront", {}, 2, {}},
    {"computer-two", non_blocking, "sync", "upfront", {}, 1, {}},
    {"computer-three", non_blocking, "async", "async", {}, 1, {}},
    {"back-to-back", non_blocking, "async", "upfront", {}, 3, std::chrono::milliseconds{70}},
    {"thirty-two", non_blocking, "async", "upfront", {}, 1, {}},
    {"computer-one", non_blocking, "async", "upfront", 1, 1, {}},
    {"back-to-back", blocking, "sync", "async", 2, 2, std::chrono::milliseconds{10}},
    {"computer-one", "locked_6_6", "eh", "async", {}, 2, {}},
    {"computer-one", "current_7_3", "eh", "upfront", {}, 2, {}},
    {"back-to-back", "current_7_3", "eh", "upfront", 5, 3, std::chrono::milliseconds{70}},
};

std::string label(const sample& s) {
    std::ostringstream out;
    out << s.machine << ' ' << s.design << ' ' << s.disk_start << ' ' << s.order
        << " seed=" << (s.seed ? std::to_string(*s.seed) : "-") << " cycles=" << s.cycles;
    return out.str();
}

study::run_report run_sample(const sample& s, const machine::machine& what,
                             const std::string& token = "") {
    study::configuration config;
    config.what = &what;
    config.design = s.design;
    config.disk_start = s.disk_start;
    config.order = s.order;
    config.cycles = s.cycles;
    config.gap = s.gap;
    config.token = token;
    if (token.empty())
        config.seed = s.seed;
    auto report = study::run(config);
    if (!report)
        throw std::runtime_error(report.error().text());
    return std::move(*report);
}

TEST(Digest, is_the_same_in_every_build) {
    std::ostringstream lines;
    for (const sample& s : samples) {
        const auto report = run_sample(s, from_catalogue(s.machine));
        EXPECT_EQ(report.verdict, "ok") << label(s) << "\n" << report.reason;
        lines << label(s) << ' ' << std::hex << report.digest << std::dec << '\n';
    }
    if (std::getenv("UPDATE") != nullptr) {
        std::ofstream{file} << lines.str();
        return;
    }
    std::stringstream expected;
    expected << std::ifstream{file}.rdbuf();
    EXPECT_EQ(lines.str(), expected.str());
}

TEST(Digest, is_the_same_when_the_token_is_replayed) {
    for (const sample& s : samples) {
        const auto what = from_catalogue(s.machine);
        const auto first = run_sample(s, what);
        const auto again = run_sample(s, what, first.token);
        EXPECT_EQ(first.digest, again.digest) << label(s);
        EXPECT_EQ(first.token, again.token) << label(s);
    }
}

TEST(Digest, tells_schedules_apart) {
    const auto what = from_catalogue("computer-one");
    sample s{"computer-one", non_blocking, "async", "upfront", 1, 1, {}};
    const auto one = run_sample(s, what);
    s.seed = 2;
    EXPECT_NE(one.digest, run_sample(s, what).digest);
}

TEST(Digest, of_a_token_for_other_settings_is_refused) {
    sample s{"back-to-back", non_blocking, "async", "upfront", 3, 2, std::chrono::milliseconds{70}};
    auto what = from_catalogue(s.machine);
    const std::string token = run_sample(s, what).token;
    s.gap = std::chrono::milliseconds{75};
    EXPECT_THROW(run_sample(s, what, token), std::runtime_error);
    s.gap = std::chrono::milliseconds{70};
    what.ports.at(0).attached->ready = std::chrono::milliseconds{300};
    EXPECT_THROW(run_sample(s, what, token), std::runtime_error);
}

TEST(Digest, of_a_token_for_another_run_is_refused) {
    const auto what = from_catalogue("computer-one");
    const sample s{"computer-one", non_blocking, "async", "upfront", 1, 1, {}};
    const std::string token = run_sample(s, what).token;
    study::configuration config;
    const auto other = from_catalogue("computer-two");
    config.what = &other;
    config.design = blocking;
    config.disk_start = "sync";
    config.order = "upfront";
    config.token = token;
    EXPECT_FALSE(study::run(config).ok());
}

} // namespace
} // namespace spinup::test
