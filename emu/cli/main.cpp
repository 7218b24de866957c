#include "emu/cli/commands.hpp"
#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    try {
        return spinup::cli::run_program(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "spinup: internal error: %s\n", e.what());
        return spinup::cli::exit_failed;
    }
}
