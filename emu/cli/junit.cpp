#include "emu/cli/junit.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

/// For an attribute or text. XML 1.0 has no way to write other control characters than these.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' ? c : ' ';
        }
    }
    return out;
}

} // namespace

std::string junit(std::string_view suite, std::span<const junit_case> cases) {
    const auto failed = std::count_if(cases.begin(), cases.end(),
                                      [](const auto& each) { return !each.failure.empty(); });
    const auto skipped =
        std::count_if(cases.begin(), cases.end(), [](const auto& each) { return each.skipped; });
    std::string out =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" "
                    "tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                    escaped(suite), cases.size(), failed, skipped);
    for (const junit_case& each : cases) {
        fmt::format_to(std::back_inserter(out), "  <testcase classname=\"{}\" name=\"{}\"",
                       escaped(suite), escaped(each.name));
        if (!each.failure.empty())
            fmt::format_to(std::back_inserter(out), "><failure>{}</failure></testcase>\n",
                           escaped(each.failure));
        else
            out += each.skipped ? "><skipped/></testcase>\n" : "/>\n";
    }
    return out + "</testsuite>\n";
}

} // namespace spinup::cli
