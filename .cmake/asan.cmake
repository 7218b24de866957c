# Initial cache of the sanitizer build: cmake -C .cmake/asan.cmake -S . -B build-asan
# Add -C .cmake/clang.cmake for clang's runtimes.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer" CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=address,undefined -fno-sanitize-recover=all" CACHE STRING "")
set(SPINUP_CHECKS ON CACHE BOOL "")
