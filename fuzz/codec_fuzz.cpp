// One message of the vfio-user protocol, of any shape: it becomes a request that stays within its
// bytes, or a refusal; and what came with it is closed.
#include "emu/remote/codec.hpp"
#include "fuzz/input.hpp"
#include "tests/support/vfio_client.hpp"

#include <spinup/base/check.hpp>

namespace spinup::fuzz {
namespace {

using namespace remote;

bool within(std::span<const u8> part, std::span<const u8> whole) {
    return part.empty() || (part.data() >= whole.data() &&
                            part.data() + part.size() <= whole.data() + whole.size());
}

void check(const request& r, std::span<const u8> message) {
    if (const auto* v = std::get_if<ask::version>(&r.body)) {
        CHECK(v->max_data_transfer != 0 && v->max_data_transfer <= wire::max_data_transfer);
        CHECK(version_reply(v->reply_room).size() <= v->reply_room);
    } else if (const auto* w = std::get_if<ask::region_write>(&r.body)) {
        CHECK(w->data.size() == w->what.count && within(w->data, message));
    } else if (const auto* read = std::get_if<ask::region_read>(&r.body)) {
        CHECK(read->what.count != 0 && read->what.count <= wire::max_data_transfer);
    } else if (const auto* i = std::get_if<ask::set_irqs>(&r.body)) {
        CHECK(within(i->flags, message));
        CHECK(i->eventfds.empty() || i->eventfds.size() == i->what.count);
    } else if (const auto* m = std::get_if<ask::dma_map>(&r.body)) {
        CHECK(m->what.size != 0 && m->what.address + (m->what.size - 1) >= m->what.address);
    }
}

void run(input in) {
    const u8 knobs = in.byte();
    std::vector<unique_fd> fds;
    for (u32 i = 0; i < knobs % 4u; ++i)
        fds.push_back(test::new_eventfd());
    auto message = in.bytes(wire::max_message);
    if (message.size() < sizeof(wire::header))
        return;
    wire::header h = header_of(message);
    plausible(h);
    h.size = static_cast<u32>(message.size());
    std::memcpy(message.data(), &h, sizeof(h));
    const auto decoded = decode(message, std::move(fds));
    std::vector<u8> out;
    if (const auto* r = std::get_if<request>(&decoded)) {
        CHECK(static_cast<u16>(r->command) == h.command && r->id == h.id);
        check(*r, message);
        encode_reply(out, *r, {});
    } else {
        const auto& no = std::get<refusal>(decoded);
        CHECK(no.error_number > 0);
        encode_error(out, no);
    }
    CHECK(out.size() == sizeof(wire::header));
}

} // namespace
} // namespace spinup::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bool with_fds = size != 0 && data[0] % 4 != 0;
    const std::size_t before = with_fds ? spinup::fuzz::open_descriptors() : 0;
    spinup::fuzz::run({data, size});
    CHECK(!with_fds || spinup::fuzz::open_descriptors() == before);
    return 0;
}
