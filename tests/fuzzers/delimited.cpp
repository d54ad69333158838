// Delimited text: chunks of any size give the records of the whole, every line is counted once, plain text agrees with a simple
// splitter, and fields written with quotes are read again.
#include "text/delimited.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insist.hpp"
#include "text/utf8.hpp"

namespace {

using shoal::Defect;
using shoal::Dialect;
using shoal::fuzzers::insist;

struct Record {
    std::vector<std::string> fields;
    Defect defect;
    bool blank;
    int64_t line;
    bool operator==(const Record&) const = default;
};
struct Walked {
    std::vector<Record> records;
    int64_t lines = 0, consumed = 0;
};

void walk(std::string_view text, const Dialect& dialect, bool last, Walked& to) {
    shoal::Records records(text, dialect, last);
    const int64_t first = to.lines;
    int64_t before = 0;
    while (records.next()) {
        Record record{{}, records.defect(), records.blank(), first + records.line()};
        if (record.defect == Defect::none)
            for (const std::string_view field : records.fields()) record.fields.emplace_back(field);
        to.records.push_back(std::move(record));
        insist(records.consumed() > before, "every record moves on");
        before = records.consumed();
    }
    to.lines += records.lines();
    to.consumed += records.consumed();
}

// In chunks of `step` bytes; what a chunk leaves is put before the next one.
Walked in_chunks(std::string_view text, const Dialect& dialect, std::size_t step) {
    Walked all;
    std::string kept;
    for (std::size_t at = 0; at < text.size() || at == 0; at += step) {
        kept += text.substr(at, step);
        const int64_t before = all.consumed;
        walk(kept, dialect, at + step >= text.size(), all);
        kept.erase(0, static_cast<std::size_t>(all.consumed - before));
        if (text.empty()) break;
    }
    insist(kept.empty(), "the last chunk leaves nothing");
    return all;
}

std::string_view trimmed(std::string_view s, const Dialect& dialect) {
    const auto outer = [&](char c) { return (c == ' ' || c == '\t') && (dialect.blanks || c != dialect.separator); };
    while (dialect.trimmed && !s.empty() && outer(s.front())) s.remove_prefix(1);
    while (dialect.trimmed && !s.empty() && outer(s.back())) s.remove_suffix(1);
    return s;
}

// What a text without quotes must give.
std::vector<Record> split_simply(std::string_view text, const Dialect& dialect) {
    std::vector<Record> records;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const Defect defect = line.find('\0') != std::string_view::npos ? Defect::binary
                              : !shoal::is_utf8(line)                   ? Defect::not_utf8
                                                                        : Defect::none;
        if (line.ends_with('\r')) line.remove_suffix(1);
        Record record{{}, defect, false, static_cast<int64_t>(records.size())};
        std::string field;
        std::vector<std::string> fields;
        for (const char c : line) {
            const bool between = dialect.blanks ? c == ' ' || c == '\t' : c == dialect.separator;
            if (between) fields.push_back(std::exchange(field, {}));
            else field += c;
        }
        fields.push_back(field);
        for (std::string& one : fields) one = trimmed(one, dialect);
        if (dialect.blanks) std::erase(fields, "");
        record.blank = dialect.blanks ? trimmed(line, dialect).empty() : fields.size() == 1 && fields[0].empty();
        if (defect == Defect::none) record.fields = std::move(fields);
        records.push_back(std::move(record));
    }
    return records;
}

// Sound records with all fields in quotes: read again, they are the same.
void insist_on_round_trip(const std::vector<Record>& records, Dialect dialect) {
    dialect.trimmed = false;
    std::string text;
    std::vector<std::vector<std::string>> expected;
    for (const Record& record : records) {
        if (record.defect != Defect::none || record.fields.empty()) continue;
        for (std::size_t i = 0; i < record.fields.size(); ++i) {
            text += i ? std::string(1, dialect.separator) + "\"" : "\"";
            for (const char c : record.fields[i]) text += c == '"' ? "\"\"" : std::string(1, c);
            text += '"';
        }
        text += '\n';
        expected.push_back(record.fields);
    }
    Walked again;
    walk(text, dialect, true, again);
    insist(again.records.size() == expected.size(), "as many records are read as were written");
    for (std::size_t i = 0; i < expected.size(); ++i) insist(again.records[i].fields == expected[i], "quoted fields are read as written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    constexpr char separators[] = {'\t', ',', ';', '|', ' ', ':', 'a', '.'};
    Dialect dialect{separators[data[0] & 7], (data[0] & 8) != 0, (data[0] & 16) != 0, (data[0] & 32) != 0};
    if (dialect.blanks) dialect.quoted = false, dialect.trimmed = true;  // as the readers use it
    const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);

    Walked whole;
    walk(text, dialect, true, whole);
    const int64_t ends = std::ranges::count(text, '\n');
    insist(whole.consumed == static_cast<int64_t>(text.size()), "everything is consumed");
    insist(whole.lines == ends + (text.empty() || text.ends_with('\n') ? 0 : 1), "every line is counted once");
    const Walked parts = in_chunks(text, dialect, 1 + data[1] % 61U);
    insist(parts.records == whole.records && parts.lines == whole.lines, "chunks give the records of the whole");
    if (!dialect.quoted || text.find('"') == std::string_view::npos)
        insist(whole.records == split_simply(text, dialect), "text without quotes agrees with a simple splitter");
    if (dialect.quoted) insist_on_round_trip(whole.records, dialect);

    shoal::Interner names;
    shoal::Task task;
    const shoal::ItemChunk items = shoal::cut_items(text, dialect, names, true, true, task);
    insist(items.indptr.back() == static_cast<int64_t>(items.items.size()), "every item belongs to a record");
    shoal::ColumnCutter cutter(dialect, {0, 2}, 1, 3, 1);
    insist(cutter.cut(text, true, task) == 1, "a small text is cut in one part");
    const auto& part = cutter.part(0);
    insist(part.columns[0].size() == static_cast<int64_t>(part.facts.row_lines.size()), "a row has a line");
    insist(part.facts.row_lines.size() + part.facts.broken.size() + static_cast<std::size_t>(part.facts.blank) == whole.records.size(),
           "every record is kept, broken or blank");
    return 0;
}
