#include "emu/remote/dma_windows.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace spinup::remote {

namespace {

bool read_file(int fd, u64 offset, u8* into, std::size_t bytes) {
    while (bytes != 0) {
        const auto n = ::pread(fd, into, bytes, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) // 0: the file has become shorter
            return false;
        into += n;
        offset += static_cast<u64>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

/// Never makes the file longer: its owner has cut it off on purpose.
bool write_file(int fd, u64 offset, const u8* from, std::size_t bytes) {
    struct stat s {};
    if (::fstat(fd, &s) != 0 || offset + bytes > static_cast<u64>(s.st_size))
        return false;
    while (bytes != 0) {
        const auto n = ::pwrite(fd, from, bytes, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        offset += static_cast<u64>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool may(int fd, u32 flags) {
    const int mode = ::fcntl(fd, F_GETFL) & O_ACCMODE;
    return mode == O_RDWR || (mode == O_RDONLY && flags == wire::dma_readable) ||
           (mode == O_WRONLY && flags == wire::dma_writable);
}

} // namespace

file_mapping::file_mapping(file_mapping&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), length_(std::exchange(other.length_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

file_mapping& file_mapping::operator=(file_mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(length_, other.length_);
    std::swap(data_, other.data_);
    return *this;
}

file_mapping::~file_mapping() {
    if (base_ != nullptr)
        ::munmap(base_, length_);
}

int file_mapping::map(int fd, u64 offset, u64 size, int protection) {
    const u64 before = offset % static_cast<u64>(::sysconf(_SC_PAGESIZE));
    void* base = ::mmap(nullptr, before + size, protection, MAP_SHARED, fd,
                        static_cast<off_t>(offset - before));
    if (base == MAP_FAILED)
        return errno;
    base_ = base;
    length_ = before + size;
    data_ = static_cast<u8*>(base) + before;
    return 0;
}

int dma_windows::open(window& into, const wire::dma_map& what, unique_fd file) const {
    const int fd = file.get();
    // Seals first: once a file cannot shrink, the size seen next holds.
    const int seals = ::fcntl(fd, F_GET_SEALS);
    const bool sealed = seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
    struct stat s {};
    struct statfs system {};
    if (::fstat(fd, &s) != 0 || ::fstatfs(fd, &system) != 0)
        return errno;
    const u64 length = static_cast<u64>(s.st_size);
    if (!S_ISREG(s.st_mode) || what.offset > length || what.size > length - what.offset)
        return EINVAL;
    if (system.f_type == HUGETLBFS_MAGIC)
        return EOPNOTSUPP;
    if (!may(fd, what.flags))
        return EACCES;
    if (sealed) {
        const int reads = PROT_READ; // copying into memory that cannot be read is no use
        const int writes = (what.flags & wire::dma_writable) != 0 ? PROT_WRITE : 0;
        return into.mapping.map(fd, what.offset, what.size, reads | writes);
    }
    if ((::fcntl(fd, F_GETFL) & O_APPEND) != 0) // pwrite would go to the end, wherever it should
        return EINVAL;
    const auto keeps_one = [](const window& w) { return static_cast<bool>(w.file); };
    if (std::count_if(windows_.begin(), windows_.end(), keeps_one) >= wire::max_window_files)
        return ENOSPC;
    into.offset = what.offset;
    into.file = std::move(file);
    return 0;
}

int dma_windows::map(const wire::dma_map& what, unique_fd file) {
    constexpr u32 known = wire::dma_readable | wire::dma_writable;
    if ((what.flags & ~known) != 0 || what.flags == 0 || what.size == 0)
        return EINVAL;
    window w;
    w.first = what.address;
    w.last = what.address + (what.size - 1);
    w.flags = what.flags;
    if (w.last < w.first)
        return EINVAL;
    const auto place = std::lower_bound(windows_.begin(), windows_.end(), w.first,
                                        [](const window& x, u64 a) { return x.last < a; });
    if (place != windows_.end() && place->first <= w.last)
        return EEXIST;
    if (windows_.size() >= wire::max_windows)
        return ENOSPC;
    if (file) {
        if (const int e = open(w, what, std::move(file)); e != 0)
            return e;
    }
    windows_.insert(place, std::move(w));
    return 0;
}

int dma_windows::unmap(const wire::dma_unmap& what) {
    if (what.flags == wire::dma_unmap_all && what.address == 0 && what.size == 0) {
        unmap_all();
        return 0;
    }
    const u64 last = what.address + (what.size - 1);
    if (what.flags != 0 || what.size == 0 || last < what.address)
        return EINVAL;
    const auto begin = std::lower_bound(windows_.begin(), windows_.end(), what.address,
                                        [](const window& x, u64 a) { return x.last < a; });
    auto end = begin;
    for (; end != windows_.end() && end->first <= last; ++end)
        if (end->first < what.address || end->last > last)
            return EINVAL;
    if (begin == end)
        return ENOENT;
    windows_.erase(begin, end);
    hint_ = 0;
    return 0;
}

void dma_windows::unmap_all() {
    windows_.clear();
    hint_ = 0;
}

const dma_windows::window* dma_windows::find(u64 address) {
    const auto holds = [address](const window& w) {
        return w.first <= address && address <= w.last;
    };
    if (hint_ < windows_.size() && holds(windows_[hint_]))
        return &windows_[hint_];
    const auto w = std::lower_bound(windows_.begin(), windows_.end(), address,
                                    [](const window& x, u64 a) { return x.last < a; });
    if (w == windows_.end() || !holds(*w))
        return nullptr;
    hint_ = static_cast<std::size_t>(w - windows_.begin());
    return &*w;
}

template <class Step> bool dma_windows::each(u64 address, std::size_t bytes, u32 flag, Step step) {
    for (std::size_t done = 0; done < bytes;) {
        const u64 at = address + done;
        // Looked up for each piece: while a message is awaited the client may change everything.
        const window* const w = !enabled_ || at < address ? nullptr : find(at);
        if (w == nullptr || (w->flags & flag) == 0)
            return false;
        const std::size_t left = bytes - done - 1; // and one: w->last - at + 1 may not fit
        const std::size_t n = static_cast<std::size_t>(std::min<u64>(left, w->last - at)) + 1;
        const std::size_t moved = step(*w, at - w->first, done, n);
        if (moved == 0)
            return false;
        done += moved;
    }
    return true;
}

bool dma_windows::read(u64 address, void* into, std::size_t bytes) {
    u8* const to = static_cast<u8*>(into);
    return each(address, bytes, wire::dma_readable,
                [&](const window& w, u64 from, std::size_t done, std::size_t n) -> std::size_t {
                    if (w.mapping.data() != nullptr) {
                        std::memcpy(to + done, w.mapping.data() + from, n);
                        return n;
                    }
                    if (w.file)
                        return read_file(w.file.get(), w.offset + from, to + done, n) ? n : 0;
                    return remote_ == nullptr ? 0 : remote_->read(w.first + from, to + done, n);
                });
}

bool dma_windows::write(u64 address, const void* from, std::size_t bytes) {
    const u8* const source = static_cast<const u8*>(from);
    return each(address, bytes, wire::dma_writable,
                [&](const window& w, u64 to, std::size_t done, std::size_t n) -> std::size_t {
                    if (w.mapping.data() != nullptr) {
                        std::memcpy(w.mapping.data() + to, source + done, n);
                        return n;
                    }
                    if (w.file)
                        return write_file(w.file.get(), w.offset + to, source + done, n) ? n : 0;
                    return remote_ == nullptr ? 0 : remote_->write(w.first + to, source + done, n);
                });
}

} // namespace spinup::remote
