// The figures of the 2013 thread: three computers, with and without the two patches.
//
// The two columns of figures are the fit: the times of the slowest disk and of the rest of each
// system were calibrated to them (the machine files say which). What follows from the model and was
// fitted to nothing is that one patch alone gains nothing.

#include "tests/support/studies.hpp"

namespace spinup::test {
namespace {

struct printed {
    const char* machine;
    double without_patch_ms;
    double with_patch_ms;
};

class Thread2013 : public testing::TestWithParam<printed> {};

TEST_P(Thread2013, blocking_resume_takes_what_was_printed) {
    const auto what = from_catalogue(GetParam().machine);
    EXPECT_TRUE(within(resume_ms(what, blocking, "sync"), GetParam().without_patch_ms, 0.05));
}

TEST_P(Thread2013, non_blocking_resume_takes_what_was_printed) {
    const auto what = from_catalogue(GetParam().machine);
    EXPECT_TRUE(within(resume_ms(what, non_blocking, "async"), GetParam().with_patch_ms, 0.05));
}

TEST_P(Thread2013, one_patch_alone_gains_nothing) {
    const auto what = from_catalogue(GetParam().machine);
    const double both_blocking = resume_ms(what, blocking, "sync");
    EXPECT_TRUE(within(resume_ms(what, non_blocking, "sync"), both_blocking, 0.10));
    EXPECT_TRUE(within(resume_ms(what, blocking, "async"), both_blocking, 0.10));
}

INSTANTIATE_TEST_SUITE_P(computers, Thread2013,
                         testing::Values(printed{"computer-one", 11656, 1110},
                                         printed{"computer-two", 5416, 448},
                                         printed{"computer-three", 5385, 688}),
                         [](const auto& p) {
                             std::string name = p.param.machine;
                             return name.replace(name.find('-'), 1, "_");
                         });

} // namespace
} // namespace spinup::test
