#include "emu/trace/trace_ring.hpp"

#include <functional>
#include <spinup/base/check.hpp>

namespace spinup {

namespace {
// Holds the names of a machine with a disk, some 140, without growing; a power of two.
constexpr std::size_t table_at_first = 512;

std::size_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }
} // namespace

trace_ring::trace_ring(const timeline& line, std::size_t capacity)
    : trace(line), capacity_(capacity), table_(table_at_first) {
    CHECK(capacity > 0);
    names_.reserve(table_at_first / 2);
    intern(""); // name_id 0
}

name_id trace_ring::intern(std::string_view text) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash(text) & mask;
    for (; table_[at] != 0; at = (at + 1) & mask)
        if (names_[table_[at] - 1] == text)
            return static_cast<name_id>(table_[at] - 1);
    const auto id = static_cast<u32>(names_.size());
    names_.push_back(texts_.emplace_back(text));
    if (names_.size() * 2 <= table_.size()) {
        table_[at] = id + 1;
    } else {
        table_.assign(table_.size() * 2, 0);
        for (u32 each = 0; each <= id; ++each)
            place_in_table(each);
    }
    return static_cast<name_id>(id);
}

void trace_ring::place_in_table(u32 id) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash(names_[id]) & mask;
    while (table_[at] != 0)
        at = (at + 1) & mask;
    table_[at] = id + 1;
}

std::string_view trace_ring::name(name_id id) const {
    CHECK(static_cast<u32>(id) < names_.size());
    return names_[static_cast<u32>(id)];
}

void trace_ring::attach(trace_reader& reader, const event_set& events) {
    drain();
    if (!ring_) {
        ring_.emplace(capacity_);
        batch_.resize(capacity_);
    }
    readers_.push_back({&reader, events});
    want_what_readers_do();
}

void trace_ring::detach(trace_reader& reader) {
    drain();
    std::erase_if(readers_, [&reader](const attached& a) { return a.reader == &reader; });
    want_what_readers_do();
}

void trace_ring::want_what_readers_do() {
    event_set all;
    for (const attached& a : readers_)
        all = all | a.events;
    want(all);
}

void trace_ring::drain() {
    if (!ring_)
        return;
    while (const std::size_t n = ring_->pop(batch_.data(), batch_.size()))
        for (const attached& a : readers_)
            a.reader->take({batch_.data(), n}, *this);
}

void record_store::take(std::span<const trace_record> records, const trace&) {
    records_.insert(records_.end(), records.begin(), records.end());
}

} // namespace spinup
