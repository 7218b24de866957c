// The trace of a world: a ring of records, drained to its readers.
//
// Pushing a record costs a copy; readers get records in batches, when the ring is full and when
// somebody asks. Nothing is ever dropped: a full ring is drained by whoever emits. What no reader
// wants is not stored at all, and the digest (taken in trace::emit) stays the same.
//
// Context: the OS thread of the world. Locks: none.
#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <spinup/trace.hpp>
#include <string>
#include <vector>

namespace spinup {

/// Somebody who wants to see records, in order.
struct trace_reader {
    /// `names` resolves the name_ids of the records. Must not emit. What another reader wants may
    /// be among them.
    virtual void take(std::span<const trace_record> records, const trace& names) = 0;

  protected:
    ~trace_reader() = default;
};

class trace_ring final : public trace {
  public:
    // 16 KiB of records and as much for a batch: they stay in the cache between two drains, and
    // cost a short-lived world next to nothing.
    static constexpr std::size_t default_capacity = 512;

    explicit trace_ring(const timeline& line, std::size_t capacity = default_capacity);

    name_id intern(std::string_view text) override;
    [[nodiscard]] std::string_view name(name_id id) const override;
    /// Every name so far; names()[id] is the text of name_id{id}.
    [[nodiscard]] std::span<const std::string_view> names() const { return names_; }

    /// The reader sees what is emitted of `events` from now on. It must be detached before it is
    /// destroyed.
    void attach(trace_reader& reader, const event_set& events = event_set::all());
    /// Hands over what the ring holds, then forgets the reader.
    void detach(trace_reader& reader);
    /// Hands all that the ring holds to the readers.
    void drain();

  private:
    struct attached {
        trace_reader* reader;
        event_set events;
    };

    void store(const trace_record& r) override {
        if (!ring_->push(r)) [[unlikely]] {
            drain();
            ring_->push(r);
        }
    }
    void want_what_readers_do();
    void place_in_table(u32 id);

    std::size_t capacity_;
    std::optional<boost::lockfree::spsc_queue<trace_record>> ring_; // once there was a reader
    std::vector<trace_record> batch_;
    std::vector<attached> readers_;
    // A hash table of ids + 1 with open addressing, never more than half full. Its order reaches
    // nobody: ids count up.
    std::vector<u32> table_;
    std::deque<std::string> texts_;
    std::vector<std::string_view> names_; // by id; views of texts_
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
