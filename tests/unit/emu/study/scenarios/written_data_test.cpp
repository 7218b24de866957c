#include "emu/study/scenarios/written_data.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace spinup::study {
namespace {

using block = std::array<std::byte, 512>;

TEST(WrittenData, MayReturnWhatWasThereBeforeTheFirstWriteOnly) {
    written_data data{8};
    EXPECT_TRUE(data.may_return(0, data.read_begins()));
    const u32 first = data.write_begins();
    EXPECT_TRUE(data.may_return(0, data.read_begins()));
    EXPECT_TRUE(data.may_return(first, data.read_begins()));
    data.write_is_acknowledged(first);
    EXPECT_FALSE(data.may_return(0, data.read_begins()));
    EXPECT_TRUE(data.may_return(first, data.read_begins()));
}

TEST(WrittenData, MayReturnWhatWasThereWhenTheReadBegan) {
    written_data data{8};
    const u64 began = data.read_begins();
    data.write_is_acknowledged(data.write_begins());
    EXPECT_TRUE(data.may_return(0, began));
    EXPECT_TRUE(data.may_return(1, began));
}

TEST(WrittenData, TakesWritesThatOverlapInEitherOrder) {
    written_data data{8};
    const u32 one = data.write_begins();
    const u32 two = data.write_begins();
    data.write_is_acknowledged(two);
    data.write_is_acknowledged(one);
    EXPECT_TRUE(data.may_return(one, data.read_begins()));
    EXPECT_TRUE(data.may_return(two, data.read_begins()));
    const u32 three = data.write_begins();
    data.write_is_acknowledged(three);
    EXPECT_FALSE(data.may_return(one, data.read_begins()));
    EXPECT_FALSE(data.may_return(two, data.read_begins()));
}

TEST(WrittenData, LetsAFailedWriteTakeEffectAtAnyTime) {
    written_data data{8};
    const u32 failed = data.write_begins();
    const u32 good = data.write_begins();
    data.write_is_acknowledged(good);
    EXPECT_TRUE(data.may_return(failed, data.read_begins()));
    EXPECT_TRUE(data.may_return(good, data.read_begins()));
}

TEST(WrittenData, KnowsNoVersionThatWasNeverWritten) {
    written_data data{8};
    EXPECT_FALSE(data.may_return(1, data.read_begins()));
}

TEST(WrittenData, ReadsWhatItHasFilled) {
    written_data data{8};
    block b{};
    data.fill(b, 3);
    EXPECT_EQ(data.version_of(b), 3u);
    EXPECT_EQ(written_data{9}.version_of(b), std::nullopt) << "another place";
    b[500] ^= std::byte{1};
    EXPECT_EQ(data.version_of(b), std::nullopt) << "torn";
}

TEST(WrittenData, KnowsASectorThatWasNeverWritten) {
    block b{};
    const u64 address = 8;
    std::memcpy(b.data(), &address, sizeof address);
    EXPECT_EQ(written_data{8}.version_of(b), 0u);
    EXPECT_EQ(written_data{9}.version_of(b), std::nullopt);
    b[100] = std::byte{1};
    EXPECT_EQ(written_data{8}.version_of(b), std::nullopt);
}

} // namespace
} // namespace spinup::study
