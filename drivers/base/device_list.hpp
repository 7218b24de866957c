// A list of devices whose links are in the devices. Linux: include/linux/list.h.
//
// A device is on one list at most and can leave it without knowing which one it is, which is what
// removal in the middle of a PM phase needs. It also leaves when it is destroyed.
#pragma once

#include <utility>

namespace spinup::drivers {

struct device;

/// Place in a list; base of device.
struct device_link {
    device_link() = default;
    device_link(const device_link&) = delete;
    device_link& operator=(const device_link&) = delete;
    ~device_link() { unlink(); }

    [[nodiscard]] bool is_linked() const { return next_ != this; }
    /// list_del_init.
    void unlink() {
        next_->prev_ = prev_;
        prev_->next_ = next_;
        next_ = prev_ = this;
    }

  private:
    friend class device_list;
    void insert_before(device_link& place) {
        next_ = &place;
        prev_ = std::exchange(place.prev_, this);
        prev_->next_ = this;
    }

    device_link* next_ = this;
    device_link* prev_ = this;
};

class device_list {
  public:
    device_list() = default;
    device_list(const device_list&) = delete;
    device_list& operator=(const device_list&) = delete;
    /// Devices may outlive the list; they are then on none.
    ~device_list() {
        while (!empty())
            head_.next_->unlink();
    }

    [[nodiscard]] bool empty() const { return !head_.is_linked(); }
    /// Requires: not empty.
    [[nodiscard]] device& front() { return to_device(*head_.next_); }
    [[nodiscard]] device& back() { return to_device(*head_.prev_); }

    /// list_move, list_move_tail: the device leaves the list it is on, if any.
    void move_to_front(device& dev) { move_before(dev, *head_.next_); }
    void move_to_back(device& dev) { move_before(dev, head_); }

    /// Calls `visit(device&)` for each, first to last. The list must not change meanwhile.
    template <class Visit> void for_each(Visit visit) {
        for (device_link* at = head_.next_; at != &head_; at = at->next_)
            visit(to_device(*at));
    }

  private:
    static device& to_device(device_link& link);
    static void move_before(device& dev, device_link& place);

    device_link head_;
};

} // namespace spinup::drivers
