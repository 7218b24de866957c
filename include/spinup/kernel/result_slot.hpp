// The place where the result of something asynchronous goes, when the requester may be gone by
// then.
//
// A slot lives where its requester puts it, mostly on a stack. Whoever will write keeps a
// result_ref, which notices a slot that has died: in a kernel that write would destroy what stands
// there now; here it is a finding (write-after-return) and goes nowhere.
#pragma once

#include <spinup/base/errno.hpp>
#include <spinup/kernel/system.hpp>

namespace spinup::kernel {

class result_slot {
  public:
    /// `initial` is what a requester sees that reads it too early. `counted`: the memory stays as
    /// long as anybody refers to it (a kref), so a late write is no fault and nobody reads it.
    explicit result_slot(system& k, errno_t initial = errno_t::ok, bool counted = false);
    ~result_slot();
    result_slot(const result_slot&) = delete;
    result_slot& operator=(const result_slot&) = delete;

    [[nodiscard]] errno_t value() const { return value_; }
    void set(errno_t value);
    /// How often set() was called.
    [[nodiscard]] u32 writes() const { return writes_; }

  private:
    friend class result_ref;
    system& k_;
    u32 id_; // no two slots of a world have the same
    errno_t value_;
    bool counted_;
    u32 writes_ = 0;
};

/// Refers to a slot or to none. Copies refer to the same.
class result_ref {
  public:
    result_ref() = default;
    explicit result_ref(result_slot* slot)
        : slot_(slot), id_(slot == nullptr ? 0 : slot->id_),
          counted_(slot != nullptr && slot->counted_) {}

    [[nodiscard]] explicit operator bool() const { return slot_ != nullptr; }
    /// Writes, or reports that the slot has died. Requires: refers to one. Context: any.
    void write(system& k, errno_t value) const;

  private:
    result_slot* slot_ = nullptr;
    u32 id_ = 0;
    bool counted_ = false;
};

} // namespace spinup::kernel
