# Initial cache that picks clang: cmake -C .cmake/clang.cmake -S . -B build-clang
find_program(SPINUP_CLANG NAMES clang++-14 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER ${SPINUP_CLANG} CACHE FILEPATH "")
