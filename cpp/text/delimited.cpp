#include "text/delimited.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/parallel.hpp"
#include "text/utf8.hpp"

namespace shoal {

namespace {

// A quoted field longer than this is taken for a quote that was never closed.
constexpr std::size_t kLongestRecord = std::size_t{4} << 20;

// Parts of a chunk that are cut at the same time are at least this long.
constexpr std::size_t kSmallestPart = std::size_t{64} << 10;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Eight bytes at once: the high bit of each byte of `word` that is zero. Bytes above the lowest such one may be marked in
// error, so only the lowest mark is to be trusted.
uint64_t zero_bytes(uint64_t word) { return (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL; }

// The first place from `from` on where a or b stands, or `stop`. Fields are short: this beats a call of memchr for each.
std::size_t find_either(std::string_view text, char a, char b, std::size_t from, std::size_t stop) {
    static_assert(std::endian::native == std::endian::little, "the lowest mark must be the first byte");
    const uint64_t all_a = 0x0101010101010101ULL * static_cast<unsigned char>(a);
    const uint64_t all_b = 0x0101010101010101ULL * static_cast<unsigned char>(b);
    for (; from + 8 <= stop; from += 8) {
        uint64_t word;
        std::memcpy(&word, text.data() + from, 8);
        if (const uint64_t hit = zero_bytes(word ^ all_a) | zero_bytes(word ^ all_b))
            return from + static_cast<std::size_t>(std::countr_zero(hit)) / 8;
    }
    while (from < stop && text[from] != a && text[from] != b) ++from;
    return from;
}

std::size_t find(std::string_view text, char c, std::size_t from, std::size_t stop) { return find_either(text, c, c, from, stop); }

}  // namespace

Records::Records(std::string_view text, const Dialect& dialect, bool last)
    : text_(text),
      dialect_(dialect),
      last_(last),
      ascii_(is_ascii(text)),
      has_nul_(text.find('\0') != std::string_view::npos),
      has_quotes_(dialect.quoted && text.find('"') != std::string_view::npos) {}

bool Records::next() {
    if (at_ == text_.size()) return false;
    defect_ = Defect::none;
    line_ = lines_;
    fields_.clear();
    if (has_quotes_) {
        const std::size_t stop = find_either(text_, '"', '\n', at_, text_.size());
        if (stop < text_.size() && text_[stop] == '"') {
            blank_ = false;
            if (const Cut cut = cut_quoted(); cut != Cut::misquoted) return cut == Cut::whole;
            return give_up_line();
        }
    }
    return cut_plain();
}

// Cuts the line at at_, in which no quote counts, and moves past it.
bool Records::cut_plain() {
    const std::size_t end = text_.size();
    std::size_t at = at_;
    for (;; ++at) {
        const std::size_t begin = at;
        at = dialect_.blanks ? find(text_, '\n', at, end) : find_either(text_, dialect_.separator, '\n', at, end);
        if (at == end && !last_) return false;
        const bool line_ends = at == end || text_[at] == '\n';
        std::string_view field = text_.substr(begin, at - begin);
        if (line_ends && field.ends_with('\r')) field.remove_suffix(1);
        fields_.push_back(trim(field));
        if (line_ends) break;
    }
    blank_ = fields_.size() == 1 && fields_[0].empty();
    if (dialect_.blanks) split_at_blanks(fields_[0]);
    check_bytes(text_.substr(at_, at - at_));
    at_ = std::min(at + 1, end);
    ++lines_;
    return true;
}

void Records::split_at_blanks(std::string_view body) {
    fields_.clear();
    for (std::size_t i = 0; i < body.size();) {
        while (i < body.size() && is_blank(body[i])) ++i;
        const std::size_t begin = i;
        while (i < body.size() && !is_blank(body[i])) ++i;
        if (i > begin) fields_.push_back(body.substr(begin, i - begin));
    }
}

// Moves past the line at at_, where quotes are misused; the lines after it are looked at on their own.
bool Records::give_up_line() {
    const std::size_t stop = find(text_, '\n', at_, text_.size());
    if (stop == text_.size() && !last_) return false;
    at_ = std::min(stop + 1, text_.size());
    ++lines_;
    return true;
}

// Cuts the record at at_, which holds quotes, and moves past it, over as many lines as it has. Stays where it is when quotes
// are misused or the record is unfinished.
Records::Cut Records::cut_quoted() {
    unescaped_.clear();
    const std::size_t limit = std::min(text_.size(), at_ + kLongestRecord);
    const bool all_there = last_ || limit < text_.size();
    for (std::size_t i = at_;; ++i) {
        if (!quoted_or_plain_field(i, limit)) {
            defect_ = i == limit ? Defect::open_quote : Defect::misplaced_quote;
            return i == limit && !all_there ? Cut::unfinished : Cut::misquoted;
        }
        if (i == limit || text_[i] == '\n') {
            if (i == limit && !all_there) return Cut::unfinished;
            if (i == limit && limit < text_.size()) {
                defect_ = Defect::open_quote;
                return Cut::misquoted;
            }
            const std::size_t after = std::min(i + 1, text_.size());
            const std::string_view body = text_.substr(at_, after - at_);
            check_bytes(body);
            lines_ += std::ranges::count(body, '\n') + (body.ends_with('\n') ? 0 : 1);
            at_ = after;
            return Cut::whole;
        }
    }
}

// Reads the field that begins at `at` and moves `at` to the separator or line end behind it; false where its quotes are misused.
bool Records::quoted_or_plain_field(std::size_t& at, std::size_t limit) {
    std::size_t begin = at;
    while (begin < limit && dialect_.trimmed && is_outer_blank(text_[begin])) ++begin;
    if (begin < limit && text_[begin] == '"') {
        at = begin;
        return quoted_field(at, limit);
    }
    while (at < limit && text_[at] != dialect_.separator && text_[at] != '\n') ++at;
    std::string_view field = text_.substr(begin, at - begin);
    if ((at == limit || text_[at] == '\n') && field.ends_with('\r')) field.remove_suffix(1);
    fields_.push_back(trim(field));
    return true;
}

// Reads the field whose opening quote is at `at` and moves `at` to the separator or line end behind it. False where the
// closing quote is missing (`at` is then the limit) or followed by anything else.
bool Records::quoted_field(std::size_t& at, std::size_t limit) {
    const std::size_t begin = at + 1;
    std::size_t stop = find(text_, '"', begin, limit);
    bool escaped = false;
    while (stop + 1 < limit && text_[stop + 1] == '"') {
        escaped = true;
        stop = find(text_, '"', stop + 2, limit);
    }
    if (stop == limit) {
        at = limit;
        return false;
    }
    if (escaped) {
        std::string& out = unescaped_.emplace_back();
        for (std::size_t i = begin; i < stop; ++i) {
            out.push_back(text_[i]);
            if (text_[i] == '"') ++i;
        }
        fields_.push_back(trim(out));
    } else {
        fields_.push_back(trim(text_.substr(begin, stop - begin)));
    }
    at = stop + 1;
    while (at < limit && dialect_.trimmed && is_outer_blank(text_[at])) ++at;
    if (at < limit && text_[at] == '\r' && (at + 1 == limit || text_[at + 1] == '\n')) ++at;
    return at == limit || text_[at] == dialect_.separator || text_[at] == '\n';
}

std::string_view Records::trim(std::string_view s) const {
    if (!dialect_.trimmed) return s;
    while (!s.empty() && is_outer_blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_outer_blank(s.back())) s.remove_suffix(1);
    return s;
}

bool Records::is_outer_blank(char c) const { return is_blank(c) && (dialect_.blanks || c != dialect_.separator); }

void Records::check_bytes(std::string_view body) {
    if (has_nul_ && body.find('\0') != std::string_view::npos)
        defect_ = Defect::binary;
    else if (!ascii_ && !is_utf8(body))
        defect_ = Defect::not_utf8;
}

namespace {

// Walks over a chunk: `use` takes each sound record and may still find a defect in it.
template <class Use>
void walk(Records& records, ChunkFacts& facts, bool keep_blank, Task& task, Use&& use) {
    for (int64_t n = 0; records.next(); ++n) {
        if (n % 8192 == 0) task.check();
        Defect defect = records.defect();
        if (defect == Defect::none && records.blank() && !keep_blank) {
            ++facts.blank;
            continue;
        }
        if (defect == Defect::none) defect = use(records.fields());
        if (defect == Defect::none) {
            facts.row_lines.push_back(records.line());
        } else {
            facts.broken.push_back(records.line());
            facts.defects.push_back(static_cast<uint8_t>(defect));
        }
    }
    facts.lines = records.lines();
    facts.consumed = records.consumed();
}

}  // namespace

ColumnCutter::ColumnCutter(const Dialect& dialect, std::vector<int64_t> wanted, int64_t fewest, int64_t most, int threads)
    : dialect_(dialect), wanted_(std::move(wanted)), fewest_(fewest), most_(most), parts_(std::max(1, threads)) {
    for (Part& part : parts_) part.columns.resize(wanted_.size());
}

int64_t ColumnCutter::cut(std::string_view text, bool last, Task& task) {
    const bool quotes = dialect_.quoted && text.find('"') != std::string_view::npos;
    const std::size_t wanted_parts = quotes ? 1 : std::clamp<std::size_t>(text.size() / kSmallestPart, 1, parts_.size());
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; pieces.size() < wanted_parts;) {
        const std::size_t left = wanted_parts - pieces.size();
        const std::size_t aim = at + (text.size() - at) / left;
        const std::size_t stop = left == 1 ? text.size() : std::min(find(text, '\n', aim, text.size()) + 1, text.size());
        pieces.push_back(text.substr(at, stop - at));
        at = stop;
    }
    parallel_blocks(static_cast<int64_t>(pieces.size()), 1, static_cast<int>(pieces.size()), task,
                    [&](int64_t i, int64_t, int) { cut_part(pieces[i], last && pieces[i].end() == text.end(), parts_[i], task); });
    return static_cast<int64_t>(pieces.size());
}

void ColumnCutter::cut_part(std::string_view text, bool last, Part& part, Task& task) const {
    part.facts = ChunkFacts();
    for (TextColumn& column : part.columns) column.clear();
    Records records(text, dialect_, last);
    walk(records, part.facts, false, task, [&](std::span<const std::string_view> fields) {
        const auto n = static_cast<int64_t>(fields.size());
        if (n < fewest_) return Defect::too_few_fields;
        if (n > most_) return Defect::too_many_fields;
        for (std::size_t c = 0; c < wanted_.size(); ++c) part.columns[c].append(wanted_[c] < n ? fields[wanted_[c]] : std::string_view());
        return Defect::none;
    });
}

ItemChunk cut_items(std::string_view text, const Dialect& dialect, Interner& interner, bool keep_blank, bool last, Task& task) {
    ItemChunk out;
    out.indptr.push_back(0);
    Records records(text, dialect, last);
    walk(records, out.facts, keep_blank, task, [&](std::span<const std::string_view> fields) {
        for (std::string_view field : fields)
            if (!field.empty()) out.items.push_back(interner.code(field));
        out.indptr.push_back(static_cast<int64_t>(out.items.size()));
        return Defect::none;
    });
    return out;
}

}  // namespace shoal
