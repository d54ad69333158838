#include "delimited.hpp"

#include <algorithm>
#include <cstring>

#include "utf8.hpp"

namespace shoal {

namespace {

// A quoted field longer than this is taken for a quote that was never closed.
constexpr std::size_t kLongestRecord = std::size_t{4} << 20;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t find(std::string_view text, char c, std::size_t from, std::size_t stop) {
    const auto* hit = from < stop ? static_cast<const char*>(std::memchr(text.data() + from, c, stop - from)) : nullptr;
    return hit ? static_cast<std::size_t>(hit - text.data()) : stop;
}

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
    std::size_t stop, after;
    if (!next_line(stop, after)) return false;
    defect_ = Defect::none;
    line_ = lines_;
    fields_.clear();
    const std::string_view body = text_.substr(at_, stop - at_);
    blank_ = (dialect_.trimmed ? trim(body) : body).empty();
    if (blank_ || !has_quotes_ || body.find('"') == std::string_view::npos) {
        if (!blank_) cut_plain(body);
        check_bytes(body);
    } else if (const Cut cut = cut_quoted(); cut != Cut::misquoted) {
        return cut == Cut::whole;
    }
    at_ = after;
    ++lines_;
    return true;
}

bool Records::next_line(std::size_t& stop, std::size_t& after) const {
    stop = find(text_, '\n', at_, text_.size());
    after = std::min(stop + 1, text_.size());
    if (stop == text_.size() && !last_) return false;
    if (stop > at_ && text_[stop - 1] == '\r') --stop;
    return true;
}

void Records::cut_plain(std::string_view body) {
    if (dialect_.blanks) {
        for (std::size_t i = 0; i < body.size();) {
            while (i < body.size() && is_blank(body[i])) ++i;
            const std::size_t begin = i;
            while (i < body.size() && !is_blank(body[i])) ++i;
            if (i > begin) fields_.push_back(body.substr(begin, i - begin));
        }
        return;
    }
    for (std::size_t i = 0;; ++i) {
        const std::size_t stop = find(body, dialect_.separator, i, body.size());
        fields_.push_back(trim(body.substr(i, stop - i)));
        if (stop == body.size()) return;
        i = stop;
    }
}

// Cuts the record at at_, which holds quotes, and moves past it, over as many lines as it has. Stays where it is when quotes are misused or
// the record is unfinished.
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

// Reads the field whose opening quote is at `at` and moves `at` to the separator or line end behind it. False where the closing quote is
// missing (`at` is then the limit) or followed by anything else.
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

ColumnChunk cut_columns(std::string_view text, const Dialect& dialect, std::span<const int64_t> wanted, int64_t fewest, int64_t most,
                        bool last, Task& task) {
    ColumnChunk out;
    out.columns.resize(wanted.size());
    Records records(text, dialect, last);
    walk(records, out.facts, false, task, [&](std::span<const std::string_view> fields) {
        const auto n = static_cast<int64_t>(fields.size());
        if (n < fewest) return Defect::too_few_fields;
        if (n > most) return Defect::too_many_fields;
        for (std::size_t c = 0; c < wanted.size(); ++c) out.columns[c].append(fields[wanted[c]]);
        return Defect::none;
    });
    return out;
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
