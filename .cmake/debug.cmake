# Initial cache of the test build: cmake -C .cmake/debug.cmake -S . -B build-test
# -O1, because the explorer runs thousands of worlds and -O0 makes each of them five times longer.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
set(SPINUP_CHECKS ON CACHE BOOL "")
