# Writes OUTPUT, a C++ file that holds every .toml file of FOLDER, for machine::catalogue():
#
#   cmake -DFOLDER=catalogue -DOUTPUT=catalogue.cpp -P embed.cmake
file(GLOB files ${FOLDER}/*.toml)
list(SORT files)
set(entries "")
foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    # As hexadecimal, so that CMake's own rules for ; [ ] and \ cannot change the text.
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    # Literals of 16 bytes a line; compilers warn of very long lines in no mode, editors do.
    string(REGEX REPLACE "((\\\\x..){16})" "\\1\"\n     \"" bytes "${bytes}")
    string(APPEND entries "    {\"${name}\",\n     \"${bytes}\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"emu/machine/schema.hpp\"
#include <array>

namespace spinup::machine {
namespace {

constexpr catalogue_entry entries[] = {
${entries}};

} // namespace

std::span<const catalogue_entry> catalogue() { return entries; }

} // namespace spinup::machine
")
