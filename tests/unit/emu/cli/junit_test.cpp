#include "emu/cli/junit.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace spinup::test {
namespace {

using cli::junit_case;

TEST(Junit, counts_and_escapes) {
    const std::vector<junit_case> cases{
        {"holds", "", false}, {"broken", "a < b & \"c\"\x01", false}, {"none", "", true}};
    EXPECT_EQ(cli::junit("x&y", cases),
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<testsuite name=\"x&amp;y\" tests=\"3\" failures=\"1\" skipped=\"1\">\n"
              "  <testcase classname=\"x&amp;y\" name=\"holds\"/>\n"
              "  <testcase classname=\"x&amp;y\" name=\"broken\"><failure>a &lt; b &amp; "
              "&quot;c&quot; </failure></testcase>\n"
              "  <testcase classname=\"x&amp;y\" name=\"none\"><skipped/></testcase>\n"
              "</testsuite>\n");
}

} // namespace
} // namespace spinup::test
