// The trace: what happened, in order, as binary records.
//
// A record is 32 bytes and costs nanoseconds; text is made afterwards, by readers, from the one
// table of events (trace_events.hpp). The digest is taken as records are pushed, so it does not
// depend on who reads them or when. Two runs are the same run if their digests are equal.
#pragma once

#include <concepts>
#include <spinup/base/units.hpp>
#include <spinup/event_set.hpp>
#include <spinup/timeline.hpp>
#include <spinup/trace_events.hpp>
#include <string_view>

namespace spinup {

/// Name of a device, thread or design, kept once per trace. 0 is the empty name.
enum class name_id : u32 {};

struct trace_record {
    u64 time_ns;
    u16 event;  ///< trace_event
    u16 thread; ///< who was running: a thread's id, or 0 for hardware and timers
    u32 args[5];
};
static_assert(sizeof(trace_record) == 32);

class trace {
  public:
    explicit trace(const timeline& line) : line_(line) {}
    trace(const trace&) = delete;
    trace& operator=(const trace&) = delete;

    /// Up to five arguments: integers, enums, names, and texts, which are interned here: in a call
    /// the order of intern(a) and intern(b) would be the compiler's choice, and ids with it. In the
    /// braces below it is from left to right. What they mean is the event's row.
    /// Context: any. Locks: none.
    template <class... Args>
    requires(sizeof...(Args) <= 5) void emit(trace_event event, const Args&... args) {
        const trace_record r{
            to_ns(line_.now()), static_cast<u16>(event), thread_, {argument(args)...}};
        mix(r);
        if (wanted_.contains(event))
            store(r);
    }

    /// Same text, same id, for the life of the trace; ids count up in order of first use.
    virtual name_id intern(std::string_view text) = 0;
    [[nodiscard]] virtual std::string_view name(name_id id) const = 0;

    void set_thread(u16 id) { thread_ = id; }
    [[nodiscard]] u64 digest() const { return digest_; }

  protected:
    ~trace() = default;
    /// What store() is called for; at first for nothing.
    void want(const event_set& events) { wanted_ = events; }
    virtual void store(const trace_record& r) = 0;

  private:
    template <class T> u32 argument(const T& value) {
        if constexpr (std::convertible_to<const T&, std::string_view>)
            return static_cast<u32>(intern(value));
        else
            return static_cast<u32>(value);
    }
    void mix(const trace_record& r) {
        const u64 head = (u64{r.event} << 48) | (u64{r.thread} << 32) | r.args[0];
        const u64 tail = ((u64{r.args[1]} << 32) | r.args[2]) * 0x9e3779b97f4a7c15ull ^
                         ((u64{r.args[3]} << 32) | r.args[4]) * 0xc2b2ae3d27d4eb4full;
        digest_ = (digest_ ^ (digest_ >> 29) ^ r.time_ns * 0x94d049bb133111ebull ^ head ^ tail) *
                  0xbf58476d1ce4e5b9ull;
    }

    const timeline& line_;
    u64 digest_ = 0xcbf29ce484222325ull;
    u16 thread_ = 0;
    event_set wanted_;
};

} // namespace spinup
