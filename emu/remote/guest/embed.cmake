# Writes OUTPUT, a C++ file that holds FILES, for guest_scripts::carried():
#
#   cmake "-DFILES=boot;init" -DOUTPUT=carried.cpp -P embed.cmake
set(entries "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    file(SIZE ${file} size)
    # As hexadecimal, so that CMake's own rules for ; [ ] and \ cannot change the text.
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    # Literals of 16 bytes a line; compilers warn of very long lines in no mode, editors do.
    string(REGEX REPLACE "((\\\\x..){16})" "\\1\"\n     \"" bytes "${bytes}")
    # What is sourced or read by another has a suffix; what is run has none.
    get_filename_component(suffix ${file} LAST_EXT)
    if(suffix)
        set(runs false)
    else()
        set(runs true)
    endif()
    string(APPEND entries "    {\"${name}\", ${runs},\n     {\"${bytes}\", ${size}}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"emu/remote/guest/guest_scripts.hpp\"

namespace spinup::remote::guest_scripts {
namespace {

constexpr carried_file files[] = {
${entries}};

} // namespace

std::span<const carried_file> carried() { return files; }

} // namespace spinup::remote::guest_scripts
")
