#include "emu/remote/codec.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <spinup/base/check.hpp>

namespace spinup::remote {

namespace {

// A VERSION's text. QEMU's has some 200 bytes (3.3); a parser need not see a megabyte.
constexpr std::size_t version_text_max = 4096;
// The least that a client may offer to take in one message: a page, the unit of its memory.
constexpr u64 least_transfer = 4096;

using bytes = std::span<const u8>;
using decoded = std::variant<request, refusal>;

/// The structure at the front of `from`. Requires: it is long enough.
template <class T> T head_of(bytes from) {
    T value{};
    std::memcpy(&value, from.data(), sizeof(T));
    return value;
}

/// Of a payload that is this structure and nothing else, and says so.
template <class T> bool exactly(bytes payload, T& into) {
    if (payload.size() != sizeof(T))
        return false;
    into = head_of<T>(payload);
    return true;
}

bool wraps(u64 first, u64 size) { return size != 0 && size - 1 > ~first; }

/// The client's limit on data, from its capabilities. Nothing if they are not what they should be.
std::optional<u32> max_transfer_of(std::string_view text) {
    if (text.empty())
        return wire::max_data_transfer;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    const auto capabilities = json.find("capabilities");
    if (capabilities == json.end())
        return wire::max_data_transfer;
    if (!capabilities->is_object())
        return std::nullopt;
    const auto limit = capabilities->find("max_data_xfer_size");
    if (limit == capabilities->end())
        return wire::max_data_transfer;
    if (!limit->is_number_unsigned() || limit->get<u64>() < least_transfer)
        return std::nullopt;
    return static_cast<u32>(std::min<u64>(limit->get<u64>(), wire::max_data_transfer));
}

using body = decltype(request::body);
/// What the message asks for; nothing if its shape is wrong.
using body_or_not = std::optional<body>;

body_or_not version(bytes payload) {
    if (payload.size() < sizeof(wire::version))
        return std::nullopt;
    const auto numbers = head_of<wire::version>(payload);
    const bytes text = payload.subspan(sizeof(wire::version));
    if (text.size() > version_text_max || (!text.empty() && text.back() != 0) ||
        // The major number changes with what old parties cannot understand; there is only 0 yet.
        numbers.major != 0)
        return std::nullopt;
    const auto* chars = reinterpret_cast<const char*>(text.data());
    const auto limit = max_transfer_of(text.empty() ? std::string_view{}
                                                    : std::string_view{chars, text.size() - 1});
    if (!limit)
        return std::nullopt;
    return ask::version{static_cast<u32>(payload.size()), *limit};
}

body_or_not dma_map(bytes payload, std::vector<unique_fd>& fds) {
    ask::dma_map m;
    constexpr u32 known = wire::dma_readable | wire::dma_writable;
    if (!exactly(payload, m.what) || m.what.argsz < sizeof(m.what) ||
        (m.what.flags & ~known) != 0 || m.what.size == 0 || wraps(m.what.address, m.what.size) ||
        wraps(m.what.offset, m.what.size) || fds.size() > 1)
        return std::nullopt;
    if (!fds.empty()) {
        m.file = std::move(fds.front());
        fds.clear();
    }
    return m;
}

body_or_not dma_unmap(bytes payload) {
    ask::dma_unmap u;
    if (!exactly(payload, u.what) || u.what.argsz < sizeof(u.what) ||
        (u.what.flags & ~wire::dma_unmap_all) != 0)
        return std::nullopt;
    const bool all = u.what.flags != 0;
    if (all ? (u.what.address != 0 || u.what.size != 0)
            : (u.what.size == 0 || wraps(u.what.address, u.what.size)))
        return std::nullopt;
    return u;
}

body_or_not region_info(bytes payload) {
    wire::region_info i{};
    if (!exactly(payload, i) || i.argsz < sizeof(i))
        return std::nullopt;
    return ask::region_info{i.index};
}

body_or_not irq_info(bytes payload) {
    wire::irq_info i{};
    if (!exactly(payload, i) || i.argsz < sizeof(i))
        return std::nullopt;
    return ask::irq_info{i.index};
}

body_or_not device_info(bytes payload) {
    wire::device_info i{};
    if (!exactly(payload, i) || i.argsz < sizeof(i))
        return std::nullopt;
    return ask::device_info{};
}

/// Exactly one of the bits.
bool one_of(u32 flags, u32 bits) { return std::has_single_bit(flags & bits); }

body_or_not set_irqs(bytes payload, std::vector<unique_fd>& fds) {
    constexpr u32 kinds = wire::set_data_none | wire::set_data_bool | wire::set_data_eventfd;
    constexpr u32 actions =
        wire::set_action_mask | wire::set_action_unmask | wire::set_action_trigger;
    if (payload.size() < sizeof(wire::set_irqs))
        return std::nullopt;
    ask::set_irqs s;
    s.what = head_of<wire::set_irqs>(payload);
    const bytes data = payload.subspan(sizeof(wire::set_irqs));
    const u32 flags = s.what.flags;
    const u32 count = s.what.count;
    if (s.what.argsz < sizeof(wire::set_irqs) || (flags & ~(kinds | actions)) != 0 ||
        !one_of(flags, kinds) || !one_of(flags, actions) || wraps(s.what.start, count))
        return std::nullopt;
    // linux/vfio.h: count 0 takes an index as a whole, and only to disable it.
    if (count == 0 && flags != (wire::set_data_none | wire::set_action_trigger))
        return std::nullopt;
    const bool bools = (flags & wire::set_data_bool) != 0;
    const bool eventfds = (flags & wire::set_data_eventfd) != 0;
    if (data.size() != (bools ? count : 0) || (!fds.empty() && (!eventfds || fds.size() != count)))
        return std::nullopt;
    s.flags = data;
    s.eventfds = std::move(fds);
    return s;
}

bool sound(const wire::region_access& a) {
    return a.count != 0 && a.count <= wire::max_data_transfer && !wraps(a.offset, a.count);
}

body_or_not region_read(bytes payload) {
    ask::region_read r;
    if (!exactly(payload, r.what) || !sound(r.what))
        return std::nullopt;
    return r;
}

body_or_not region_write(bytes payload) {
    if (payload.size() < sizeof(wire::region_access))
        return std::nullopt;
    ask::region_write w;
    w.what = head_of<wire::region_access>(payload);
    w.data = payload.subspan(sizeof(wire::region_access));
    if (!sound(w.what) || w.data.size() != w.what.count)
        return std::nullopt;
    return w;
}

body_or_not reset(bytes payload) {
    if (!payload.empty())
        return std::nullopt;
    return ask::reset{};
}

/// What a command asks for, or the errno of the reply. Takes descriptors out of `fds` if they
/// belong.
std::variant<body, int> body_of(u16 command, bytes payload, std::vector<unique_fd>& fds) {
    const auto shaped = [](body_or_not what) -> std::variant<body, int> {
        if (!what)
            return EINVAL;
        return std::move(*what);
    };
    switch (static_cast<wire::command>(command)) {
    case wire::command::version:
        return shaped(version(payload));
    case wire::command::dma_map:
        return shaped(dma_map(payload, fds));
    case wire::command::dma_unmap:
        return shaped(dma_unmap(payload));
    case wire::command::device_get_info:
        return shaped(device_info(payload));
    case wire::command::device_get_region_info:
        return shaped(region_info(payload));
    case wire::command::device_get_irq_info:
        return shaped(irq_info(payload));
    case wire::command::device_set_irqs:
        return shaped(set_irqs(payload, fds));
    case wire::command::region_read:
        return shaped(region_read(payload));
    case wire::command::region_write:
        return shaped(region_write(payload));
    case wire::command::device_reset:
        return shaped(reset(payload));
    default:
        return EOPNOTSUPP;
    }
}

template <class T> void append(std::vector<u8>& out, const T& value) {
    const auto at = out.size();
    out.resize(at + sizeof(T));
    std::memcpy(out.data() + at, &value, sizeof(T));
}

void append(std::vector<u8>& out, bytes data) { out.insert(out.end(), data.begin(), data.end()); }

wire::header head(u16 id, u16 command, std::size_t payload, u32 flags, u32 error_number = 0) {
    return {id, command, static_cast<u32>(sizeof(wire::header) + payload), flags, error_number};
}

} // namespace

wire::header header_of(std::span<const u8> message) { return head_of<wire::header>(message); }

std::variant<request, refusal> decode(std::span<const u8> message, std::vector<unique_fd> fds) {
    CHECK(message.size() >= sizeof(wire::header));
    const wire::header h = header_of(message);
    CHECK(h.size == message.size());
    const bool posted = (h.flags & wire::no_reply) != 0;
    refusal no{h.id, h.command, posted, EINVAL};
    if ((h.flags & ~wire::no_reply) != wire::type_command)
        return no;
    auto what = body_of(h.command, message.subspan(sizeof(h)), fds);
    if (const int* const error_number = std::get_if<int>(&what)) {
        no.error_number = *error_number;
        return no;
    }
    // Whatever nobody took belongs to a message that may not bring any.
    if (!fds.empty())
        return no;
    return request{h.id, static_cast<wire::command>(h.command), posted,
                   std::move(std::get<body>(what))};
}

bool plausible(const wire::header& h) {
    if (h.size < sizeof(wire::header) || h.size > wire::max_message)
        return false;
    const bool ours = h.command == static_cast<u16>(wire::command::dma_read) ||
                      h.command == static_cast<u16>(wire::command::dma_write);
    switch (h.flags & wire::type_mask) {
    case wire::type_command:
        return !ours;
    case wire::type_reply:
        return ours;
    default:
        return false;
    }
}

void encode_reply(std::vector<u8>& out, const request& to, std::span<const u8> payload) {
    append(out, head(to.id, static_cast<u16>(to.command), payload.size(), wire::type_reply));
    append(out, payload);
}

void encode_error(std::vector<u8>& out, const refusal& what) {
    append(out, head(what.id, what.command, 0, wire::type_reply | wire::error,
                     static_cast<u32>(what.error_number)));
}

std::string version_reply(u32 room) {
    const std::string text = nlohmann::json{{"capabilities",
                                             {{"max_msg_fds", wire::max_fds},
                                              {"max_data_xfer_size", wire::max_data_transfer},
                                              {"max_dma_maps", wire::max_windows}}}}
                                 .dump();
    std::string out(sizeof(wire::version), '\0'); // 0.0
    if (out.size() + text.size() + 1 <= room)
        out.append(text.c_str(), text.size() + 1);
    return out;
}

void encode_dma_read(std::vector<u8>& out, u16 id, u64 address, u64 count) {
    append(out, head(id, static_cast<u16>(wire::command::dma_read), sizeof(wire::dma_access),
                     wire::type_command));
    append(out, wire::dma_access{address, count});
}

void encode_dma_write(std::vector<u8>& out, u16 id, u64 address, std::span<const u8> data,
                      dma_layout layout) {
    append(out, head(id, static_cast<u16>(wire::command::dma_write),
                     sizeof(wire::dma_access) + data.size(), wire::type_command));
    const std::size_t body = out.size();
    append(out, wire::dma_access{address, data.size()});
    out.resize(body + dma_data_offset(layout));
    append(out, data);
    out.resize(body + sizeof(wire::dma_access) + data.size());
}

} // namespace spinup::remote
