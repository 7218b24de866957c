// A resume as a picture of text: a row for the PM core and one for each port, time to the right.
#pragma once

#include "emu/machine/machine.hpp"
#include "emu/study/resume_latency.hpp"
#include <string>
#include <vector>

namespace spinup::cli {

/// A stretch of a row that is filled with a letter. Later bars cover earlier ones.
struct bar {
    duration begin{};
    duration end{};
    char letter = ' ';
};

/// One letter at one time. Marks cover bars, and later marks earlier ones.
struct mark {
    duration at{};
    char letter = ' ';
};

struct picture_row {
    std::string label;
    std::vector<bar> bars;
    std::vector<mark> marks;
    std::string note; ///< right of the picture
};

struct picture {
    duration length{};
    std::string note_heading;
    std::vector<picture_row> rows;
};

/// The picture, 100 columns wide, with an axis in seconds above it.
std::string draw(const picture& p);

/// The last resume of a run, with the one before it if `both`, for a run whose suspends meet
/// running resumes.
picture picture_of(const study::run_report& report, const machine::machine& what, bool both);

/// What the letters of picture_of() mean.
std::string picture_legend();

} // namespace spinup::cli
