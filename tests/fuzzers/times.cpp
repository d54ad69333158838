// Times: what is read can be written in a plain form and is read again as the same moment.
#include "text/times.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "insist.hpp"

namespace {

using shoal::Time;
using shoal::TimeShape;
using shoal::fuzzers::insist;

constexpr int64_t kSecond = 1'000'000, kDay = 86'400 * kSecond;

int64_t days_to(int year) { return std::chrono::sys_days(std::chrono::year(year) / 1 / 1).time_since_epoch().count(); }

std::string written(int64_t microseconds, char between) {
    using namespace std::chrono;
    const sys_time<std::chrono::microseconds> moment{std::chrono::microseconds(microseconds)};
    const auto date = floor<days>(moment);
    const year_month_day ymd(date);
    const hh_mm_ss clock(moment - date);
    char out[64];
    std::snprintf(out, sizeof out, "%04d-%02u-%02u%c%02d:%02d:%02d.%06d", static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()),
                  static_cast<unsigned>(ymd.day()), between, static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Time time = shoal::parse_time(text);
    const Time padded = shoal::parse_time("  " + std::string(text) + " ");
    insist(padded.shape == time.shape && padded.microseconds == time.microseconds, "blanks around a time change nothing");
    if (time.shape == TimeShape::none) {
        insist(time.microseconds == 0, "what is no time has no moment");
        return 0;
    }
    insist(time.microseconds >= days_to(0) * kDay - kDay && time.microseconds <= days_to(10000) * kDay + kDay, "years have four digits");
    if (time.microseconds < days_to(0) * kDay || time.microseconds >= days_to(10000) * kDay) return 0;  // an offset leads out of them
    for (const char between : {' ', 'T'}) {
        const Time again = shoal::parse_time(written(time.microseconds, between));
        insist(again.shape == TimeShape::iso && again.microseconds == time.microseconds, "a moment is read again as it was written");
    }
    return 0;
}
