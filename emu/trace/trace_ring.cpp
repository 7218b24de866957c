#include "emu/trace/trace_ring.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup {

trace_ring::trace_ring(const timeline& line, std::size_t capacity)
    : trace(line), ring_(capacity), batch_(capacity) {
    CHECK(capacity > 0);
    intern(""); // name_id 0
}

name_id trace_ring::intern(std::string_view text) {
    if (const auto known = ids_.find(text); known != ids_.end())
        return known->second;
    const auto id = static_cast<name_id>(names_.size());
    const auto added = ids_.emplace(text, id).first;
    names_.push_back(added->first);
    return id;
}

std::string_view trace_ring::name(name_id id) const {
    CHECK(static_cast<u32>(id) < names_.size());
    return names_[static_cast<u32>(id)];
}

void trace_ring::attach(trace_reader& reader) {
    drain();
    readers_.push_back(&reader);
}

void trace_ring::detach(trace_reader& reader) {
    drain();
    readers_.erase(std::remove(readers_.begin(), readers_.end(), &reader), readers_.end());
}

void trace_ring::drain() {
    while (const std::size_t n = ring_.pop(batch_.data(), batch_.size()))
        for (trace_reader* reader : readers_)
            reader->take({batch_.data(), n}, *this);
}

void record_store::take(std::span<const trace_record> records, const trace&) {
    records_.insert(records_.end(), records.begin(), records.end());
}

} // namespace spinup
