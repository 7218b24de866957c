#include "emu/remote/dma_windows.hpp"

#include "descriptors.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace spinup::remote {
namespace {

using test::memory_file;

constexpr u32 both = wire::dma_readable | wire::dma_writable;

wire::dma_map window(u64 address, u64 size, u64 offset = 0, u32 flags = both) {
    return {.argsz = 32, .flags = flags, .offset = offset, .address = address, .size = size};
}
wire::dma_unmap range(u64 address, u64 size, u32 flags = 0) {
    return {.argsz = 24, .flags = flags, .address = address, .size = size};
}

bool put(dma_windows& memory, u64 address, const std::string& text) {
    return memory.write(address, text.data(), text.size());
}
/// Nothing if the access fails.
std::string take(dma_windows& memory, u64 address, std::size_t n) {
    std::string text(n, '?');
    return memory.read(address, text.data(), n) ? text : "";
}
std::string in_file(const unique_fd& file, off_t offset, std::size_t n) {
    std::string text(n, '?');
    const auto got = ::pread(file.get(), text.data(), n, offset);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

/// Memory behind messages: remembers the pieces asked for.
struct far_memory final : remote_memory {
    std::size_t read(u64 address, void* into, std::size_t bytes) override {
        const std::size_t n = begin(address, bytes);
        std::memset(into, 'r', n);
        return n;
    }
    std::size_t write(u64 address, const void* from, std::size_t bytes) override {
        const std::size_t n = begin(address, bytes);
        written.append(static_cast<const char*>(from), n);
        return n;
    }
    std::size_t begin(u64 address, std::size_t bytes) {
        asked.emplace_back(address, bytes);
        if (const auto act = std::exchange(meanwhile, nullptr))
            act();
        return std::min(bytes, at_once);
    }
    std::vector<std::pair<u64, std::size_t>> asked;
    std::string written;
    std::size_t at_once = 1000;
    std::function<void()> meanwhile; ///< what the client does before it answers, once
};

/// The same for memory that is mapped and memory that is read and written as a file.
class DmaWindows : public testing::TestWithParam<bool> {
  protected:
    unique_fd file = memory_file(0x10000, GetParam());
    dma_windows memory;
};
INSTANTIATE_TEST_SUITE_P(Sealed, DmaWindows, testing::Bool(),
                         [](const auto& p) { return p.param ? "mapped" : "file"; });

TEST_P(DmaWindows, reach_the_file_when_an_address_is_within) {
    ASSERT_EQ(memory.map(window(0x100000, 0x2000, 0x1000), test::duplicate(file)), 0);
    ASSERT_TRUE(put(memory, 0x100010, "hello"));
    EXPECT_EQ(in_file(file, 0x1010, 5), "hello");
    ASSERT_EQ(::pwrite(file.get(), "guest", 5, 0x2FFB), 5);
    EXPECT_EQ(take(memory, 0x101FFB, 5), "guest");
}

TEST_P(DmaWindows, take_an_offset_that_is_not_a_page) {
    ASSERT_EQ(memory.map(window(0x5003, 100, 0x1234), test::duplicate(file)), 0);
    ASSERT_TRUE(put(memory, 0x5003, "first"));
    ASSERT_TRUE(put(memory, 0x5003 + 96, "last"));
    EXPECT_EQ(in_file(file, 0x1234, 5), "first");
    EXPECT_EQ(in_file(file, 0x1234 + 96, 4), "last");
    EXPECT_FALSE(put(memory, 0x5002, "x"));
    EXPECT_FALSE(put(memory, 0x5003 + 100, "x"));
}

TEST_P(DmaWindows, refuse_what_is_outside) {
    ASSERT_EQ(memory.map(window(0x1000, 0x1000), test::duplicate(file)), 0);
    for (const u64 address : {u64{0}, u64{0xFFF}, u64{0x2000}, ~u64{0}}) {
        EXPECT_EQ(take(memory, address, 1), "") << address;
        EXPECT_FALSE(put(memory, address, "x")) << address;
    }
    EXPECT_EQ(take(memory, 0x1FFF, 2), "") << "half outside";
    EXPECT_EQ(take(memory, 0x1FFF, 1).size(), 1u);
}

TEST_P(DmaWindows, join_where_they_touch_in_address) {
    ASSERT_EQ(memory.map(window(0x3000, 0x1000, 0x8000), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(0x1000, 0x1000, 0x4000), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(0x2000, 0x1000, 0x0000), test::duplicate(file)), 0);
    const std::string text(0x1800, 'j');
    ASSERT_TRUE(put(memory, 0x1C00, text));
    EXPECT_EQ(take(memory, 0x1C00, text.size()), text);
    EXPECT_EQ(in_file(file, 0x4C00, 0x400), std::string(0x400, 'j'));
    EXPECT_EQ(in_file(file, 0x0000, 0x1000), std::string(0x1000, 'j'));
    EXPECT_EQ(in_file(file, 0x8000, 0x401), std::string(0x400, 'j') + '\0');
}

TEST_P(DmaWindows, keep_to_their_flags) {
    ASSERT_EQ(memory.map(window(0x1000, 0x1000, 0, wire::dma_readable), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(0x2000, 0x1000, 0, wire::dma_writable), test::duplicate(file)), 0);
    EXPECT_EQ(take(memory, 0x1000, 4).size(), 4u);
    EXPECT_FALSE(put(memory, 0x1000, "x"));
    EXPECT_EQ(take(memory, 0x2000, 4), "");
    EXPECT_TRUE(put(memory, 0x2000, "x"));
}

TEST_P(DmaWindows, move_nothing_when_disabled) {
    ASSERT_EQ(memory.map(window(0x1000, 0x1000), test::duplicate(file)), 0);
    memory.set_enabled(false);
    EXPECT_FALSE(put(memory, 0x1000, "no"));
    EXPECT_EQ(take(memory, 0x1000, 2), "");
    EXPECT_EQ(in_file(file, 0, 2), std::string(2, '\0'));
    memory.set_enabled(true);
    EXPECT_TRUE(put(memory, 0x1000, "yes"));
}

TEST_P(DmaWindows, are_gone_after_unmap) {
    const int free_before = test::next_descriptor();
    ASSERT_EQ(memory.map(window(0x1000, 0x1000, 0x1000), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(0x2000, 0x1000, 0x2000), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(0x4000, 0x1000, 0x4000), test::duplicate(file)), 0);
    ASSERT_TRUE(put(memory, 0x4000, "x")) << "and this one is where the next look begins";
    EXPECT_EQ(memory.unmap(range(0x1000, 0x1000)), 0);
    EXPECT_FALSE(put(memory, 0x1000, "x"));
    EXPECT_TRUE(put(memory, 0x2000, "x"));
    EXPECT_TRUE(put(memory, 0x4000, "x"));
    EXPECT_EQ(memory.unmap(range(0, 0x10000)), 0) << "several, and the holes between them";
    EXPECT_FALSE(put(memory, 0x2000, "x"));
    EXPECT_FALSE(put(memory, 0x4000, "x"));
    EXPECT_EQ(memory.unmap(range(0x1000, 0x1000)), ENOENT);
    EXPECT_EQ(test::next_descriptor(), free_before);
}

TEST_P(DmaWindows, all_go_with_the_flag) {
    ASSERT_EQ(memory.map(window(0, 0x1000), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(~u64{0xFFF}, 0x1000), test::duplicate(file)), 0);
    EXPECT_TRUE(put(memory, ~u64{0}, "x")) << "the last byte there is";
    EXPECT_FALSE(put(memory, ~u64{0}, "xx")) << "and no way around the end";
    EXPECT_EQ(memory.unmap(range(0, 0, wire::dma_unmap_all)), 0);
    EXPECT_FALSE(put(memory, 0, "x"));
    EXPECT_FALSE(put(memory, ~u64{0}, "x"));
    EXPECT_EQ(memory.unmap(range(0, 0, wire::dma_unmap_all)), 0) << "none is not an error here";
}

TEST_P(DmaWindows, refuse_a_map_that_the_file_does_not_hold) {
    EXPECT_EQ(memory.map(window(0, 0x10001), test::duplicate(file)), EINVAL);
    EXPECT_EQ(memory.map(window(0, 0x1000, 0xF001), test::duplicate(file)), EINVAL);
    EXPECT_EQ(memory.map(window(0, 0x1000, ~u64{0xFFF}), test::duplicate(file)), EINVAL);
    EXPECT_EQ(memory.map(window(0, u64{1} << 63, u64{1} << 63), test::duplicate(file)), EINVAL);
    EXPECT_EQ(memory.map(window(0, 0x1000, 0xF000), test::duplicate(file)), 0)
        << "up to the last byte";
}

TEST_P(DmaWindows, ask_for_no_more_than_the_file_was_opened_for) {
    const std::string path = "/proc/self/fd/" + std::to_string(file.get());
    const unique_fd read_only{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    ASSERT_TRUE(read_only);
    EXPECT_EQ(memory.map(window(0, 0x1000), test::duplicate(read_only)), EACCES);
    EXPECT_EQ(memory.map(window(0, 0x1000, 0, wire::dma_readable), test::duplicate(read_only)), 0);
    EXPECT_EQ(take(memory, 0, 1).size(), 1u);
}

TEST(DmaWindow, survives_a_file_that_is_cut_off) {
    const unique_fd file = memory_file(0x4000, false);
    dma_windows memory;
    ASSERT_EQ(memory.map(window(0, 0x4000), test::duplicate(file)), 0);
    ASSERT_EQ(::ftruncate(file.get(), 0x1800), 0);
    EXPECT_EQ(take(memory, 0x2000, 16), "");
    EXPECT_FALSE(put(memory, 0x2000, "gone"));
    EXPECT_EQ(take(memory, 0x17F8, 16), "") << "half of it";
    EXPECT_EQ(take(memory, 0x17F8, 8).size(), 8u);
    EXPECT_EQ(::lseek(file.get(), 0, SEEK_END), 0x1800) << "a write does not make it longer";
}

TEST(DmaWindow, takes_only_files_that_are_memory) {
    dma_windows memory;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const unique_fd reader{ends[0]};
    const unique_fd writer{ends[1]};
    const unique_fd zero{::open("/dev/zero", O_RDWR | O_CLOEXEC)};
    const unique_fd folder{::open("/", O_RDONLY | O_CLOEXEC)};
    for (const auto* fd : {&reader, &writer, &zero, &folder})
        EXPECT_EQ(memory.map(window(0, 1, 0, wire::dma_readable), test::duplicate(*fd)), EINVAL);
    EXPECT_EQ(memory.map(window(0, 1), test::make_eventfd()), EINVAL);
}

TEST(DmaWindow, refuses_a_map_without_sense) {
    dma_windows memory;
    EXPECT_EQ(memory.map(window(0x1000, 0), {}), EINVAL);
    EXPECT_EQ(memory.map(window(0x1000, 0x1000, 0, 0), {}), EINVAL);
    EXPECT_EQ(memory.map(window(0x1000, 0x1000, 0, both | 4), {}), EINVAL);
    EXPECT_EQ(memory.map(window(~u64{0xFFF}, 0x1001), {}), EINVAL);
    EXPECT_EQ(memory.map(window(2, ~u64{0}), {}), EINVAL);
    EXPECT_EQ(memory.map(window(0x1000, 0x1000), {}), 0);
}

TEST(DmaWindow, refuses_to_overlap_another) {
    dma_windows memory;
    ASSERT_EQ(memory.map(window(0x2000, 0x2000), {}), 0);
    ASSERT_EQ(memory.map(window(0x8000, 0x1000), {}), 0);
    for (const auto& w : {window(0x2000, 0x2000), window(0x1000, 0x1001), window(0x3FFF, 1),
                          window(0x2800, 0x10), window(0, 0x10000), window(0x4000, 0x4001)})
        EXPECT_EQ(memory.map(w, {}), EEXIST) << w.address;
    EXPECT_EQ(memory.map(window(0x4000, 0x4000), {}), 0) << "just between the two";
}

TEST(DmaWindow, refuses_an_unmap_that_would_split_one) {
    dma_windows memory;
    far_memory far;
    memory.set_remote(&far);
    ASSERT_EQ(memory.map(window(0x1000, 0x1000), {}), 0);
    ASSERT_EQ(memory.map(window(0x2000, 0x2000), {}), 0);
    for (const auto& r : {range(0x1000, 0x1800), range(0x2800, 0x100), range(0x1001, 0x5000),
                          range(0, 0x3FFF), range(0x1000, 0), range(0x2000, ~u64{0}),
                          range(0x1000, 0x1000, 1), range(0x1000, 0x1000, wire::dma_unmap_all)})
        EXPECT_EQ(memory.unmap(r), EINVAL) << r.address << " " << r.size;
    EXPECT_EQ(take(memory, 0x1000, 0x3000).size(), 0x3000u) << "all are still there";
}

TEST(DmaWindow, has_a_limit_on_their_number) {
    dma_windows memory;
    for (u64 i = 0; i < wire::max_windows; ++i)
        ASSERT_EQ(memory.map(window(i * 0x2000, 0x1000), {}), 0);
    EXPECT_EQ(memory.map(window(0x1000, 0x1000), {}), ENOSPC);
    ASSERT_EQ(memory.unmap(range(0x4000, 0x1000)), 0);
    EXPECT_EQ(memory.map(window(0x1000, 0x1000), {}), 0);
}

TEST(DmaWindow, without_a_file_is_asked_for_by_messages) {
    const unique_fd file = memory_file(0x1000);
    dma_windows memory;
    far_memory far;
    ASSERT_EQ(memory.map(window(0x1000, 0x1000), test::duplicate(file)), 0);
    ASSERT_EQ(memory.map(window(0x2000, 0x1000), {}), 0);
    EXPECT_FALSE(put(memory, 0x2000, "x")) << "nobody to ask";
    memory.set_remote(&far);
    EXPECT_EQ(take(memory, 0x1FFE, 4), std::string("\0\0rr", 4));
    ASSERT_TRUE(put(memory, 0x1FFE, "abcd"));
    EXPECT_EQ(far.written, "cd");
    EXPECT_EQ(far.asked, (std::vector<std::pair<u64, std::size_t>>{{0x2000, 2}, {0x2000, 2}}));
    far.at_once = 0;
    EXPECT_FALSE(put(memory, 0x2000, "x"));
    EXPECT_EQ(take(memory, 0x2000, 1), "");
}

TEST(DmaWindow, is_moved_in_as_many_messages_as_it_takes) {
    dma_windows memory;
    far_memory far;
    memory.set_remote(&far);
    ASSERT_EQ(memory.map(window(0x1000, 0x1000), {}), 0);
    far.at_once = 3;
    ASSERT_TRUE(put(memory, 0x1000, "abcdefgh"));
    EXPECT_EQ(far.written, "abcdefgh");
    EXPECT_EQ(far.asked,
              (std::vector<std::pair<u64, std::size_t>>{{0x1000, 8}, {0x1003, 5}, {0x1006, 2}}));
    EXPECT_EQ(take(memory, 0x1000, 8), "rrrrrrrr");
}

TEST(DmaWindow, is_looked_up_again_after_each_message) {
    dma_windows memory;
    far_memory far;
    memory.set_remote(&far);
    far.at_once = 3;
    const auto map_it = [&] { ASSERT_EQ(memory.map(window(0x1000, 0x1000), {}), 0); };
    map_it();
    far.meanwhile = [&] { memory.unmap_all(); };
    EXPECT_FALSE(put(memory, 0x1000, "abcdef")) << "it is gone after three bytes";
    map_it();
    far.meanwhile = [&] { memory.set_enabled(false); };
    EXPECT_FALSE(put(memory, 0x1000, "abcdef")) << "and so is access to all";
    memory.set_enabled(true);
    EXPECT_EQ(far.asked.size(), 2u);

    const unique_fd file = memory_file(0x1000);
    far.meanwhile = [&] {
        memory.unmap_all();
        ASSERT_EQ(memory.map(window(0, 0x400), {}), 0); // the others' places change
        ASSERT_EQ(memory.map(window(0x1003, 0x100, 3), test::duplicate(file)), 0);
    };
    EXPECT_TRUE(put(memory, 0x1000, "abcdef"));
    EXPECT_EQ(in_file(file, 3, 3), "def");
}

TEST(DmaWindow, does_not_take_a_file_that_appends) {
    const unique_fd file = memory_file(0x4000, false);
    const std::string path = "/proc/self/fd/" + std::to_string(file.get());
    dma_windows memory;
    EXPECT_EQ(memory.map(window(0, 0x1000), unique_fd{::open(path.c_str(), O_RDWR | O_APPEND)}),
              EINVAL);
    EXPECT_EQ(memory.map(window(0, 0x1000), unique_fd{::open(path.c_str(), O_RDWR)}), 0);
}

TEST(DmaWindow, has_a_limit_on_the_files_that_stay_open) {
    const unique_fd file = memory_file(0x1000, false);
    const unique_fd sealed = memory_file(0x1000);
    dma_windows memory;
    for (u64 i = 0; i < wire::max_window_files; ++i)
        ASSERT_EQ(memory.map(window(i * 0x2000, 0x1000), test::duplicate(file)), 0);
    const int free_before = test::next_descriptor();
    EXPECT_EQ(memory.map(window(0x1000, 0x1000), test::duplicate(file)), ENOSPC);
    EXPECT_EQ(memory.map(window(0x1000, 0x1000), test::duplicate(sealed)), 0) << "keeps none";
    EXPECT_EQ(test::next_descriptor(), free_before);
    ASSERT_EQ(memory.unmap(range(0x4000, 0x1000)), 0);
    EXPECT_EQ(memory.map(window(0x4000, 0x1000), test::duplicate(file)), 0);
}

} // namespace
} // namespace spinup::remote
