// Runs in the guest: times direct reads of a disk, by the guest's clock.
//
//     direct_reads DISK BLOCK COUNT         from the start on, as dd iflag=direct does
//     direct_reads DISK BLOCK COUNT SEED    at random places
//
// Prints "BYTES US"; a disk that ends earlier gives fewer bytes. busybox's dd doesn't tell how long
// it took, and one started for each random read would mostly measure how fast an emulated processor
// starts programs. The guest has no C library, so this has none either: system calls of x86-64
// Linux, and an entry of its own. Places come from a linear congruential generator, so that two
// disks of one size see the same ones.
#include <cstddef>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

namespace {

// Constants of MMIX (Knuth, TAOCP 2, 3.3.4).
constexpr unsigned long lcg_factor = 6364136223846793005ul;
constexpr unsigned long lcg_addend = 1442695040888963407ul;
constexpr int end_of_file = 2; // SEEK_END
constexpr long most = 1 << 20;

alignas(4096) char buffer[most]; // O_DIRECT wants a page's alignment at most

long call(long number, long a, long b = 0, long c = 0, long d = 0) {
    long rc = number;
    register long r10 asm("r10") = d; // x86-64 psABI, A.2.1: the fourth argument of the kernel
    asm volatile("syscall" : "+a"(rc) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return rc;
}

long address(const void* p) { return reinterpret_cast<long>(p); }

long number(const char* text) {
    long value = 0;
    for (; *text >= '0' && *text <= '9'; ++text)
        value = value * 10 + (*text - '0');
    return value;
}

long now_us() {
    timespec t{};
    call(SYS_clock_gettime, CLOCK_MONOTONIC, address(&t));
    return t.tv_sec * 1'000'000 + t.tv_nsec / 1000;
}

void print(long value, char end) {
    char text[24];
    std::size_t at = sizeof text;
    text[--at] = end;
    do {
        text[--at] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value > 0);
    call(SYS_write, 1, address(text + at), static_cast<long>(sizeof text - at));
}

int run(long argc, const char* const* argv) {
    if (argc != 4 && argc != 5)
        return 2;
    const long fd = call(SYS_open, address(argv[1]), O_RDONLY | O_DIRECT);
    const long size = call(SYS_lseek, fd, 0, end_of_file);
    const long block = number(argv[2]);
    const long count = number(argv[3]);
    const bool random = argc == 5;
    auto state = random ? static_cast<unsigned long>(number(argv[4])) : 0;
    if (fd < 0 || block < 1 || block > most || size < block || count < 1)
        return 1;
    const auto blocks = static_cast<unsigned long>(size / block);
    long done = 0;
    const long start = now_us();
    for (unsigned long i = 0; i < static_cast<unsigned long>(count); ++i) {
        state = state * lcg_factor + lcg_addend;
        const unsigned long at = random ? (state >> 20) % blocks : i;
        if (at == blocks)
            break;
        if (call(SYS_pread64, fd, address(buffer), block, static_cast<long>(at) * block) != block)
            return 1;
        done += block;
    }
    const long taken = now_us() - start;
    print(done, ' ');
    print(taken, '\n');
    return 0;
}

} // namespace

extern "C" [[noreturn]] void direct_reads_main(const long* stack) {
    const int rc = run(stack[0], reinterpret_cast<const char* const*>(stack + 1));
    for (;;)
        call(SYS_exit_group, rc);
}

// psABI, 3.4.1: at entry the stack pointer is at argc, and argv follows it.
asm(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n"
    "\tcall direct_reads_main\n");
