// A first look at delimited text, at memory speed, before a parser sees it: which lines are broken, and where whole records end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "task.hpp"

namespace shoal {

enum class Defect : uint8_t { too_few_fields = 1, too_many_fields = 2, not_utf8 = 3, binary = 4, open_quote = 5 };

struct LineScan {
    int64_t lines = 0;              // physical lines in the part that was consumed
    int64_t records = 0;            // non-blank records among them, broken ones included
    int64_t consumed = 0;           // bytes up to the end of the last whole record
    std::vector<int64_t> broken;    // line number of each broken record, counted from 0 at the start of the text
    std::vector<uint8_t> defect;    // its Defect
    std::string clean;              // the consumed text without broken records; empty if none was broken
};

// Fields are separated by `separator`; with `quoted`, double quotes may enclose separators and line ends. A record has between `fewest`
// and `most` fields. `last`: the text ends here, so that a last line without a line end is whole.
LineScan scan_lines(std::string_view text, char separator, int64_t fewest, int64_t most, bool quoted, bool last, Task& task);

}  // namespace shoal
