// Delimited text, at memory speed: cuts chunks into records and fields, keeps the wanted ones, and says which lines are
// broken and why.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.hpp"
#include "text/interner.hpp"
#include "text/text_column.hpp"

namespace shoal {

enum class Defect : uint8_t {
    none = 0,
    too_few_fields = 1,
    too_many_fields = 2,
    not_utf8 = 3,
    binary = 4,
    open_quote = 5,
    misplaced_quote = 6
};

// How fields are written. `blanks`: fields are separated by runs of spaces and tabs, and `separator` is not used. `quoted`: a
// field that begins with a double quote ends at the next one and may hold separators, line ends and doubled quotes.
// `trimmed`: blanks around a field do not belong to it.
struct Dialect {
    char separator = '\t';
    bool blanks = false;
    bool quoted = false;
    bool trimmed = true;
};

// Walks over the records of a chunk of text. A chunk that is not the `last` one may end in the middle of a record, which is
// left for the next chunk. After a misused quote only the line where the record began is given up, so that one bad line never
// takes its neighbours with it.
class Records {
public:
    Records(std::string_view text, const Dialect& dialect, bool last);

    bool next();                                                          // moves to the next record; false where the whole records end
    std::span<const std::string_view> fields() const { return fields_; }  // valid until the next record
    Defect defect() const { return defect_; }
    bool blank() const { return blank_; }                           // an empty line
    int64_t line() const { return line_; }                          // where the record began, counted from 0 at the start of the chunk
    int64_t lines() const { return lines_; }                        // lines passed so far
    int64_t consumed() const { return static_cast<int64_t>(at_); }  // bytes passed so far

private:
    enum class Cut { whole, misquoted, unfinished };
    bool cut_plain();
    void split_at_blanks(std::string_view body);
    bool give_up_line();
    Cut cut_quoted();
    bool quoted_or_plain_field(std::size_t& at, std::size_t limit);
    bool quoted_field(std::size_t& at, std::size_t limit);
    std::string_view trim(std::string_view s) const;
    bool is_outer_blank(char c) const;
    void check_bytes(std::string_view body);

    std::string_view text_;
    Dialect dialect_;
    bool last_, ascii_, has_nul_, has_quotes_;
    std::size_t at_ = 0;
    int64_t line_ = 0, lines_ = 0;
    Defect defect_ = Defect::none;
    bool blank_ = false;
    std::vector<std::string_view> fields_;
    std::deque<std::string> unescaped_;
};

// What one chunk held. `row_lines` is the line of each row kept; `broken` the line of each record given up, with its Defect.
struct ChunkFacts {
    int64_t lines = 0, consumed = 0, blank = 0;
    std::vector<int64_t> row_lines, broken;
    std::vector<uint8_t> defects;
};

// Keeps the `wanted` fields of every record that has between `fewest` and `most` fields, chunk after chunk in the same
// memory. A chunk without quotes is cut in several parts at once. A part's columns are overwritten by the next chunk unless
// they were handed over.
class ColumnCutter {
public:
    struct Part {
        ChunkFacts facts;
        std::vector<TextColumn> columns;
    };

    ColumnCutter(const Dialect& dialect, std::vector<int64_t> wanted, int64_t fewest, int64_t most, int threads);
    int64_t cut(std::string_view text, bool last, Task& task);  // gives the number of parts
    Part& part(std::size_t i) { return parts_.at(i); }

private:
    void cut_part(std::string_view text, bool last, Part& part, Task& task) const;

    Dialect dialect_;
    std::vector<int64_t> wanted_;
    int64_t fewest_, most_;
    std::vector<Part> parts_;  // one a thread
};

struct ItemChunk {
    ChunkFacts facts;
    std::vector<int64_t> indptr;
    std::vector<int32_t> items;
};

// Takes every field as an item; empty fields are none. With `keep_blank` an empty line is a record without items.
ItemChunk cut_items(std::string_view text, const Dialect& dialect, Interner& interner, bool keep_blank, bool last, Task& task);

}  // namespace shoal
