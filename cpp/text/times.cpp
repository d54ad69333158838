#include "text/times.hpp"

#include <algorithm>
#include <chrono>
#include <string>

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

// A leap second, 23:59:60, is the second after it.
int64_t clock(int hour, int minute, int second, bool& good) {
    if (hour > 23 || minute > 59 || second > 60) good = false;
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

// hh:mm or hh:mm:ss, perhaps a fraction, and perhaps an offset, Z or GMT, in microseconds since midnight in Greenwich.
int64_t clock_and_zone(Scanner& in) {
    const int hour = in.number(2);
    if (!in.take(':')) in.good = false;
    const int minute = in.number(2);
    const int second = in.take(':') ? in.number(2) : 0;
    int64_t time = clock(hour, minute, second, in.good);
    if (in.take('.')) time += in.fraction();
    if (in.good && !in.rest.empty()) {
        in.take(' ');
        if (in.rest == "GMT" || in.rest == "UTC") return in.rest = {}, time;
        time -= offset(in);
    }
    return time;
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
    time += clock_and_zone(in);
    return in.good && in.rest.empty() ? Time{time, TimeShape::iso} : Time{};
}

// 2006-03-01 07:17:12, to the second and without a zone: what most logs hold, without looking at any byte twice. Not a time
// where it is anything else, which others may know.
Time to_the_second(std::string_view s) {
    if (s.size() != 19) return {};
    const bool shaped = (s[4] == '-' || s[4] == '/') && s[7] == s[4] && (s[10] == ' ' || s[10] == 'T') && s[13] == ':' && s[16] == ':';
    bool good = shaped;
    const auto two = [&](std::size_t at) {
        good &= is_digit(s[at]) && is_digit(s[at + 1]);
        return 10 * (s[at] - '0') + (s[at + 1] - '0');
    };
    const int year = 100 * two(0) + two(2), month = two(5), day_of_month = two(8);
    const int hour = two(11), minute = two(14), second = two(17);
    if (!good) return {};
    const int64_t time = day(year, month, day_of_month, good) * 86'400 * kSecond + clock(hour, minute, second, good);
    return good ? Time{time, TimeShape::iso} : Time{};
}

// The month whose name begins with these three letters, whatever their case; 0 if there is none.
int month_named(Scanner& in) {
    constexpr std::string_view names = "janfebmaraprmayjunjulaugsepoctnovdec";
    if (in.rest.size() < 3) return 0;
    std::string three(in.rest.substr(0, 3));
    for (char& c : three) c = static_cast<char>(c | 0x20);
    const auto at = names.find(three);
    if (at == std::string_view::npos || at % 3 != 0) return 0;
    in.rest.remove_prefix(3);
    return static_cast<int>(at / 3) + 1;
}

// One digit or two.
int one_or_two(Scanner& in) { return in.number(in.rest.size() > 1 && is_digit(in.rest[1]) ? 2 : 1); }

Time finished(const Scanner& in, int64_t days, int64_t clock, TimeShape shape) {
    return in.good && in.rest.empty() ? Time{days * 86'400 * kSecond + clock, shape} : Time{};
}

// 10/Oct/2000:13:55:36 -0700
Time of_server(std::string_view s) {
    const bool bracketed = s.size() > 1 && s.front() == '[' && s.back() == ']';
    Scanner in{bracketed ? s.substr(1, s.size() - 2) : s};
    const int day_of_month = one_or_two(in);
    if (!in.take('/')) return {};
    const int month = month_named(in);
    if (month == 0 || !in.take('/')) return {};
    const int year = in.number(4);
    const int64_t days = day(year, month, day_of_month, in.good);
    if (!in.take(':')) return {};
    const int64_t clock = clock_and_zone(in);
    return finished(in, days, clock, TimeShape::server);
}

// [Tue, ]10 Oct 2000[ 13:55:36 GMT]; dashes may stand for the blanks of the date.
Time with_named_month(std::string_view s) {
    Scanner in{s};
    if (const auto comma = s.find(", "); comma != std::string_view::npos && comma <= 9) in.rest.remove_prefix(comma + 2);
    const int day_of_month = one_or_two(in);
    const char between = in.take('-') ? '-' : ' ';
    if (between == ' ' && !in.take(' ')) return {};
    const int month = month_named(in);
    if (month == 0 || !in.take(between)) return {};
    const int year = in.number(4);
    const int64_t days = day(year, month, day_of_month, in.good);
    if (!in.rest.empty() && !in.take(' ')) return {};
    const int64_t clock = in.rest.empty() ? 0 : clock_and_zone(in);
    return finished(in, days, clock, TimeShape::named_month);
}

// 10.10.2000[ 13:55:36]: with points the day comes first wherever this is written; with slashes nobody knows.
Time dotted(std::string_view s) {
    Scanner in{s};
    const int day_of_month = one_or_two(in);
    if (!in.take('.')) return {};
    const int month = one_or_two(in);
    if (!in.take('.')) return {};
    const int year = in.number(4);
    const int64_t days = day(year, month, day_of_month, in.good);
    if (in.take(','))
        in.take(' ');
    else if (!in.rest.empty() && !in.take(' '))
        return {};
    const int64_t clock = in.rest.empty() ? 0 : clock_and_zone(in);
    return finished(in, days, clock, TimeShape::dotted);
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
    if (const Time time = to_the_second(s); time.shape != TimeShape::none) return time;
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(s, is_digit) - s.begin());
    if (digits == s.size()) {
        if (digits == 8) return compact(s, 4, false);
        if (digits == 12) return compact(s, 2, true);
        if (digits == 13) return since_1970(s, kSecond / 1000, TimeShape::milliseconds);
        if (digits == 14) return compact(s, 4, true);
    }
    const bool is_number = digits == s.size() || (s[digits] == '.' && s.find('.', digits + 1) == std::string_view::npos);
    if (digits >= 1 && digits <= 10 && is_number) return since_1970(s, kSecond, TimeShape::seconds);
    for (const auto read : {with_separators, of_server, with_named_month, dotted})
        if (const Time time = read(s); time.shape != TimeShape::none) return time;
    return {};
}

}  // namespace shoal
