// Every request of the upper layers and every command of libata's ends, and ends once.
#include "emu/study/properties/records.hpp"
#include <set>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        const std::pair key{r.args[0], r.args[1]};
        switch (event_of(r)) {
        case trace_event::scsi_queue:
            requests_.insert(key);
            break;
        case trace_event::scsi_done:
            if (requests_.erase(key) == 0)
                return fmt::format("{}: request {} is done twice", facts_.name(name_id{r.args[0]}),
                                   r.args[1]);
            break;
        case trace_event::qc_issue:
            if (!commands_.insert(key).second)
                return fmt::format("ata{}: tag {} is issued again while it is out", r.args[0],
                                   r.args[1]);
            break;
        case trace_event::qc_complete:
            if (commands_.erase(key) == 0)
                return fmt::format("ata{}: tag {} completes twice", r.args[0], r.args[1]);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

    violation at_end() override {
        for (const auto& [name, serial] : requests_) {
            const std::string_view disk = facts_.name(name_id{name});
            const u32 n = port_of_disk(disk);
            // A suspended port's requests are held until its resume.
            if (n == 0 || n > facts_.ports() || !facts_.port(n).suspended)
                return fmt::format("{}: request {} is never done", disk, serial);
        }
        for (const auto& [port, tag] : commands_)
            return fmt::format("ata{}: tag {} never completes", port, tag);
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
    std::set<std::pair<u32, u32>> requests_; // name and serial number
    std::set<std::pair<u32, u32>> commands_; // port and tag
};

} // namespace

const property property_command_completes_once{
    .name = "command-completes-once",
    .meaning = "every command ends, and ends once",
    .source = "D-22, D-23",
    .over = watch_over<watch>,
    .sees = {trace_event::scsi_queue, trace_event::scsi_done, trace_event::qc_issue,
             trace_event::qc_complete}};

} // namespace spinup::study
