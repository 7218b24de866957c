// A table of messages and what becomes of them; then properties over what a table cannot list.
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <set>
#include <rapidcheck/gtest.h>

#include "emu/remote/codec.hpp"
#include "tests/support/vfio_client.hpp"

namespace spinup::remote {
namespace {

using test::joined;
using test::vfio_client;
using bytes = std::vector<u8>;

bytes version_payload(std::string_view text, u16 major = 0, bool nul = true) {
    return joined(wire::version{major, 0}, text, bytes(nul ? 1 : 0));
}

std::vector<unique_fd> some_fds(std::size_t n) {
    std::vector<unique_fd> fds;
    while (fds.size() < n)
        fds.push_back(test::new_eventfd());
    return fds;
}

struct shape {
    const char* what;
    wire::command command;
    bytes payload;
    std::size_t fds = 0;
    int error = 0;
};

using wire::command;
constexpr u64 top = ~0ull;
constexpr u32 rw = wire::dma_readable | wire::dma_writable;
constexpr u32 none = wire::set_data_none;
constexpr u32 efd = wire::set_data_eventfd;
constexpr u32 bools = wire::set_data_bool;
constexpr u32 trigger = wire::set_action_trigger;

bytes map(u32 argsz, u32 flags, u64 offset, u64 address, u64 size) {
    return joined(wire::dma_map{argsz, flags, offset, address, size});
}
bytes unmap(u32 argsz, u32 flags, u64 address, u64 size) {
    return joined(wire::dma_unmap{argsz, flags, address, size});
}
bytes irqs(u32 flags, u32 start, u32 count, u32 argsz = 20) {
    return joined(wire::set_irqs{argsz, flags, 1, start, count});
}
bytes access(u64 offset, u32 count) { return joined(wire::region_access{offset, 5, count}); }
bytes access(u64 offset, u32 count, std::size_t data) {
    return joined(access(offset, count), bytes(data));
}

const shape shapes[] = {
    {"what QEMU says", command::version, version_payload(vfio_client::qemu_version)},
    {"no text", command::version, joined(wire::version{0, 0})},
    {"no capabilities", command::version, version_payload("{}")},
    {"another major", command::version, version_payload("{}", 1), 0, EINVAL},
    {"no NUL", command::version, version_payload("{}", 0, false), 0, EINVAL},
    {"a NUL inside", command::version, version_payload({"{\0}", 3}), 0, EINVAL},
    {"half JSON", command::version, version_payload("{\"a\":"), 0, EINVAL},
    {"no object", command::version, version_payload("[]"), 0, EINVAL},
    {"deep JSON", command::version, version_payload(std::string(4000, '[')), 0, EINVAL},
    {"capabilities of a wrong kind", command::version, version_payload(R"({"capabilities":1})"), 0,
     EINVAL},
    {"a limit of a wrong kind", command::version,
     version_payload(R"({"capabilities":{"max_data_xfer_size":-1}})"), 0, EINVAL},
    {"a limit below a page", command::version,
     version_payload(R"({"capabilities":{"max_data_xfer_size":4095}})"), 0, EINVAL},
    {"long text", command::version, version_payload(R"({"a":")" + std::string(5000, 'x') + R"("})"),
     0, EINVAL},
    {"too short", command::version, bytes(3), 0, EINVAL},
    {"a descriptor", command::version, version_payload("{}"), 1, EINVAL},

    {"with a file", command::dma_map, map(32, rw, 0, 0x1000, 0x1000), 1},
    {"without a file", command::dma_map, map(32, wire::dma_readable, 0, 0xC0000, 0x8000)},
    {"the last byte there is", command::dma_map, map(32, rw, 0, top, 1)},
    {"two files", command::dma_map, map(32, rw, 0, 0x1000, 0x1000), 2, EINVAL},
    {"nothing", command::dma_map, map(32, rw, 0, 0x1000, 0), 0, EINVAL},
    {"around the end", command::dma_map, map(32, rw, 0, top, 2), 0, EINVAL},
    {"around the file's end", command::dma_map, map(32, rw, top, 0, 0x1000), 1, EINVAL},
    {"unknown flags", command::dma_map, map(32, 4, 0, 0, 0x1000), 0, EINVAL},
    {"small argsz", command::dma_map, map(31, rw, 0, 0, 0x1000), 0, EINVAL},
    {"too long", command::dma_map, bytes(33, 1), 0, EINVAL},

    {"one", command::dma_unmap, unmap(24, 0, 0x1000, 0x1000)},
    {"all", command::dma_unmap, unmap(24, wire::dma_unmap_all, 0, 0)},
    {"all of something", command::dma_unmap, unmap(24, wire::dma_unmap_all, 0, 1), 0, EINVAL},
    {"with a bitmap", command::dma_unmap, unmap(24, 1, 0x1000, 0x1000), 0, EINVAL},
    {"nothing", command::dma_unmap, unmap(24, 0, 0x1000, 0), 0, EINVAL},
    {"around the end", command::dma_unmap, unmap(24, 0, 0x1000, top), 0, EINVAL},

    {"", command::device_get_info, joined(wire::device_info{16, 0, 0, 0})},
    {"short", command::device_get_info, bytes(15), 0, EINVAL},
    {"small argsz", command::device_get_info, joined(wire::device_info{15, 0, 0, 0}), 0, EINVAL},
    {"", command::device_get_region_info, joined(wire::region_info{32, 0, 5, 0, 0, 0})},
    {"any index", command::device_get_region_info, joined(wire::region_info{64, 0, ~0u, 0, 0, 0})},
    {"long", command::device_get_region_info, bytes(33, 255), 0, EINVAL},
    {"", command::device_get_irq_info, joined(wire::irq_info{16, 0, 1, 0})},
    {"short", command::device_get_irq_info, bytes(1), 0, EINVAL},

    {"off", command::device_set_irqs, irqs(none | trigger, 0, 0)},
    {"an eventfd", command::device_set_irqs, irqs(efd | trigger, 0, 1), 1},
    {"no eventfd any more", command::device_set_irqs, irqs(efd | trigger, 0, 1)},
    {"unmask", command::device_set_irqs, irqs(none | wire::set_action_unmask, 0, 1)},
    {"bools", command::device_set_irqs,
     joined(wire::set_irqs{20, bools | trigger, 0, 0, 2}, u16{})},
    {"too few bools", command::device_set_irqs,
     joined(wire::set_irqs{20, bools | trigger, 0, 0, 3}, u16{}), 0, EINVAL},
    {"far too many bools", command::device_set_irqs,
     joined(wire::set_irqs{20, bools | trigger, 0, 0, ~0u}, u16{}), 0, EINVAL},
    {"too few eventfds", command::device_set_irqs, irqs(efd | trigger, 0, 3), 2, EINVAL},
    {"an eventfd for nothing", command::device_set_irqs, irqs(none | trigger, 0, 1), 1, EINVAL},
    {"zero eventfds", command::device_set_irqs, irqs(efd | trigger, 0, 0), 0, EINVAL},
    {"none to unmask", command::device_set_irqs, irqs(none | wire::set_action_unmask, 0, 0), 0,
     EINVAL},
    {"zero bools", command::device_set_irqs, irqs(bools | trigger, 0, 0), 0, EINVAL},
    {"no kind", command::device_set_irqs, irqs(trigger, 0, 1), 0, EINVAL},
    {"no flags", command::device_set_irqs, irqs(0, 0, 1), 0, EINVAL},
    {"two kinds", command::device_set_irqs, irqs(none | efd | trigger, 0, 1), 0, EINVAL},
    {"two actions", command::device_set_irqs, irqs(none | trigger | 8, 0, 1), 0, EINVAL},
    {"no action", command::device_set_irqs, irqs(none, 0, 1), 0, EINVAL},
    {"an unknown flag", command::device_set_irqs, irqs(none | trigger | 64, 0, 1), 0, EINVAL},
    {"small argsz", command::device_set_irqs, irqs(none | trigger, 0, 1, 19), 0, EINVAL},
    {"short", command::device_set_irqs, bytes(19), 0, EINVAL},

    {"a register", command::region_read, access(0x100, 4)},
    {"as much as may be", command::region_read, access(0, wire::max_data_transfer)},
    {"more", command::region_read, access(0, wire::max_data_transfer + 1), 0, EINVAL},
    {"nothing", command::region_read, access(0, 0), 0, EINVAL},
    {"around the end", command::region_read, access(top, 2), 0, EINVAL},
    {"with data", command::region_read, access(0, 4, 4), 0, EINVAL},
    {"with a descriptor", command::region_read, access(0, 4), 1, EINVAL},
    {"a register", command::region_write, access(0x100, 4, 4)},
    {"as much as may be", command::region_write,
     access(0, wire::max_data_transfer, wire::max_data_transfer)},
    {"less data than it says", command::region_write, access(0, 8, 4), 0, EINVAL},
    {"more data than it says", command::region_write, access(0, 4, 8), 0, EINVAL},
    {"nothing", command::region_write, access(0, 0, 0), 0, EINVAL},
    {"short", command::region_write, bytes(15), 0, EINVAL},

    {"", command::device_reset, {}},
    {"with a payload", command::device_reset, bytes(1), 0, EINVAL},
    {"not offered", command::region_write_multi, bytes(64), 0, EOPNOTSUPP},
    {"not known", command::device_feature, bytes(8), 0, EOPNOTSUPP},
    {"not known", command::device_get_region_io_fds, bytes(16), 0, EOPNOTSUPP},
    {"not known", static_cast<command>(0), {}, 0, EOPNOTSUPP},
    {"not known", static_cast<command>(0xFFFF), {}, 3, EOPNOTSUPP},
};

TEST(Codec, takes_what_is_right_and_refuses_what_is_not) {
    for (const auto& s : shapes) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(s.command) << ": " << s.what);
        for (const u32 flags : {0u, wire::no_reply}) {
            const bytes m = vfio_client::build(7, s.command, s.payload, flags);
            const auto d = decode(m, some_fds(s.fds));
            if (s.error == 0) {
                const auto* r = std::get_if<request>(&d);
                ASSERT_NE(r, nullptr);
                EXPECT_EQ(r->id, 7);
                EXPECT_EQ(r->command, s.command);
                EXPECT_EQ(r->posted, flags != 0);
            } else {
                const auto* r = std::get_if<refusal>(&d);
                ASSERT_NE(r, nullptr);
                EXPECT_EQ(r->id, 7);
                EXPECT_EQ(r->command, static_cast<u16>(s.command));
                EXPECT_EQ(r->posted, flags != 0);
                EXPECT_EQ(r->error_number, s.error);
            }
        }
    }
}

TEST(Codec, every_command_of_a_client_is_in_the_table_with_both_outcomes) {
    std::set<command> taken;
    std::set<command> refused;
    for (const auto& s : shapes)
        (s.error == 0 ? taken : refused).insert(s.command);
    EXPECT_EQ(taken.size(), 10u);
    for (const command c : taken)
        EXPECT_TRUE(refused.count(c)) << static_cast<int>(c);
}

TEST(Codec, passes_on_what_the_client_says) {
    const bytes v = vfio_client::build(1, command::version, version_payload(R"({"capabilities":
                                           {"max_data_xfer_size":8192}})"));
    const auto d = decode(v, {});
    const auto& version = std::get<ask::version>(std::get<request>(d).body);
    EXPECT_EQ(version.max_data_transfer, 8192u);
    EXPECT_EQ(version.reply_room, v.size() - sizeof(wire::header));

    const bytes w =
        vfio_client::build(1, command::region_write, vfio_client::write_of(5, 0x118, 0xAABBCCDD));
    const auto e = decode(w, {});
    const auto& write = std::get<ask::region_write>(std::get<request>(e).body);
    EXPECT_EQ(write.what.region, 5u);
    EXPECT_EQ(write.what.offset, 0x118u);
    EXPECT_EQ(bytes(write.data.begin(), write.data.end()), (bytes{0xDD, 0xCC, 0xBB, 0xAA}));
}

TEST(Codec, a_client_cannot_raise_our_limit) {
    const bytes v = vfio_client::build(1, command::version, version_payload(R"({"capabilities":
                                           {"max_data_xfer_size":18446744073709551615}})"));
    const auto d = decode(v, {});
    EXPECT_EQ(std::get<ask::version>(std::get<request>(d).body).max_data_transfer,
              wire::max_data_transfer);
}

TEST(Codec, refused_descriptors_are_closed_and_taken_ones_are_not) {
    auto fds = some_fds(1);
    const int fd = fds.front().get();
    {
        const auto d = decode(vfio_client::build(1, command::dma_map, map(32, rw, 0, 0, 4096)),
                              std::move(fds));
        EXPECT_EQ(std::get<ask::dma_map>(std::get<request>(d).body).file.get(), fd);
        EXPECT_NE(::fcntl(fd, F_GETFD), -1);
    }
    EXPECT_EQ(::fcntl(fd, F_GETFD), -1);

    fds = some_fds(2);
    const int first = fds[0].get();
    const int second = fds[1].get();
    decode(vfio_client::build(1, command::dma_map, map(32, rw, 0, 0, 4096)), std::move(fds));
    EXPECT_EQ(::fcntl(first, F_GETFD), -1);
    EXPECT_EQ(::fcntl(second, F_GETFD), -1);
}

TEST(Codec, a_header_tells_whether_the_stream_can_be_trusted) {
    const auto h = [](command c, u32 size, u32 flags) {
        return wire::header{1, static_cast<u16>(c), size, flags, 0};
    };
    EXPECT_TRUE(plausible(h(command::device_reset, 16, 0)));
    EXPECT_TRUE(plausible(h(command::region_write, wire::max_message, wire::no_reply)));
    EXPECT_TRUE(plausible(h(command::device_feature, 24, 0)));
    EXPECT_TRUE(plausible(h(command::dma_read, 32, wire::type_reply)));
    EXPECT_TRUE(plausible(h(command::dma_write, 16, wire::type_reply | wire::error)));
    EXPECT_FALSE(plausible(h(command::device_reset, 15, 0)));
    EXPECT_FALSE(plausible(h(command::device_reset, 0, 0)));
    EXPECT_FALSE(plausible(h(command::region_write, wire::max_message + 1, 0)));
    EXPECT_FALSE(plausible(h(command::region_write, ~0u, 0)));
    EXPECT_FALSE(plausible(h(command::dma_read, 32, 0)));
    EXPECT_FALSE(plausible(h(command::region_read, 36, wire::type_reply)));
    EXPECT_FALSE(plausible(h(command::region_read, 32, 2)));
}

TEST(Codec, replies_are_what_clients_expect) {
    bytes out;
    request r;
    r.id = 0x1234;
    r.command = command::device_get_info;
    encode_reply(out, r, bytes{1, 2, 3});
    EXPECT_EQ(out, (bytes{0x34, 0x12, 4, 0, 19, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}));
    out.clear();
    encode_error(out, {9, 2, false, EINVAL});
    EXPECT_EQ(out, (bytes{9, 0, 2, 0, 16, 0, 0, 0, 0x21, 0, 0, 0, EINVAL, 0, 0, 0}));
    out.clear();
    encode_dma_write(out, 5, 0x1'0000'0000, bytes{7}, dma_layout::specified);
    EXPECT_EQ(out, (bytes{5, 0, 12, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                          0, 0, 0,  1, 0,  0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7}));
    out.clear(); // behind another: this is what QEMU 11.1 takes
    encode_dma_read(out, 4, 0, 1);
    const auto before = static_cast<std::ptrdiff_t>(out.size());
    encode_dma_write(out, 5, 0x1'0000'0000, bytes{7}, dma_layout::count32);
    EXPECT_EQ(bytes(out.begin() + before, out.end()),
              (bytes{5, 0, 12, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                     0, 0, 0,  1, 0,  0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0}));
}

TEST(Codec, the_version_never_takes_more_room_than_the_client_has) {
    const std::string all = version_reply(4096);
    EXPECT_EQ(all.substr(0, 4), std::string(4, '\0'));
    EXPECT_EQ(all.back(), '\0');
    EXPECT_NE(all.find("\"max_data_xfer_size\":1048576"), std::string::npos);
    EXPECT_NE(all.find("\"max_msg_fds\":8"), std::string::npos);
    const auto room = static_cast<u32>(all.size());
    EXPECT_EQ(version_reply(room), all);
    EXPECT_EQ(version_reply(room - 1), std::string(4, '\0'));
    EXPECT_EQ(version_reply(4), std::string(4, '\0'));
}

RC_GTEST_PROP(Codec, any_message_is_either_a_request_that_fits_it_or_an_error, ()) {
    const auto command_number = *rc::gen::inRange<u16>(0, 18);
    const auto payload = *rc::gen::arbitrary<bytes>();
    const auto flags = *rc::gen::element<u32>(0, wire::no_reply, 1, wire::error, 0x100);
    const auto fds = *rc::gen::inRange<std::size_t>(0, 3);
    const bytes m = vfio_client::build(3, static_cast<command>(command_number), payload, flags);
    const auto d = decode(m, some_fds(fds));
    if (const auto* r = std::get_if<refusal>(&d)) {
        RC_ASSERT(r->error_number == EINVAL || r->error_number == EOPNOTSUPP);
        RC_ASSERT(r->id == 3 && r->command == command_number);
        return;
    }
    const auto& r = std::get<request>(d);
    RC_ASSERT(static_cast<u16>(r.command) == command_number);
    RC_ASSERT((flags & ~wire::no_reply) == 0u);
    if (const auto* w = std::get_if<ask::region_write>(&r.body))
        RC_ASSERT(w->data.size() == w->what.count && w->data.data() >= m.data() &&
                  w->data.data() + w->data.size() <= m.data() + m.size());
}

} // namespace
} // namespace spinup::remote
