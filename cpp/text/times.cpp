#include "text/times.hpp"

#include <algorithm>
#include <chrono>

namespace shoal {

namespace {

constexpr int64_t kSecond = 1'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes numbers off the front of a text; what does not fit makes `good` false.
struct Scanner {
    std::string_view rest;
    bool good = true;

    int number(std::size_t digits) {
        int value = 0;
        if (rest.size() < digits) good = false;
        for (std::size_t i = 0; good && i < digits; ++i) {
            if (!is_digit(rest[i])) good = false;
            value = 10 * value + (rest[i] - '0');
        }
        if (good) rest.remove_prefix(digits);
        return value;
    }
    bool take(char c) {
        if (rest.empty() || rest.front() != c) return false;
        rest.remove_prefix(1);
        return true;
    }
    // Digits behind a decimal point, in microseconds; further ones are cut off.
    int64_t fraction() {
        int64_t value = 0, unit = kSecond / 10;
        if (rest.empty() || !is_digit(rest.front())) good = false;
        for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1), unit /= 10) value += unit * (rest.front() - '0');
        return value;
    }
};

int64_t day(int year, int month, int day_of_month, bool& good) {
    using namespace std::chrono;
    const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day_of_month))};
    if (!date.ok()) {
        good = false;
        return 0;
    }
    return sys_days(date).time_since_epoch().count();
}

int64_t clock(int hour, int minute, int second, bool& good) {
    if (hour > 23 || minute > 59 || second > 59) good = false;
    return ((hour * 60 + minute) * 60 + second) * kSecond;
}

int64_t offset(Scanner& in) {
    if (in.take('Z')) return 0;
    const int sign = in.take('+') ? 1 : in.take('-') ? -1 : 0;
    if (sign == 0) {
        in.good = false;
        return 0;
    }
    const int hours = in.number(2);
    if (!in.rest.empty()) in.take(':');
    const int minutes = in.rest.empty() ? 0 : in.number(2);
    return sign * clock(hours, minutes, 0, in.good);
}

Time with_separators(std::string_view s) {
    Scanner in{s};
    const int year = in.number(4);
    const char between = in.rest.empty() ? '\0' : in.rest.front();
    if (between != '-' && between != '/') return {};
    in.take(between);
    const int month = in.number(2);
    if (!in.take(between)) return {};
    const int day_of_month = in.number(2);
    int64_t time = day(year, month, day_of_month, in.good) * 86'400 * kSecond;
    if (in.good && in.rest.empty()) return {time, TimeShape::date};
    if (!in.take(' ') && !in.take('T')) return {};
    const int hour = in.number(2);
    if (!in.take(':')) return {};
    const int minute = in.number(2);
    const int second = in.take(':') ? in.number(2) : 0;
    time += clock(hour, minute, second, in.good);
    if (in.take('.')) time += in.fraction();
    if (in.good && !in.rest.empty()) {
        in.take(' ');
        time -= offset(in);
    }
    return in.good && in.rest.empty() ? Time{time, TimeShape::iso} : Time{};
}

Time compact(std::string_view s, std::size_t year_digits, bool with_clock) {
    Scanner in{s};
    int year = in.number(year_digits);
    if (year_digits == 2) year += year >= 69 ? 1900 : 2000;
    const int month = in.number(2);
    const int day_of_month = in.number(2);
    int64_t time = day(year, month, day_of_month, in.good) * 86'400 * kSecond;
    if (with_clock) {
        const int hour = in.number(2), minute = in.number(2), second = in.number(2);
        time += clock(hour, minute, second, in.good);
    }
    return in.good ? Time{time, with_clock ? TimeShape::compact : TimeShape::date} : Time{};
}

Time since_1970(std::string_view s, int64_t unit, TimeShape shape) {
    Scanner in{s};
    int64_t time = 0;
    for (; !in.rest.empty() && is_digit(in.rest.front()); in.rest.remove_prefix(1)) time = 10 * time + (in.rest.front() - '0');
    time *= unit;
    if (in.take('.')) time += in.fraction();
    return in.good && in.rest.empty() ? Time{time, shape} : Time{};
}

}  // namespace

Time parse_time(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(s, is_digit) - s.begin());
    if (digits == s.size()) {
        if (digits == 8) return compact(s, 4, false);
        if (digits == 12) return compact(s, 2, true);
        if (digits == 13) return since_1970(s, kSecond / 1000, TimeShape::milliseconds);
        if (digits == 14) return compact(s, 4, true);
    }
    const bool is_number = digits == s.size() || s[digits] == '.';
    if (digits >= 1 && digits <= 10 && is_number) return since_1970(s, kSecond, TimeShape::seconds);
    return with_separators(s);
}

}  // namespace shoal
