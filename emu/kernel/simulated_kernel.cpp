#include "emu/kernel/simulated_kernel.hpp"

#include <utility>

namespace spinup::kernel {

namespace {

/// Makes a kernel the context of failed CHECKs for a scope.
class in_context {
  public:
    explicit in_context(const check_context& c) : before_(set_check_context(&c)) {}
    ~in_context() { set_check_context(before_); }
    in_context(const in_context&) = delete;
    in_context& operator=(const in_context&) = delete;

  private:
    const check_context* before_;
};

} // namespace

simulated_kernel::simulated_kernel(virtual_timeline& line, trace& log, const oracle_config& config)
    : system(line, log, sched_), own_oracle_(config.make()),
      oracle_(own_oracle_ != nullptr ? *own_oracle_ : *config.recorder),
      sched_(*this, line, log, memory_, oracle_.explores() ? &oracle_ : nullptr, config.options) {
    line.set_oracle(oracle_.explores() ? &oracle_ : nullptr);
}

simulated_kernel::~simulated_kernel() {
    stop();
    static_cast<virtual_timeline&>(clock()).set_oracle(nullptr);
}

run_end simulated_kernel::run(std::string_view name, std::function<void()> body, duration limit) {
    const in_context context{*this};
    return sched_.run(name, std::move(body), limit);
}

void simulated_kernel::stop() {
    const in_context context{*this};
    sched_.stop();
}

const replay* simulated_kernel::replaying() const { return dynamic_cast<const replay*>(&oracle_); }

std::string simulated_kernel::describe() const {
    std::string out = "at " + seconds(now());
    if (cpu().current == nullptr)
        out += ", in an interrupt, a timer or outside of a run";
    else
        out += ", in " + std::string{name(cpu().current->name)} + " [" + std::to_string(cpu().pid) +
               "]";
    out += ", spinlocks held: " + std::to_string(cpu().spinlocks);
    return out + "\n" + listed(sched_.waiting()) + "token: " + schedule().text();
}

// What every system does, by way of the scheduler.

void system::msleep(duration d) {
    const s64 jiffies = now().time_since_epoch() / jiffy;
    const s64 timeout = (d + jiffy - duration{1}) / jiffy + 1; // schedule_timeout()'s argument
    scheduler_->sleep_to(time_point{(jiffies + timeout) * jiffy});
}
void system::usleep_range(duration d) { scheduler_->sleep_to(now() + d); }

u16 system::kthread_run(std::string_view name, std::function<void()> body) {
    const thread* t = scheduler_->spawn(intern(name), std::move(body));
    const u16 pid = t == nullptr ? u16{0} : t->pid;
    scheduler_->decision_point(deed::sync);
    return pid;
}

void system::request_irq(u32 irq, std::function<void()> handler) {
    scheduler_->request_irq(irq, std::move(handler));
}

void system::free_irq(u32 irq) { scheduler_->free_irq(irq); }

dma_memory system::dma_alloc_coherent(std::size_t bytes, std::size_t align) {
    return scheduler_->memory().allocate(bytes, align);
}

void system::warn(const char* condition, const char* file, int line) {
    scheduler_->complain(finding_kind::complaint, condition, file, line);
}

void system::forget_locals(u32 where) { scheduler_->forget_locals(where); }

} // namespace spinup::kernel
