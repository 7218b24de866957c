# The words this project's CMakeLists.txt files are written in.
#
#   room(NAME emu_time SRCS a.cpp b.cpp USES emu_base LIBS Threads::Threads)
#       One static library: the folder's code. The name is the folder with / written as _.
#   program(NAME spinup SRCS main.cpp USES emu_cli)
#       An executable in bin/.
#   room_test(NAME unit_emu_time SRCS a_test.cpp USES emu_time LABELS unit [WHOLE])
#       A GoogleTest executable with rapidcheck; one ctest per test, or one in all with WHOLE.
#   room_bench(NAME bench_emu_time SRCS queue_bench.cpp USES emu_time)
#       A Google Benchmark executable, where SPINUP_BENCH is on.
#   room_fuzz(NAME fuzz_codec SRCS codec_fuzz.cpp MAIN replay.cpp CORPUS corpus/codec USES ...)
#       A fuzz target (LLVMFuzzerTestOneInput). Built always, and replays its corpus as a test; with
#       SPINUP_FUZZ libFuzzer is its main() instead.
#
# The include rule. Headers are named from the root: "emu/time/queue.hpp". The root itself is on
# nobody's include path; each room has a folder rooms/<room>/ in the build tree with links to its
# headers, and only the room and those that use it have that folder on theirs.

set(SPINUP_LABELS unit spec conform prop explore golden seeds figures long)

# Complains in the way that SPINUP_PARTIAL asks for.
function(_complain)
    if(SPINUP_PARTIAL)
        message(WARNING ${ARGV})
    else()
        message(FATAL_ERROR ${ARGV})
    endif()
endfunction()

# Parses the arguments of the five words into arg_*, and says which are wrong.
macro(_parse_words required)
    cmake_parse_arguments(arg "WHOLE" "NAME;MAIN;CORPUS" "SRCS;USES;LIBS;LABELS" ${ARGN})
    foreach(_key ${required})
        if(NOT arg_${_key})
            message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}(): ${_key} is missing")
        endif()
    endforeach()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}(${arg_NAME}): what is "
                            "\"${arg_UNPARSED_ARGUMENTS}\"?")
    endif()
endmacro()

# Adds every folder at or below `roots` that has a CMakeLists.txt. Sorted, so parents come first.
function(add_folders)
    foreach(root ${ARGN})
        set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${root})
        file(GLOB_RECURSE lists CONFIGURE_DEPENDS ${folder}/CMakeLists.txt)
        foreach(list ${lists})
            get_filename_component(folder ${list} DIRECTORY)
            add_subdirectory(${folder})
        endforeach()
    endforeach()
endfunction()

# Puts links to the current folder's headers in rooms/<room>/, leaving out those of rooms inside it,
# and gives `target` that include path. Removed headers lose their link when CMake runs again.
function(_see_own_headers target scope)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    string(REPLACE "/" "_" room ${folder})
    set(links ${PROJECT_BINARY_DIR}/rooms/${room})
    target_include_directories(${target} ${scope} ${links})
    target_compile_options(${target} ${scope} -fmacro-prefix-map=${links}/=)

    get_property(linked GLOBAL PROPERTY SPINUP_LINKED)
    if(links IN_LIST linked)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY SPINUP_LINKED ${links})

    set(here ${CMAKE_CURRENT_SOURCE_DIR})
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${here} ${here}/*.hpp ${here}/*.inc)
    file(GLOB_RECURSE inner CONFIGURE_DEPENDS RELATIVE ${here} ${here}/*/CMakeLists.txt)
    foreach(list ${inner})
        get_filename_component(other ${list} DIRECTORY)
        if(other)
            list(FILTER headers EXCLUDE REGEX "^${other}/")
        endif()
    endforeach()
    file(REMOVE_RECURSE ${links})
    file(MAKE_DIRECTORY ${links})
    foreach(header ${headers})
        get_filename_component(parent ${links}/${folder}/${header} DIRECTORY)
        file(MAKE_DIRECTORY ${parent})
        file(CREATE_LINK ${here}/${header} ${links}/${folder}/${header} SYMBOLIC)
    endforeach()
endfunction()

function(room)
    _parse_words("NAME" ${ARGV})
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    string(REPLACE "/" "_" expected ${folder})
    if(NOT arg_NAME STREQUAL expected)
        message(FATAL_ERROR "the room in ${folder} is called ${expected}, not ${arg_NAME}")
    endif()
    if(arg_SRCS)
        set(scope PUBLIC)
        add_library(${arg_NAME} STATIC ${arg_SRCS})
    else()
        set(scope INTERFACE)
        add_library(${arg_NAME} INTERFACE)
    endif()
    _see_own_headers(${arg_NAME} ${scope})
    target_link_libraries(${arg_NAME} ${scope} spinup_flags ${arg_USES} ${arg_LIBS})
    if(arg_NAME STREQUAL "emu_cli")
        target_compile_definitions(${arg_NAME} ${scope} SPINUP_VERSION="${PROJECT_VERSION}")
    endif()
    set_property(GLOBAL APPEND PROPERTY SPINUP_ROOMS ${arg_NAME})
    set_property(GLOBAL PROPERTY SPINUP_USES_${arg_NAME} "${arg_USES}")
endfunction()

# Executable with the flags and headers that all of ours have. Returns from the caller, with a
# warning, if a room it uses does not exist and SPINUP_PARTIAL is on.
macro(_add_program)
    foreach(used ${arg_USES})
        if(NOT TARGET ${used})
            _complain("${arg_NAME} uses ${used}, which is not a room")
            return()
        endif()
    endforeach()
    add_executable(${arg_NAME} ${arg_SRCS})
    _see_own_headers(${arg_NAME} PRIVATE)
    target_link_libraries(${arg_NAME} PRIVATE spinup_flags ${arg_USES} ${arg_LIBS})
endmacro()

function(program)
    _parse_words("NAME;SRCS" ${ARGV})
    _add_program()
    target_compile_definitions(${arg_NAME} PRIVATE SPINUP_VERSION="${PROJECT_VERSION}")
endfunction()

# Remembers that these sources are built by somebody; see finish_rooms().
function(_register)
    foreach(source ${ARGN})
        set_property(GLOBAL APPEND PROPERTY SPINUP_REGISTERED ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    endforeach()
endfunction()

# Tests run at the root of the sources. SPINUP_SOURCE_DIR and SPINUP_PROGRAM tell them where things
# are; figures imply long.
function(room_test)
    _parse_words("NAME;SRCS;LABELS" ${ARGV})
    foreach(label ${arg_LABELS})
        if(NOT label IN_LIST SPINUP_LABELS)
            message(FATAL_ERROR "room_test(${arg_NAME}): no label ${label} in ${SPINUP_LABELS}")
        endif()
    endforeach()
    if("figures" IN_LIST arg_LABELS)
        list(APPEND arg_LABELS long)
    endif()
    _register(${arg_SRCS})
    if(NOT SPINUP_TESTS)
        return()
    endif()
    _add_program()
    set_target_properties(${arg_NAME} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests)
    target_compile_definitions(${arg_NAME} PRIVATE
        SPINUP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SPINUP_PROGRAM="${PROJECT_BINARY_DIR}/bin/spinup")
    target_link_libraries(${arg_NAME} PRIVATE rapidcheck rapidcheck_gtest GTest::gtest_main)
    if("long" IN_LIST arg_LABELS)
        set(timeout 3600)
    else()
        set(timeout 300)
    endif()
    if(arg_WHOLE)
        add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${timeout})
    else()
        gtest_discover_tests(${arg_NAME} TEST_PREFIX ${arg_NAME}. TEST_LIST ${arg_NAME}_TESTS
            NO_PRETTY_VALUES DISCOVERY_TIMEOUT 120 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            PROPERTIES TIMEOUT ${timeout})
        # Not among those PROPERTIES: a list of labels does not survive the way through them.
        set(script ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_labels.cmake)
        file(WRITE ${script} "if(${arg_NAME}_TESTS)\n  set_tests_properties(\${${arg_NAME}_TESTS} "
                             "PROPERTIES LABELS \"${arg_LABELS}\")\nendif()\n")
        set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
    endif()
endfunction()

function(room_bench)
    _parse_words("NAME;SRCS" ${ARGV})
    _register(${arg_SRCS})
    if(NOT SPINUP_BENCH)
        return()
    endif()
    _add_program()
    set_target_properties(${arg_NAME} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/bench)
    target_link_libraries(${arg_NAME} PRIVATE benchmark::benchmark_main benchmark::benchmark)
    if(SPINUP_TESTS)
        add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
        set_tests_properties(${arg_NAME} PROPERTIES LABELS bench RUN_SERIAL ON)
    endif()
endfunction()

function(room_fuzz)
    _parse_words("NAME;SRCS;MAIN;CORPUS" ${ARGV})
    if(NOT SPINUP_TESTS)
        return()
    endif()
    if(NOT SPINUP_FUZZ)
        list(APPEND arg_SRCS ${arg_MAIN})
    endif()
    _add_program()
    set_target_properties(${arg_NAME} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/fuzz)
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/${arg_CORPUS})
    if(SPINUP_FUZZ)
        target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
        add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} -runs=0 ${corpus})
    else()
        add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${corpus})
    endif()
    set_tests_properties(${arg_NAME} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

# Called once, last: what can only be checked or linked when all the rooms are known.
function(finish_rooms)
    get_property(rooms GLOBAL PROPERTY SPINUP_ROOMS)
    foreach(room ${rooms})
        get_property(uses GLOBAL PROPERTY SPINUP_USES_${room})
        foreach(used ${uses})
            if(NOT TARGET ${used})
                _complain("${room} uses ${used}, which is not a room")
            endif()
        endforeach()
        foreach(behind ${SPINUP_BEHIND})
            if(TARGET ${behind} AND NOT behind STREQUAL room)
                target_link_libraries(${room} INTERFACE $<LINK_ONLY:${behind}>)
            endif()
        endforeach()
    endforeach()

    get_property(registered GLOBAL PROPERTY SPINUP_REGISTERED)
    file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.cpp
                                              ${PROJECT_SOURCE_DIR}/tests/*_bench.cpp)
    list(REMOVE_ITEM tests ${registered} "")
    if(tests AND (SPINUP_TESTS OR SPINUP_BENCH))
        list(JOIN tests "\n  " lines)
        _complain("no room_test() or room_bench() names\n  ${lines}")
    endif()
endfunction()
