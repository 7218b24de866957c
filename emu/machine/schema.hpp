// Machine files: from TOML to a checked machine.
//
// A machine is a TOML file or a name in the catalogue, which is built into the program. Every
// mistake is one error with file, line and column, and a hint where there is something to say. The
// error reported is the first in the file among mistakes in single keys; only when there are none
// are missing keys looked for, and then what contradicts each other.
#pragma once

#include "emu/machine/machine.hpp"
#include <span>
#include <spinup/base/result.hpp>

namespace spinup::machine {

/// One `--set path=value`. Paths: KEY, hba.KEY, port.N.KEY, device.NAME.KEY. Setting a port's
/// `drive` puts another drive in: the file's other keys of that port no longer count.
using override_text = std::string;

/// Machine from text; `file` is the name in errors.
result<machine> parse(std::string_view text, std::string_view file,
                      std::span<const override_text> overrides = {});

/// Machine from MACHINE on a command line: a path if it holds a '/', ends in .toml or is a file,
/// else a name in the catalogue.
result<machine> load(std::string_view name_or_path, std::span<const override_text> overrides = {});

struct catalogue_entry {
    std::string_view name;
    std::string_view text;
};

/// The machines that are built in, by name.
std::span<const catalogue_entry> catalogue();

/// All keys, with types, ranges and defaults, as text of at most 100 columns.
std::string schema_text();

} // namespace spinup::machine
