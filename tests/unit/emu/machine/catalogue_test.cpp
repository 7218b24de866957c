#include "emu/machine/schema.hpp"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace spinup::machine {
namespace {

using namespace std::chrono_literals;

machine must_load(const std::string& name) {
    auto m = load(name);
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

std::string kinds_of(const machine& m) {
    std::string out;
    for (const auto& p : m.ports)
        out += (out.empty() ? "" : " ") +
               std::string{p.attached ? to_string(p.attached->kind) : "none"};
    return out;
}

TEST(Catalogue, every_machine_loads_under_its_own_name) {
    ASSERT_FALSE(catalogue().empty());
    for (const auto& entry : catalogue()) {
        const auto m = must_load(std::string{entry.name});
        EXPECT_EQ(m.name, entry.name);
        EXPECT_FALSE(m.summary.empty()) << entry.name;
        EXPECT_FALSE(m.source.empty()) << entry.name;
    }
}

TEST(Catalogue, is_sorted_and_byte_for_byte_what_the_files_hold) {
    EXPECT_TRUE(std::is_sorted(catalogue().begin(), catalogue().end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }));
    for (const auto& entry : catalogue()) {
        std::ifstream file(SPINUP_SOURCE_DIR "/emu/machine/catalogue/" + std::string{entry.name} +
                           ".toml");
        std::ostringstream text;
        text << file.rdbuf();
        EXPECT_EQ(entry.text, text.str()) << entry.name;
    }
}

// The ports as the posting of 5 September 2013 prints them.
TEST(Catalogue, has_the_three_computers_of_the_posting) {
    const auto one = must_load("computer-one");
    EXPECT_EQ(kinds_of(one), "ssd hdd hdd odd hdd hdd");
    EXPECT_EQ(count(one.ports[1].attached->capacity), 5'860'533'168u);
    EXPECT_EQ(count(one.ports[2].attached->capacity), 976'773'168u);
    EXPECT_TRUE(one.ports[3].attached->disc);
    EXPECT_EQ(count(one.ports[4].attached->capacity), 3'907'029'168u);
    EXPECT_EQ(count(one.ports[5].attached->capacity), 1'953'525'168u);
    const auto two = must_load("computer-two");
    EXPECT_EQ(kinds_of(two), "hdd none none none none none");
    const auto three = must_load("computer-three");
    EXPECT_EQ(kinds_of(three), "none odd none none hdd none");
    EXPECT_FALSE(three.ports[1].attached->disc);
}

TEST(Catalogue, marks_every_spin_up_time_of_the_three_computers_as_calibrated) {
    for (const char* name : {"computer-one", "computer-two", "computer-three"}) {
        const auto m = must_load(name);
        for (const auto& p : m.ports)
            EXPECT_EQ(m.is_calibrated("port." + std::to_string(p.number) + ".ready_ms"),
                      p.attached.has_value())
                << name << " port " << p.number;
        EXPECT_TRUE(std::any_of(m.calibrated.begin(), m.calibrated.end(), [](const auto& path) {
            return path.starts_with("device.");
        })) << name;
    }
}

TEST(Catalogue, back_to_back_has_no_disk_driver_unless_it_is_set) {
    const auto without = must_load("back-to-back");
    EXPECT_EQ(without.ports[0].attached->ready, 200ms);
    EXPECT_EQ(without.ports[1].attached->ready, 3s);
    EXPECT_EQ(without.ports[2].attached->ready, 7s);
    EXPECT_FALSE(without.ports[0].attached->driver);
    const std::vector<override_text> sets{"disk_driver=true"};
    const auto with = load("back-to-back", sets);
    ASSERT_TRUE(with.ok());
    EXPECT_TRUE(with->ports[0].attached->driver);
}

TEST(Catalogue, an_unknown_name_says_which_was_meant) {
    const auto near = load("computer-oen");
    ASSERT_FALSE(near.ok());
    EXPECT_EQ(near.error().message, "unknown machine `computer-oen`");
    EXPECT_EQ(near.error().hint, "did you mean `computer-one`? (`spinup machines` lists all)");
    const auto far = load("zzzzzzzzzz");
    ASSERT_FALSE(far.ok());
    EXPECT_EQ(far.error().hint.find("one of: back-to-back, "), 0u) << far.error().hint;
    EXPECT_FALSE(load("").ok());
    EXPECT_FALSE(load("\x1b[31m").ok());
    EXPECT_EQ(load("\x1b[31m").error().text().find('\x1b'), std::string::npos);
}

} // namespace
} // namespace spinup::machine
