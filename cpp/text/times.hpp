// Points in time as people write them, told apart by their shape.
#pragma once

#include <cstdint>
#include <string_view>

namespace shoal {

enum class TimeShape : uint8_t {
    none = 0,          // not a time
    iso = 1,           // 2006-03-01 07:17:12, with or without seconds, a fraction, T, Z or an offset; or 2006/03/01 ...
    date = 2,          // 2006-03-01, 2006/03/01 or 20060301
    compact = 3,       // yymmddhhmmss (years 69 to 99 are of the 20th century) or yyyymmddhhmmss
    seconds = 4,       // since 1970, with or without a fraction
    milliseconds = 5,  // since 1970, 13 digits
    server = 6,        // 10/Oct/2000:13:55:36 -0700, as web servers write it, with or without brackets and offset
    named_month = 7,   // 10 Oct 2000 13:55:36 or Tue, 10 Oct 2000 13:55:36 GMT, with or without the clock
    dotted = 8         // 10.10.2000 or 10.10.2000 13:55:36: day, month, year
};

// The time in microseconds since 1970 (an offset is taken into account, otherwise no zone is assumed) and the shape it was
// written in.
struct Time {
    int64_t microseconds = 0;
    TimeShape shape = TimeShape::none;
};

Time parse_time(std::string_view s);

}  // namespace shoal
