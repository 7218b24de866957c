// The guest's memory, as the device reaches it: windows that the client maps and takes away again.
//
// They change while the guest runs (its firmware at boot and at every wake), so an address is
// looked up at each access and nothing is kept but a hint where to look first.
//
// How a window is reached depends on what came with it:
//   a memfd sealed against shrinking    is mapped, an access is a copy. QEMU's memory-backend-memfd
//                                       seals by itself.
//   any other regular file              by pread and pwrite: its owner may cut it off at any time,
//                                       and a mapping would then end the server with SIGBUS
//   nothing                             by messages, see remote_memory
// Huge pages are refused: touching one that the pool has no page for is SIGBUS, sealed or not, and
// their files cannot be written to otherwise.
#pragma once

#include "emu/remote/unique_fd.hpp"
#include "emu/remote/wire.hpp"

#include <spinup/bus.hpp>
#include <vector>

namespace spinup::remote {

/// Memory that is reached by messages (channel). While an answer is awaited, the client may map and
/// unmap, and switch the device's access off.
class remote_memory {
  public:
    /// Return: how many bytes were moved, from the first on; 0 if that failed.
    [[nodiscard]] virtual std::size_t read(u64 address, void* into, std::size_t bytes) = 0;
    [[nodiscard]] virtual std::size_t write(u64 address, const void* from, std::size_t bytes) = 0;

  protected:
    ~remote_memory() = default;
};

/// A piece of a file in our address space.
class file_mapping {
  public:
    file_mapping() = default;
    file_mapping(file_mapping&& other) noexcept;
    file_mapping& operator=(file_mapping&& other) noexcept;
    ~file_mapping();

    /// Returns: 0, or what mmap says.
    int map(int fd, u64 offset, u64 size, int protection);
    /// The byte at `offset`; nullptr before map().
    [[nodiscard]] u8* data() const { return data_; }

  private:
    void* base_ = nullptr;
    std::size_t length_ = 0;
    u8* data_ = nullptr;
};

class dma_windows final : public bus::dma {
  public:
    dma_windows() = default;
    dma_windows(const dma_windows&) = delete;
    dma_windows& operator=(const dma_windows&) = delete;

    /// Who is asked for windows without a file; nullptr: nobody, accesses there fail.
    void set_remote(remote_memory* remote) { remote_ = remote; }
    /// Whether the device may reach memory at all. It may at first.
    void set_enabled(bool enabled) { enabled_ = enabled; }

    /// Returns: 0, or the errno of the reply: EINVAL (flags, size, not within the file, or one that
    /// appends), EEXIST (overlap), ENOSPC (too many, or too many that keep a file open), EACCES
    /// (the file was opened for less), EOPNOTSUPP (huge pages), what mmap says.
    int map(const wire::dma_map& what, unique_fd file);
    /// Takes away the windows within a range, or all.
    /// Returns: 0, or EINVAL (a window is only partly within it), ENOENT (there is none).
    int unmap(const wire::dma_unmap& what);
    void unmap_all();

    /// An access may go across windows that touch. If it ends in a place without one, what comes
    /// before has been moved.
    [[nodiscard]] bool read(u64 address, void* into, std::size_t bytes) override;
    [[nodiscard]] bool write(u64 address, const void* from, std::size_t bytes) override;

  private:
    struct window {
        u64 first = 0;
        u64 last = 0; ///< inclusive
        u32 flags = 0;
        file_mapping mapping;
        unique_fd file; ///< reached by pread and pwrite
        u64 offset = 0; ///< of `first` in it
    };

    int open(window& into, const wire::dma_map& what, unique_fd file) const;
    /// The window at an address; nullptr if there is none.
    [[nodiscard]] const window* find(u64 address);
    /// Calls step(window, distance from its first byte, bytes done, bytes) for each piece. It
    /// returns how many bytes it has moved; the window may be gone after it.
    template <class Step> bool each(u64 address, std::size_t bytes, u32 flag, Step step);

    std::vector<window> windows_; // sorted, without overlap
    std::size_t hint_ = 0;        // where the last access was
    remote_memory* remote_ = nullptr;
    bool enabled_ = true;
};

} // namespace spinup::remote
