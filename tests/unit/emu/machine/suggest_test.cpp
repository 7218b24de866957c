#include "emu/machine/suggest.hpp"
#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spinup::machine {
namespace {

TEST(EditDistance, counts_insertions_deletions_replacements_and_swaps) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("ports", "ports"), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("port", "ports"), 1u);
    EXPECT_EQ(edit_distance("parts", "ports"), 1u);
    EXPECT_EQ(edit_distance("prots", "ports"), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

RC_GTEST_PROP(EditDistance, is_symmetric_and_at_most_the_longer_word,
              (const std::string& a, const std::string& b)) {
    const unsigned d = edit_distance(a, b);
    RC_ASSERT(d == edit_distance(b, a));
    RC_ASSERT(d <= std::max(a.size(), b.size()));
    RC_ASSERT((d == 0) == (a == b));
}

TEST(DidYouMean, names_the_nearest_or_lists_all) {
    static constexpr std::array<std::string_view, 3> names{"sync_3_11", "async_3_15", "upfront"};
    EXPECT_EQ(did_you_mean("sync_3_12", names), "did you mean `sync_3_11`?");
    EXPECT_EQ(did_you_mean("upfrnot", names), "did you mean `upfront`?");
    EXPECT_EQ(did_you_mean("zzz", names), "one of: sync_3_11, async_3_15, upfront");
    EXPECT_EQ(did_you_mean("", names), "one of: sync_3_11, async_3_15, upfront");
    EXPECT_EQ(did_you_mean("x", {}), "");
    EXPECT_EQ(did_you_mean(std::string(100'000, 'a'), names),
              "one of: sync_3_11, async_3_15, upfront");
}

TEST(Printable, keeps_text_and_drops_what_a_terminal_would_act_on) {
    EXPECT_EQ(printable("plain"), "plain");
    EXPECT_EQ(printable("Gr\xc3\xbc\xc3\x9f"), "Gr\xc3\xbc\xc3\x9f");
    EXPECT_EQ(printable("\x1b[31m\n\t\x7f"), "?[31m???");
    EXPECT_EQ(printable("\xc2\x9b"), "?") << "a C1 control character";
    EXPECT_EQ(printable("a\xff\xc3"), "a??");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("ab\xc3\xbc", 3), "ab...") << "no half character";
}

TEST(Utf8, finds_the_first_byte_that_does_not_belong) {
    EXPECT_EQ(find_invalid_utf8("ok \xe2\x82\xac \xf0\x9f\x92\xbf"), std::string_view::npos);
    EXPECT_EQ(find_invalid_utf8("ab\x80"), 2u);
    EXPECT_EQ(find_invalid_utf8("\xc0\xaf"), 0u) << "overlong";
    EXPECT_EQ(find_invalid_utf8("\xe0\x80\xaf"), 0u) << "overlong";
    EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0u) << "beyond U+10FFFF";
    EXPECT_EQ(find_invalid_utf8("a\xe2\x82"), 1u) << "cut short";
}

} // namespace
} // namespace spinup::machine
