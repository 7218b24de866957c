// Machine files with one mistake each, and the error that a user gets: place, words and hint.
#include "emu/machine/schema.hpp"
#include <gtest/gtest.h>
#include <ostream>

namespace spinup::machine {
namespace {

struct broken_file {
    std::string name;
    std::string text; ///< "@@" stands before the mistake and is not part of the text
    std::string message;
    std::string hint; ///< empty: no hint; "*": any
};

std::ostream& operator<<(std::ostream& out, const broken_file& f) { return out << f.name; }

const std::string good = "name = \"m\"\n[hba]\nports = 4\n";

std::string port(const std::string& rest) { return good + "[[port]]\n" + rest; }
std::string hdd(const std::string& rest) { return port("number = 1\ndrive = \"hdd\"\n" + rest); }
std::string odd(const std::string& rest) { return port("number = 1\ndrive = \"odd\"\n" + rest); }
std::string device(const std::string& rest) { return good + "[[device]]\n" + rest; }

std::string repeat(const std::string& what, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i)
        out += what;
    return out;
}

const std::vector<broken_file> files{
    // Not TOML.
    {"value_missing", "name = @@\n", "not TOML", ""},
    {"table_without_name", "[@@=]\n", "not TOML", ""},
    {"table_name_is_a_dot", "[[@@.]]\n", "not TOML", ""},
    {"text_without_quotes", port("number = 1\ndrive = @@hdd # a disk\n"), "not TOML",
     "text goes in quotes: drive = \"hdd\""},
    {"same_key_twice", "name = \"a\"\nname = @@\"b\"\n", "cannot redefine", ""},
    {"same_table_twice", good + "@@[hba]\n", "cannot redefine", ""},
    {"string_not_closed", "name = \"m@@\n", "not TOML", ""},
    {"integer_too_long", good + "sleep = 99999999999999999999@@\n", "not representable", ""},
    {"arrays_too_deep", "x = " + repeat("[", 256) + "@@" + repeat("[", 100), "nested", ""},
    {"key_too_deep", "a.a.a.a.a.a.a.a@@.a.a = 1\n", "more than 8 parts", ""},
    {"table_name_too_deep", "[" + repeat("a.", 7) + "a@@" + repeat(".a", 500'000 / 2) + "]\n",
     "more than 8 parts", ""},
    {"not_utf8", "name = \"m\xc3\xa9 @@\xff\"\n", "not UTF-8 text (byte 0xff at offset 12)", ""},
    {"utf8_cut_short", "name = \"m\" # @@\xe2\x82", "not UTF-8 text", ""},
    {"utf8_surrogate", "name = \"@@\xed\xa0\x80\"\n", "not UTF-8 text", ""},

    // Tables.
    {"unknown_table", good + "[@@hbas]\nports = 1\n", "unknown table `hbas`",
     "did you mean `hba`?"},
    {"unknown_list_of_tables", good + "[[@@disk]]\nnumber = 1\n", "unknown table `disk`",
     "one of: hba, port, device"},
    {"one_bracket", good + "[@@port]\nnumber = 1\n", "`port` is a list of tables",
     "write [[port]] above each of them"},
    {"two_brackets", "name = \"m\"\n[[@@hba]]\nports = 1\n", "`hba` is one table",
     "write [hba] once"},
    {"port_list_of_numbers", "@@port = [1, 2]\n", "`port` is a list of tables",
     "write [[port]] above each of them"},
    {"no_hba", "@@name = \"m\"\n", "there is no [hba]", "a machine file needs [hba] with `ports`"},
    {"empty_file", "@@", "the top of the file lacks `name`",
     "name: name of the machine, in reports"},
    {"hba_without_ports", "name = \"m\"\n@@[hba]\npmp = true\n", "[hba] lacks `ports`",
     "ports: number of ports"},
    {"port_without_number", good + "@@[[port]]\ndrive = \"hdd\"\n", "[[port]] lacks `number`",
     "number: which port: 1 is ata1"},
    {"port_without_drive", good + "@@[[port]]\nnumber = 1\n", "[[port]] lacks `drive`",
     "drive: what is plugged in"},
    {"device_without_name", good + "@@[[device]]\nresume_ms = 1\n", "[[device]] lacks `name`",
     "name: as in the kernel's log"},

    // Keys.
    {"unknown_key", good + "@@prots = 4\n", "unknown key `prots` in [hba]",
     "did you mean `ports`?"},
    {"unknown_key_at_top", "@@nmae = \"m\"\n", "unknown key `nmae` in the top of the file",
     "did you mean `name`?"},
    {"unknown_key_of_port", hdd("@@redy_ms = 1\n"), "unknown key `redy_ms` in [[port]]",
     "did you mean `ready_ms`?"},
    {"key_of_another_table", hdd("@@resume_noirq_ms = 1\n"),
     "unknown key `resume_noirq_ms` in [[port]]",
     "`resume_noirq_ms` is a key of [hba] and [[device]]"},
    {"dotted_key", good + "@@irq.kind = \"msi\"\n", "`irq` takes one of", ""},
    {"first_mistake_wins", hdd("@@stop_mss = 1\nalso_wrong = 2\n"), "unknown key `stop_mss`",
     "did you mean `stop_ms`?"},
    {"first_in_the_file_not_by_name",
     good + "[[port]]\n@@zzz = 1\n[[device]]\naaa = 1\nname = \"d\"\n", "unknown key `zzz`", "*"},
    {"typo_before_what_it_leaves_out", good + "[[port]]\n@@numbr = 1\ndrive = \"hdd\"\n",
     "unknown key `numbr`", "did you mean `number`?"},

    // Types.
    {"text_for_time", hdd("ready_ms = @@\"5 s\"\n"),
     "`ready_ms` takes milliseconds, not the text \"5 s\"", ""},
    {"boolean_for_time", hdd("ready_ms = @@true\n"), "not a boolean", ""},
    {"date_for_time", hdd("ready_ms = @@1979-05-27\n"), "not a date or time", ""},
    {"list_for_time", hdd("ready_ms = @@[\"a\"]\n"), "not a list", ""},
    {"table_for_time", hdd("ready_ms = @@{a = 1}\n"), "not a table", ""},
    {"float_for_integer", "name = \"m\"\n[hba]\nports = @@4.0\n",
     "`ports` takes an integer, not a float", ""},
    {"integer_for_boolean", good + "pmp = @@1\n", "`pmp` takes true or false, not an integer", ""},
    {"integer_for_text", "name = @@7\n", "`name` takes text, not an integer", ""},
    {"integer_for_choice", good + "irq = @@7\n",
     "`irq` takes one of \"msi\", \"level\", not an integer", ""},
    {"text_for_list", "calibrated = @@\"sleep_ms\"\n", "`calibrated` takes a list of texts", ""},
    {"integer_in_list", "calibrated = [\"sleep_ms\", @@7]\n", "a list that holds something else",
     ""},

    // Ranges.
    {"no_ports", "name = \"m\"\n[hba]\nports = @@0\n", "`ports` is 0, out of range 1 to 32", ""},
    {"too_many_ports", "name = \"m\"\n[hba]\nports = @@33\n", "`ports` is 33, out of range", ""},
    {"negative_time", hdd("ready_ms = @@-0.5\n"), "`ready_ms` is -0.5, out of range 0 to 3600000",
     ""},
    {"time_too_long", hdd("ready_ms = @@3600001\n"), "`ready_ms` is 3600001, out of range",
     "times in `_ms` keys are milliseconds, an hour at most"},
    {"time_infinite", hdd("ready_ms = @@inf\n"), "`ready_ms` is inf, out of range", "*"},
    {"time_not_a_number", hdd("ready_ms = @@nan\n"), "`ready_ms` is nan, out of range", "*"},
    {"time_huge", hdd("ready_ms = @@1e300\n"), "`ready_ms` is 1e+300, out of range", "*"},
    {"microseconds_too_long", hdd("command_latency_us = @@1000001\n"), "out of range 0 to 1000000",
     ""},
    {"no_capacity", hdd("capacity_gb = @@0\n"), "`capacity_gb` is 0, out of range 1 to 100000", ""},
    {"link_of_the_future", hdd("link_gen = @@4\n"), "`link_gen` is 4, out of range 1 to 3", ""},
    {"empty_name", "name = @@\"\"\n", "`name` has 0 characters, out of range 1 to 40", ""},
    {"serial_too_long", hdd("serial = @@\"" + repeat("7", 21) + "\"\n"),
     "`serial` has 21 characters, out of range 1 to 20", ""},
    {"model_not_ascii", hdd("model = \"Gr@@\xc3\xbc\xc3\x9f\"\n"),
     "a character that is not ASCII, outside of a comment",
     "IDENTIFY, the kernel's log and these reports are ASCII"},
    {"umlaut_for_a_blank", "name @@\xc3\xbc = 1\n", "a character that is not ASCII", "*"},
    {"umlaut_after_a_line_ending_backslash", "name = \"\"\"a\\\n@@\xc3\xbc\"\"\"\n",
     "a character that is not ASCII", "*"},
    {"escaped_umlaut", hdd("model = @@\"Gr\\u00fc\"\n"),
     "`model` holds a character that is not printable ASCII", "*"},
    {"model_with_escape", hdd("model = @@\"a\\u001b[31m\"\n"), "not printable ASCII", "*"},
    {"device_name_with_blank", device("name = @@\"a b\"\n"),
     "`name` holds ' ', which no device name may", ""},
    {"unknown_choice", hdd("signature_at = @@\"linkup\"\n"), "`signature_at` cannot be \"linkup\"",
     "did you mean `link_up`?"},
    {"unknown_drive", port("number = 1\ndrive = @@\"floppy\"\n"), "`drive` cannot be \"floppy\"",
     "one of: ssd, hdd, odd, none"},

    // What contradicts each other.
    {"port_beyond_the_hba", port("number = @@5\ndrive = \"hdd\"\n"),
     "port 5 is out of range 1 to 4", "hba.ports says how many there are"},
    {"port_beyond_ahci", port("number = @@33\ndrive = \"hdd\"\n"), "`number` is 33, out of range",
     ""},
    {"two_drives_on_a_port",
     hdd("[[port]]\nnumber = 2\ndrive = \"ssd\"\n[[port]]\nnumber = @@1\ndrive = \"ssd\"\n"),
     "port 1 is listed twice", "one drive a port; the other is at line 4"},
    {"figures_of_no_drive", port("number = 3\ndrive = \"none\"\n@@ready_ms = 1\n"),
     "port 3 has no drive for `ready_ms`",
     "give it one: drive = \"hdd\", or --set port.3.drive=hdd"},
    {"disc_in_a_disk", hdd("@@disc = true\n"), "`disc` is not for an hdd, which is in port 1",
     "it is for drive = \"odd\""},
    {"capacity_of_an_odd", odd("@@capacity_gb = 5\n"), "`capacity_gb` is not for an odd",
     "it is for drive = \"ssd\" or \"hdd\""},
    {"device_twice", device("name = \"gpu\"\n[[device]]\nname = @@\"gpu\"\n"),
     "device `gpu` is listed twice", "the other is at line 5"},
    {"device_named_as_the_hba", device("name = @@\"0000:00:1f.2\"\n"), "is the name of the HBA",
     ""},
    {"device_named_as_a_port", device("name = @@\"ata4\"\n"), "is the name of the HBA", ""},
    {"device_named_as_a_disk", device("name = @@\"3:0:0:0\"\n"), "is the name of the HBA", ""},
    {"unknown_parent", device("name = \"usb1\"\n[[device]]\nname = \"1-1\"\nparent = @@\"usb2\"\n"),
     "unknown parent `usb2`", "did you mean `usb1`?"},
    {"parent_is_the_hba", device("name = \"d\"\nparent = @@\"0000:00:1f.2\"\n"),
     "unknown parent `0000:00:1f.2`", "only ports can hang below the HBA"},
    {"unknown_parent_of_the_hba",
     "name = \"t\"\n[hba]\nports = 1\nparent = @@\"pci0\"\n[[device]]\nname = \"pci1\"\n",
     "unknown parent `pci0`", "did you mean `pci1`?"},
    {"hba_named_as_its_port", "name = \"t\"\n[hba]\nname = @@\"ata1\"\nports = 1\n",
     "`ata1` is the name of a device below the HBA",
     "the HBA has a PCI address, for instance 0000:00:1f.2"},
    {"hba_named_as_its_host", "name = \"t\"\n[hba]\nname = @@\"host0\"\nports = 1\n",
     "`host0` is the name of a device below the HBA", "*"},
    {"own_parent", device("name = \"d\"\nparent = @@\"d\"\n"), "a device is its own ancestor",
     "d -> d"},
    {"ring_of_parents",
     device("name = \"a\"\nparent = \"b\"\n[[device]]\nname = \"b\"\nparent = @@\"c\"\n"
            "[[device]]\nname = \"c\"\nparent = \"b\"\n"),
     "a device is its own ancestor", "b -> c -> b"},
    {"too_many_devices",
     good +
         [] {
             std::string text;
             for (int i = 0; i < 1001; ++i)
                 text += (i == 1000 ? "@@[[device]]\nname = \"d" : "[[device]]\nname = \"d") +
                         std::to_string(i) + "\"\n";
             return text;
         }(),
     "more than 1000 devices", ""},
    {"calibrated_unknown_key", "calibrated = [@@\"port.1.redy_ms\"]\n" + hdd(""),
     "unknown key `redy_ms` in path `port.1.redy_ms`", "did you mean `ready_ms`?"},
    {"calibrated_unknown_path", "calibrated = [@@\"disk.1.ready_ms\"]\n" + hdd(""),
     "unknown path `disk.1.ready_ms`", "*"},
    {"calibrated_empty_port", "calibrated = [@@\"port.2.ready_ms\"]\n" + hdd(""),
     "`port.2.ready_ms` names nothing here", "a calibrated value is one of this file"},
    {"calibrated_no_device", "calibrated = [@@\"device.x.resume_ms\"]\n" + hdd(""),
     "`device.x.resume_ms` names nothing here", "*"},
};

class BrokenFile : public testing::TestWithParam<broken_file> {};

TEST_P(BrokenFile, is_one_error_with_place_and_hint) {
    const broken_file& file = GetParam();
    std::string text = file.text;
    const auto mark = text.find("@@");
    ASSERT_NE(mark, std::string::npos) << "no place is marked";
    text.erase(mark, 2);
    unsigned line = 1;
    unsigned column = 1;
    for (const char c : text.substr(0, mark)) {
        const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
        column = c == '\n' ? 1 : continues ? column : column + 1;
        line += c == '\n' ? 1 : 0;
    }

    const auto m = parse(text, "m.toml");

    ASSERT_FALSE(m.ok());
    const user_error& e = m.error();
    EXPECT_EQ(e.where.file, "m.toml");
    EXPECT_EQ(e.where.line, line) << e.text();
    EXPECT_EQ(e.where.column, column) << e.text();
    EXPECT_NE(e.message.find(file.message), std::string::npos) << e.text();
    if (file.hint != "*") {
        EXPECT_EQ(e.hint, file.hint);
    }
    EXPECT_EQ(e.message.find('\n'), std::string::npos) << "one line";
}

INSTANTIATE_TEST_SUITE_P(Schema, BrokenFile, testing::ValuesIn(files),
                         [](const auto& test) { return test.param.name; });

} // namespace
} // namespace spinup::machine
