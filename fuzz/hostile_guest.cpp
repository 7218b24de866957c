#include "fuzz/hostile_guest.hpp"

#include <fcntl.h>

namespace spinup::fuzz {

using namespace std::chrono_literals;

void hostile_guest::act() {
    switch (in_.below(20)) {
    case 0:
        return read_region();
    case 1:
    case 2:
        return write_region();
    case 3:
        return start_port();
    case 4:
    case 5:
        return issue_command();
    case 6:
        return map();
    case 7:
        return unmap();
    case 8:
        return set_irqs();
    case 9:
        return ask_for_info();
    case 10:
        return send(command::device_reset, {});
    case 11:
        return raw_bytes();
    case 12:
        return cut_memory();
    case 13:
        return half_message();
    case 14:
        return big_message();
    case 15:
        return bad_header();
    case 16:
        return memory_answer();
    case 17:
        return reconnect();
    case 18:
        return in_.below(2) != 0 ? second_client() : many_descriptors();
    default:
        return pass_time();
    }
}

void hostile_guest::read_region() {
    const wire::region_access a{offset(), region(), in_.rarely() ? in_.take<u32>() : 4};
    const u32 times = in_.rarely() ? in_.byte() : 1;
    lazy_ = lazy_ || in_.rarely();
    for (u32 i = 0; i < times; ++i)
        send(command::region_read, bytes_of(a));
}

void hostile_guest::write_region() {
    const u32 r = region();
    const u64 at = offset();
    if (!in_.rarely())
        return write(r, at, in_.take<u32>(), in_.below(2) != 0);
    const auto payload = in_.bytes(in_.byte());
    const u32 count = in_.rarely() ? in_.take<u32>() : static_cast<u32>(payload.size());
    const wire::region_access a{at, r, count};
    std::vector<u8> all(bytes_of(a).begin(), bytes_of(a).end());
    all.insert(all.end(), payload.begin(), payload.end());
    send(command::region_write, all, in_.below(2) != 0 ? wire::no_reply : 0);
}

void hostile_guest::start_port() {
    put(spec::px_clb::offset, list);
    put(spec::px_fb::offset, in_.rarely() ? address() : received);
    put(spec::px_ie::offset, ~0u);
    const auto cmd = spec::px_cmd{}.with(spec::px_cmd::sud, true).with(spec::px_cmd::fre, true);
    put(spec::px_cmd::offset, cmd.raw);
    write(wire::region_bar5, spec::ghc::offset, 0x80000002, true);
    put(spec::px_sctl::offset, 1);
    put(spec::px_sctl::offset, 0);
    settle();
    line_.run_until(line_.now() + 100ms);
    put(spec::px_serr::offset, ~0u);
    if (!with_file_) { // the signature is written to memory now
        answer_first();
        answer(next_question(), command::dma_write, received, {});
    }
    settle();
    line_.run_until(line_.now() + 100ms);
    put(spec::px_serr::offset, ~0u);
    put(spec::px_is::offset, ~0u);
    put(spec::px_cmd::offset, cmd.with(spec::px_cmd::st, true).raw);
}

void hostile_guest::issue_command() {
    constexpr std::array<u8, 12> usual{0xEC, 0x25, 0x35, 0xC8, 0xCA, 0xEF,
                                       0xE0, 0xE5, 0xE7, 0xEA, 0x40, 0xA0};
    const u32 slot = in_.below(32);
    const u32 entries = in_.rarely() ? in_.take<u16>() : in_.below(4);
    spec::command_header h;
    h.dw0.set(spec::cmd_header_dw0::cfl, in_.rarely() ? in_.byte() % 32 : u8{5});
    h.dw0.set(spec::cmd_header_dw0::w, in_.below(2) != 0);
    h.dw0.set(spec::cmd_header_dw0::prdtl, static_cast<u16>(entries));
    h.set_table(in_.rarely() ? address() & ~u64{127} : table);
    poke(list + slot * sizeof(h), h);
    spec::fis_reg_h2d fis = test::ata({}, in_.take<u16>(), in_.byte() % 9);
    fis.command = static_cast<spec::ata_cmd>(in_.rarely() ? in_.byte() : usual[in_.below(12)]);
    if (in_.rarely())
        fis = in_.take<spec::fis_reg_h2d>();
    poke(table, fis);
    for (u32 i = 0; i < std::min(entries, 4u); ++i) {
        spec::prd_entry prd;
        prd.set_address((in_.rarely() ? address() : data) & ~u64{1});
        prd.set_byte_count(in_.rarely() ? (in_.take<u32>() % (4u << 20) + 2) & ~1u : 4096);
        poke(table + spec::command_table::prd(i), prd);
    }
    put(spec::px_ci::offset, in_.rarely() ? in_.take<u32>() : 1u << slot);
    if (!with_file_)
        answers_ahead(h, fis);
    settle();
    line_.run_until(line_.now() + 10ms);
}

void hostile_guest::answer(u16 id, command c, u64 address, std::span<const u8> bytes) {
    const wire::dma_access a{address, bytes.size()};
    std::vector<u8> payload(bytes_of(a).begin(), bytes_of(a).end());
    payload.insert(payload.end(), bytes.begin(), bytes.end());
    client_->send_raw(
        vfio_client::build(id, c, payload, in_.rarely() ? in_.byte() : wire::type_reply));
}

/// The server's first question is how we count: in 32 bits, if we answer it.
void hostile_guest::answer_first() {
    if (asked_ != 0)
        return;
    const u32 flags = wire::type_reply | (in_.below(2) != 0 ? wire::error : 0);
    client_->send_raw(vfio_client::build(0, command::dma_read, {}, flags));
}

/// The server waits for no answer, so these must be there when the HBA asks: for the command's
/// header, its FIS, and then for what it wants to read or write.
void hostile_guest::answers_ahead(const spec::command_header& header,
                                  const spec::fis_reg_h2d& fis) {
    answer_first();
    u16 id = next_question();
    answer(id++, command::dma_read, list, bytes_of(header));
    answer(id++, command::dma_read, table, bytes_of(fis));
    spec::prd_entry prd;
    prd.set_address(data);
    prd.set_byte_count(4096);
    for (u32 more = in_.below(8); more != 0; --more) {
        if (in_.below(2) != 0)
            answer(id++, command::dma_read, table, bytes_of(prd));
        else
            answer(id++, command::dma_write, data, {});
    }
}

unique_fd hostile_guest::odd_descriptor() {
    switch (in_.below(6)) {
    case 0:
        return unique_fd{::open("/dev/zero", O_RDWR | O_CLOEXEC)};
    case 1:
        return unique_fd{::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    case 2: {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            return {};
        const unique_fd other{ends[1 - in_.below(2)]};
        return unique_fd{other.get() == ends[0] ? ends[1] : ends[0]};
    }
    case 3:
        return unique_fd{::dup(client_->fd())};
    case 4:
        return unique_fd{::memfd_create("small", MFD_CLOEXEC)};
    default:
        return test::new_eventfd();
    }
}

void hostile_guest::map() {
    const wire::dma_map m{in_.rarely() ? in_.byte() : 32u,
                          in_.rarely() ? in_.byte() : 1 + in_.below(3),
                          in_.rarely() ? in_.take<u64>() : in_.byte() * 4096u,
                          in_.rarely() ? in_.take<u64>() : in_.byte() * 4096u,
                          in_.rarely() ? in_.take<u64>() : in_.byte() * 4096u};
    const unique_fd odd = in_.rarely() ? odd_descriptor() : unique_fd{};
    const int fd = odd ? odd.get() : memory_.fd();
    const bool with = in_.below(4) != 0;
    send(command::dma_map, bytes_of(m), 0, {&fd, with ? 1u : 0u});
}

void hostile_guest::unmap() {
    if (in_.below(4) == 0)
        return send(command::dma_unmap, bytes_of(wire::dma_unmap{24, wire::dma_unmap_all, 0, 0}));
    const wire::dma_unmap u{in_.rarely() ? in_.byte() : 24u, in_.rarely() ? in_.byte() : 0u,
                            in_.rarely() ? in_.take<u64>() : in_.byte() * 4096u,
                            in_.rarely() ? in_.take<u64>() : in_.byte() * 4096u};
    send(command::dma_unmap, bytes_of(u));
}

void hostile_guest::set_irqs() {
    constexpr std::array<u32, 5> usual{0x24, 0x21, 0x11, 0x09, 0x22};
    const u32 flags = in_.rarely() ? in_.byte() : usual[in_.below(5)];
    const wire::set_irqs s{20, flags, in_.rarely() ? in_.take<u32>() : in_.below(2),
                           in_.rarely() ? in_.take<u32>() : 0,
                           in_.rarely() ? in_.take<u32>() : in_.below(2)};
    std::vector<u8> payload(bytes_of(s).begin(), bytes_of(s).end());
    if ((flags & wire::set_data_bool) != 0)
        payload.resize(payload.size() + s.count % 64, in_.byte());
    const unique_fd fd = in_.rarely() ? odd_descriptor() : test::new_eventfd();
    const int number = fd.get();
    const bool with = (flags & wire::set_data_eventfd) != 0 && s.count != 0 && fd;
    send(command::device_set_irqs, payload, 0, {&number, with ? 1u : 0u});
}

void hostile_guest::ask_for_info() {
    switch (in_.below(3)) {
    case 0:
        return send(command::device_get_info, bytes_of(wire::device_info{16, 0, 0, 0}));
    case 1:
        return send(command::device_get_region_info,
                    bytes_of(wire::region_info{32, 0, in_.byte(), 0, 0, 0}));
    default:
        return send(command::device_get_irq_info, bytes_of(wire::irq_info{16, 0, in_.byte(), 0}));
    }
}

void hostile_guest::raw_bytes() {
    tracked_ = false;
    client_->send_raw(in_.bytes(in_.byte()));
}

void hostile_guest::cut_memory() {
    const off_t size = in_.below(2) != 0 ? static_cast<off_t>(ram_size) : in_.take<u16>();
    [[maybe_unused]] const int r = ::ftruncate(memory_.fd(), size);
}

void hostile_guest::half_message() {
    const auto m =
        vfio_client::build(in_.byte(), static_cast<command>(in_.below(18)), in_.bytes(in_.byte()),
                           in_.rarely() ? in_.byte() : wire::no_reply);
    tracked_ = false;
    const std::size_t cut = in_.byte() % (m.size() + 1);
    const unique_fd fd = in_.rarely() ? odd_descriptor() : unique_fd{};
    const int number = fd.get();
    client_->send_raw(std::span{m}.first(cut), {&number, fd && cut != 0 ? 1u : 0u});
    settle();
    if (in_.rarely())
        return reconnect(); // in the middle
    client_->send_raw(std::span{m}.subspan(cut), {&number, fd && cut != m.size() ? 1u : 0u});
}

void hostile_guest::big_message() {
    const u32 size = wire::max_data_transfer - in_.below(4) + in_.below(4);
    const wire::region_access a{0, region(), in_.rarely() ? in_.take<u32>() : size};
    std::vector<u8> payload(bytes_of(a).begin(), bytes_of(a).end());
    payload.resize(payload.size() + size);
    if (payload.size() + sizeof(wire::header) > wire::max_message)
        tracked_ = false; // the server will hang up
    send(command::region_write, payload, in_.below(2) != 0 ? wire::no_reply : 0);
}

void hostile_guest::bad_header() {
    tracked_ = false;
    const wire::header h{in_.byte(), in_.byte(), in_.rarely() ? in_.take<u32>() : in_.byte(),
                         in_.byte(), in_.byte()};
    client_->send_raw(bytes_of(h));
}

/// Behind a command whose data goes through messages, this is an answer that is there already.
void hostile_guest::memory_answer() {
    tracked_ = false;
    const bool reads = in_.below(2) != 0;
    const wire::dma_access a{address(), in_.rarely() ? in_.take<u32>() : in_.byte()};
    std::vector<u8> payload(bytes_of(a).begin(), bytes_of(a).end());
    if (reads)
        payload.resize(payload.size() + std::min<u64>(a.count, 4096));
    client_->send_raw(vfio_client::build(in_.byte() % 4,
                                         reads ? command::dma_read : command::dma_write, payload,
                                         in_.rarely() ? in_.byte() : wire::type_reply));
}

void hostile_guest::reconnect() {
    client_->disconnect();
    if (in_.below(2) != 0)
        settle();
    connect();
}

void hostile_guest::second_client() {
    settle();
    const bool taken = server_->connected();
    const u32 gone = server_->clients_gone();
    vfio_client other{test::connect_to(socket_path()), [this] { turn(); }};
    settle();
    if (taken && server_->clients_gone() == gone)
        CHECK(!other.wait() && other.closed());
}

void hostile_guest::many_descriptors() {
    const std::vector<int> fds(1 + in_.below(20), memory_.fd());
    tracked_ = false;
    client_->send(command::dma_map, bytes_of(wire::dma_map{32, 3, 0, 0, 4096}), 0, fds);
}

void hostile_guest::pass_time() {
    line_.run_until(line_.now() + (in_.rarely() ? 60s : in_.byte() * 1ms));
    lazy_ = false;
}

} // namespace spinup::fuzz
