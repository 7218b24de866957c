// The trace of a world: a ring of records, drained to its readers.
//
// Pushing a record costs a copy; readers get records in batches, when the ring is full and when
// somebody asks. Nothing is ever dropped: a full ring is drained by whoever emits. Without readers
// nothing is stored at all, and the digest (taken in trace::emit) stays the same.
//
// Context: the OS thread of the world. Locks: none.
#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <spinup/trace.hpp>
#include <string>
#include <vector>

namespace spinup {

/// Somebody who wants to see the records, all of them and in order.
struct trace_reader {
    /// `names` resolves the name_ids of the records. Must not emit.
    virtual void take(std::span<const trace_record> records, const trace& names) = 0;

  protected:
    ~trace_reader() = default;
};

class trace_ring final : public trace {
  public:
    static constexpr std::size_t default_capacity = 4096;

    explicit trace_ring(const timeline& line, std::size_t capacity = default_capacity);

    name_id intern(std::string_view text) override;
    [[nodiscard]] std::string_view name(name_id id) const override;
    /// Every name so far; names()[id] is the text of name_id{id}.
    [[nodiscard]] std::span<const std::string_view> names() const { return names_; }

    /// The reader sees what is emitted from now on. It must be detached before it is destroyed.
    void attach(trace_reader& reader);
    /// Hands over what the ring holds, then forgets the reader.
    void detach(trace_reader& reader);
    /// Hands all that the ring holds to the readers.
    void drain();

  private:
    void store(const trace_record& r) override {
        if (readers_.empty())
            return;
        if (!ring_.push(r)) [[unlikely]] {
            drain();
            ring_.push(r);
        }
    }

    boost::lockfree::spsc_queue<trace_record> ring_;
    std::vector<trace_record> batch_;
    std::vector<trace_reader*> readers_;
    std::map<std::string, name_id, std::less<>> ids_;
    std::vector<std::string_view> names_; // by id; views of the keys of ids_
};

/// A reader that keeps everything.
class record_store final : public trace_reader {
  public:
    void take(std::span<const trace_record> records, const trace& names) override;

    [[nodiscard]] std::span<const trace_record> records() const { return records_; }
    void clear() { records_.clear(); }

  private:
    std::vector<trace_record> records_;
};

} // namespace spinup
