// A token: the schedule of one run as a string, to be pasted into a report or a command.
//
//   s2:rr          first come, first served, nothing was chosen
//   s2:<base64url> the picks of an exploring oracle, in order
//
// Version 1 asked at fewer places, so its tokens lead nowhere; s1:rr still means the same.
//
// Behind the second form is a bit stream: the number of picks that were not 0, then alternately the
// length of a run of zeros and a pick that was not 0 (all in Elias gamma code, because most picks
// are small), then 32 bits over what was asked (kind and number of alternatives), so that a replay
// notices when it is put to another program than the one that was recorded.
#pragma once

#include <spinup/base/result.hpp>
#include <spinup/base/units.hpp>
#include <spinup/oracle.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::kernel {

class token {
  public:
    /// The token of a round-robin run.
    token() = default;

    [[nodiscard]] bool round_robin() const { return round_robin_; }
    [[nodiscard]] const std::vector<u32>& picks() const { return picks_; }
    /// Over every question asked; two schedules with equal questions agree.
    [[nodiscard]] u32 questions() const { return questions_; }

    /// Records an answer. A token that records is no longer round robin.
    void record(choice kind, u32 n, u32 pick) {
        round_robin_ = false;
        picks_.push_back(pick);
        questions_ = mix(questions_, kind, n);
    }
    /// An exploring run, so far without a pick.
    static token exploring() {
        token t;
        t.round_robin_ = false;
        return t;
    }

    /// The same as exploring(), in the memory of what it was before.
    void restart() {
        round_robin_ = false;
        questions_ = 0;
        picks_.clear();
    }

    [[nodiscard]] std::string text() const;
    static result<token> parse(std::string_view text);

    static constexpr u32 mix(u32 hash, choice kind, u32 n) {
        return (hash ^ (hash >> 15) ^ static_cast<u32>(kind) ^ n << 8) * 0x2c1b3c6du;
    }

    friend bool operator==(const token& a, const token& b) {
        return a.round_robin_ == b.round_robin_ && a.picks_ == b.picks_ &&
               a.questions_ == b.questions_;
    }

  private:
    bool round_robin_ = true;
    u32 questions_ = 0;
    std::vector<u32> picks_;
};

/// A token as a message quotes it: so much of it, and nothing that a terminal would take for more
/// than a character.
[[nodiscard]] std::string shown_token(std::string_view text, std::size_t most);

} // namespace spinup::kernel
