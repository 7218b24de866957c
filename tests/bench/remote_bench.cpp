// What a guest's register read costs on our side of the socket, beside its limit in the same run: a
// thread that echoes messages of the same sizes over the same kind of socket and does nothing else.
// Read the ratio at the end; absolute times drift with the machine.

#include "tests/support/one_disk.hpp"
#include "tests/support/vfio_client.hpp"

#include <atomic>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <map>
#include <thread>

namespace {

using namespace spinup;
using namespace spinup::test;

constexpr std::size_t question_bytes = sizeof(wire::header) + sizeof(wire::region_access);
constexpr std::size_t answer_bytes = question_bytes + sizeof(u32);

void wait_readable(int fd) {
    pollfd p{fd, POLLIN, 0};
    static_cast<void>(::poll(&p, 1, -1));
}

/// Sends `question` and waits for an answer, as a guest's processor does.
void round_trips(benchmark::State& state, int fd, std::span<const u8> question) {
    std::array<u8, 4096> answer;
    for (auto _ : state) {
        if (::send(fd, question.data(), question.size(), MSG_NOSIGNAL) < 0)
            return state.SkipWithError("the connection broke");
        for (std::size_t have = 0; have < answer_bytes;) {
            wait_readable(fd);
            const ssize_t n = ::recv(fd, answer.data(), answer.size(), 0);
            if (n <= 0)
                return state.SkipWithError("the connection broke");
            have += static_cast<std::size_t>(n);
        }
    }
    state.counters["s/read"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

std::vector<u8> question() {
    const wire::region_access a{spec::is::offset, wire::region_bar5, sizeof(u32)};
    return vfio_client::build(1, wire::command::region_read, bytes_of(a));
}

void register_read(benchmark::State& state) {
    scratch_folder folder;
    wall_timeline line;
    trace_ring log{line};
    auto served = remote::server::listen(folder.file("hba.sock"), log, {.ports = 1});
    if (!served)
        return state.SkipWithError(served.error().message.c_str());
    one_disk machine{line, log, (*served)->irq(), (*served)->dma(), 1};
    (*served)->serve(machine);
    remote::event_loop loop{line};
    loop.add(**served);
    std::atomic<bool> over{false};
    std::thread server{
        [&] { loop.run([&] { return over.load(); }, std::chrono::milliseconds{20}, [] {}); }};
    {
        auto socket = connect_to(folder.file("hba.sock"));
        const int fd = socket.get();
        vfio_client client{std::move(socket), [fd] { wait_readable(fd); }};
        client.version();
        client.reset();
        round_trips(state, fd, question());
    }
    over = true;
    server.join();
}
BENCHMARK(register_read)->UseRealTime()->Unit(benchmark::kMicrosecond);

void echo(benchmark::State& state) {
    auto [near, far] = socket_pair();
    std::thread other{[fd = far.get()] {
        std::array<u8, answer_bytes> buffer{};
        for (;;) {
            wait_readable(fd);
            if (::recv(fd, buffer.data(), buffer.size(), 0) <= 0)
                return;
            static_cast<void>(::send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL));
        }
    }};
    round_trips(state, near.get(), question());
    ::shutdown(near.get(), SHUT_RDWR);
    other.join();
}
BENCHMARK(echo)->UseRealTime()->Unit(benchmark::kMicrosecond);

class ratio final : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs)
            if (const auto c = run.counters.find("s/read"); c != run.counters.end())
                seconds_[run.run_name.function_name] = c->second.value;
    }
    void Finalize() override {
        if (seconds_.size() == 2)
            std::printf("\nregister read %.1f us, %.0f a second; to the bare echo %.2f\n",
                        seconds_["register_read"] * 1e6, 1 / seconds_["register_read"],
                        seconds_["register_read"] / seconds_["echo"]);
    }

  private:
    std::map<std::string, double> seconds_;
};

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    ratio reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
}
