#include "emu/kernel/token.hpp"

#include <bit>

namespace spinup::kernel {

namespace {

constexpr std::string_view prefix = "s2:";
constexpr std::string_view older_prefix = "s1:";
constexpr std::string_view rr = "rr";
// RFC 4648, section 5: safe in URLs, file names and shells.
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr u32 bits_per_char = 6;
// More than any run asks; keeps a forged token from claiming all the memory there is.
constexpr u64 max_picks = 1u << 26;

class bit_writer {
  public:
    void bit(bool b) {
        if (used_++ % bits_per_char == 0)
            chars_.push_back(0);
        chars_.back() = static_cast<u8>(chars_.back() << 1 | static_cast<u8>(b));
    }
    void bits(u64 value, u32 n) {
        while (n-- != 0)
            bit((value >> n & 1) != 0);
    }
    /// Elias gamma code. Requires: value > 0.
    void gamma(u64 value) {
        const auto length = static_cast<u32>(std::bit_width(value));
        bits(0, length - 1);
        bits(value, length);
    }
    [[nodiscard]] std::string text() {
        while (used_ % bits_per_char != 0)
            bit(false);
        std::string out;
        for (u8 c : chars_)
            out += alphabet[c];
        return out;
    }

  private:
    std::vector<u8> chars_;
    u64 used_ = 0;
};

class bit_reader {
  public:
    explicit bit_reader(std::string_view text) : text_(text) {}

    /// Once it has failed it reads zeros.
    [[nodiscard]] bool failed() const { return failed_; }
    /// Whether only the padding of the last character is left, and it is zero.
    [[nodiscard]] bool at_end() {
        const u64 left = text_.size() * bits_per_char - at_;
        return left < bits_per_char && bits(static_cast<u32>(left)) == 0 && !failed_;
    }
    u64 bits(u32 n) {
        u64 value = 0;
        while (n-- != 0)
            value = value << 1 | static_cast<u64>(bit());
        return value;
    }
    /// Requires of the stream: a value below 2^32.
    u64 gamma() {
        u32 zeros = 0;
        while (!failed_ && !bit())
            if (++zeros > 31)
                failed_ = true;
        return failed_ ? 1 : u64{1} << zeros | bits(zeros);
    }

  private:
    bool bit() {
        const u64 place = at_++ / bits_per_char;
        const auto value = place < text_.size() ? alphabet.find(text_[place]) : alphabet.npos;
        if (value == alphabet.npos) {
            failed_ = true;
            return false;
        }
        return (value >> (bits_per_char - 1 - (at_ - 1) % bits_per_char) & 1) != 0;
    }

    std::string_view text_;
    u64 at_ = 0;
    bool failed_ = false;
};

user_error bad(std::string_view text, std::string message) {
    return {{},
            "token " + shown_token(text, 40) + ": " + std::move(message),
            "a token starts with s2: and is copied whole; s2:rr is the round robin schedule"};
}

} // namespace

std::string shown_token(std::string_view text, std::size_t most) {
    std::string out = "\"";
    for (const char c : text.substr(0, most))
        out += c >= ' ' && c <= '~' ? c : '?';
    if (text.size() > most)
        out += "...";
    return out + "\"";
}

std::string token::text() const {
    std::string out{prefix};
    if (round_robin_)
        return out.append(rr);
    u64 others = 0;
    for (u32 p : picks_)
        others += p != 0;
    bit_writer w;
    w.gamma(others + 1);
    u64 zeros = 0;
    for (u32 p : picks_) {
        if (p == 0) {
            ++zeros;
            continue;
        }
        w.gamma(zeros + 1);
        w.gamma(p);
        zeros = 0;
    }
    w.gamma(zeros + 1);
    w.bits(questions_, 32);
    return out + w.text();
}

result<token> token::parse(std::string_view text) {
    const std::string_view version = text.substr(0, prefix.size());
    if (version != prefix && version != older_prefix)
        return bad(text, "not a token of this version");
    const std::string_view body = text.substr(prefix.size());
    if (body == rr)
        return token{};
    if (version == older_prefix)
        return bad(text, "of an older version, whose schedules cannot be repeated");
    token t = exploring();
    bit_reader r{body};
    const u64 others = r.gamma() - 1;
    for (u64 i = 0; i <= others && !r.failed(); ++i) {
        const u64 zeros = r.gamma() - 1;
        if (t.picks_.size() + zeros > max_picks)
            return bad(text, "it claims more picks than any run makes");
        t.picks_.insert(t.picks_.end(), zeros, 0);
        if (i < others)
            t.picks_.push_back(static_cast<u32>(r.gamma()));
    }
    t.questions_ = static_cast<u32>(r.bits(32));
    if (r.failed() || !r.at_end())
        return bad(text, "it is damaged or cut short");
    return t;
}

} // namespace spinup::kernel
