// A field that more than one context touches: pflags, eh_info, host_busy, queue flags.
//
// Without an explorer it is the plain value and one branch. Under one, each access is a decision
// point, as if the other threads ran on other CPUs, and goes to the checkers:
//   - two accesses of different threads of which one is a write, not ordered by locks, wake-ups or
//     the like, are a data race, unless both are marked (read_once, write_once, atomic);
//   - with weak memory, a store of up to 8 bytes, plain or marked, may become visible to others
//     later, until the thread unlocks, wakes somebody, sleeps, or passes a barrier.
// `|=` and its like read, then write: somebody may come between, as on hardware.
//
// Linux: the fields are plain, read_once() is READ_ONCE(), write_once() is WRITE_ONCE(), atomic()
// is atomic_*() and set_bit().
#pragma once

#include <cstring>
#include <spinup/kernel/system.hpp>
#include <string>
#include <type_traits>

namespace spinup::kernel {

enum class access : u8 { read, write, read_once, write_once, atomic };

/// The part that does not depend on the type. Its slow paths belong to the simulated kernel.
class shared_cell {
  public:
    shared_cell(const shared_cell&) = delete;
    shared_cell& operator=(const shared_cell&) = delete;

    /// Shown in verdicts: "ata1.pflags".
    [[nodiscard]] std::string name() const {
        return std::string{owner_}.append(".").append(field_);
    }
    [[nodiscard]] u32 id() const { return id_; }

  protected:
    /// `owner` and `field` make the name, and live as long as the field; `value` stays where it is.
    shared_cell(system& k, std::string_view owner, std::string_view field, void* value,
                std::size_t bytes);
    ~shared_cell();
    [[nodiscard]] bool watched() const { return k_.cpu().watches; }
    /// Decision point. Returns: where the value is that the running context sees.
    [[nodiscard]] const void* watched_read(access how) const;
    /// The same. Returns: false if nobody else is to see the value yet, and it is kept elsewhere.
    [[nodiscard]] bool watched_write(access how, const void* from);
    /// The value has changed.
    void changed() const;
    /// Context: between the two nothing else runs.
    void begin_atomic();
    void end_atomic();

  private:
    friend class scheduler;

    system& k_;
    void* value_;
    u32 bytes_;
    u32 id_;
    std::string_view owner_;
    std::string_view field_;
    mutable bool bare_ = false; // has been accessed without a spinlock
};

template <class T> class shared final : public shared_cell {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(std::has_unique_object_representations_v<T>); // a search compares the bytes

  public:
    shared(system& k, std::string_view owner, std::string_view field, T initial = T{})
        : shared_cell(k, owner, field, &value_, sizeof(T)), value_(initial) {
        if (watched())
            changed();
    }

    [[nodiscard]] T load() const { return read(access::read); }
    void store(T value) { write(access::write, value); }
    [[nodiscard]] T read_once() const { return read(access::read_once); }
    void write_once(T value) { write(access::write_once, value); }

    /// f(value) is the new value, in one step that nobody comes between; a full barrier.
    /// Returns: the new value.
    template <class F> T atomic(F f) {
        if (!watched())
            return value_ = f(value_);
        begin_atomic();
        const T now = value_ = f(value_);
        end_atomic();
        return now;
    }

    operator T() const { return load(); } // NOLINT(google-explicit-constructor): stands for a field
    shared& operator=(T value) {
        store(value);
        return *this;
    }
    template <class U> shared& operator|=(U u) { return *this = load() | static_cast<T>(u); }
    template <class U> shared& operator&=(U u) { return *this = load() & static_cast<T>(u); }
    template <class U> shared& operator+=(U u) {
        return *this = static_cast<T>(load() + static_cast<T>(u));
    }
    template <class U> shared& operator-=(U u) {
        return *this = static_cast<T>(load() - static_cast<T>(u));
    }
    T operator++() { return *this += T{1}; }
    T operator--() { return *this -= T{1}; }

    /// For verdicts and tests: no access of the kernel's.
    [[nodiscard]] const T& peek() const { return value_; }

  private:
    [[nodiscard]] T read(access how) const {
        if (!watched()) [[likely]]
            return value_;
        T seen;
        std::memcpy(&seen, watched_read(how), sizeof seen);
        return seen;
    }
    void write(access how, T value) {
        if (!watched()) [[likely]] {
            value_ = value;
        } else if (watched_write(how, &value)) {
            value_ = value;
            changed();
        }
    }

    T value_;
};

} // namespace spinup::kernel
