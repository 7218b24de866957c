#include "emu/cli/result_files.hpp"

#include <algorithm>

namespace spinup::cli {

result_files::result_files(const std::string& json_to, const std::string& dmesg_to,
                           const std::string& trace_to)
    : json{"--json", json_to}, dmesg{"--dmesg", dmesg_to}, trace{"--trace", trace_to} {}

bool result_files::take_stdout() const {
    return json.to_stdout() || dmesg.to_stdout() || trace.to_stdout();
}

status open_wanted(const output_target& target, std::optional<growing_output>& into) {
    if (!target.wanted())
        return std::nullopt;
    auto file = growing_output::open(target);
    if (!file)
        return file.error();
    into.emplace(std::move(*file));
    return std::nullopt;
}

status write_session(std::span<const output> texts,
                     std::initializer_list<std::optional<growing_output>*> grown,
                     std::string_view tables) {
    status first;
    const auto note = [&first](status wrong) {
        if (!first)
            first = std::move(wrong);
    };
    for (const output& each : texts)
        note(write_outputs({&each, 1}));
    for (auto* each : grown)
        if (*each)
            note((*each)->commit());
    note(write_stdout(tables));
    return first;
}

} // namespace spinup::cli
