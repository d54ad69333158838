#include "lines.hpp"

#include <cstring>

namespace shoal {

namespace {

bool is_ascii(std::string_view s) {
    std::size_t i = 0;
    for (; i + 8 <= s.size(); i += 8) {
        uint64_t word;
        std::memcpy(&word, s.data() + i, 8);
        if (word & 0x8080808080808080ULL) return false;
    }
    for (; i < s.size(); ++i)
        if (static_cast<unsigned char>(s[i]) & 0x80) return false;
    return true;
}

// Well-formed UTF-8 by the table of the Unicode standard: no overlong forms, no surrogates, nothing past U+10FFFF.
bool is_utf8(std::string_view s) {
    const auto* p = reinterpret_cast<const unsigned char*>(s.data());
    const auto* end = p + s.size();
    while (p < end) {
        const unsigned char c = *p++;
        if (c < 0x80) continue;
        int more;
        unsigned char low = 0x80, high = 0xBF;
        if (c >= 0xC2 && c <= 0xDF) {
            more = 1;
        } else if (c >= 0xE0 && c <= 0xEF) {
            more = 2;
            if (c == 0xE0) low = 0xA0;
            if (c == 0xED) high = 0x9F;
        } else if (c >= 0xF0 && c <= 0xF4) {
            more = 3;
            if (c == 0xF0) low = 0x90;
            if (c == 0xF4) high = 0x8F;
        } else {
            return false;
        }
        for (; more > 0; --more, low = 0x80, high = 0xBF) {
            if (p == end || *p < low || *p > high) return false;
            ++p;
        }
    }
    return true;
}

struct Record {
    std::size_t end = 0;  // past its line end
    int64_t lines = 0;
    int64_t fields = 1;
    bool whole = false;
    bool open_quote = false;
};

Record read_plain(std::string_view text, std::size_t at, char separator, bool last) {
    Record r;
    const auto* hit = static_cast<const char*>(std::memchr(text.data() + at, '\n', text.size() - at));
    const std::size_t stop = hit ? static_cast<std::size_t>(hit - text.data()) : text.size();
    for (std::size_t i = at; i < stop; ++i) r.fields += text[i] == separator;
    r.end = hit ? stop + 1 : stop;
    r.lines = 1;
    r.whole = hit != nullptr || last;
    return r;
}

Record read_quoted(std::string_view text, std::size_t at, char separator, bool last) {
    Record r;
    bool inside = false;
    for (std::size_t i = at; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            inside = !inside;
        } else if (c == '\n') {
            ++r.lines;
            if (!inside) {
                r.end = i + 1;
                r.whole = true;
                return r;
            }
        } else if (c == separator && !inside) {
            ++r.fields;
        }
    }
    r.end = text.size();
    r.lines += text.back() != '\n';
    r.whole = last;
    r.open_quote = inside;
    return r;
}

}  // namespace

LineScan scan_lines(std::string_view text, char separator, int64_t fewest, int64_t most, bool quoted, bool last, Task& task) {
    LineScan scan;
    const bool by_quotes = quoted && text.find('"') != std::string_view::npos;
    std::size_t at = 0, clean_from = 0;
    auto drop = [&](std::size_t begin, std::size_t end, Defect why) {
        scan.broken.push_back(scan.lines);
        scan.defect.push_back(static_cast<uint8_t>(why));
        scan.clean.append(text.substr(clean_from, begin - clean_from));
        clean_from = end;
    };
    for (int64_t n = 0; at < text.size(); ++n) {
        if (n % 8192 == 0) task.check();
        const Record r = by_quotes ? read_quoted(text, at, separator, last) : read_plain(text, at, separator, last);
        if (!r.whole) break;
        std::string_view body = text.substr(at, r.end - at);
        while (!body.empty() && (body.back() == '\n' || body.back() == '\r')) body.remove_suffix(1);
        if (!body.empty()) {
            ++scan.records;
            if (r.open_quote)
                drop(at, r.end, Defect::open_quote);
            else if (body.find('\0') != std::string_view::npos)
                drop(at, r.end, Defect::binary);
            else if (!is_ascii(body) && !is_utf8(body))
                drop(at, r.end, Defect::not_utf8);
            else if (r.fields < fewest)
                drop(at, r.end, Defect::too_few_fields);
            else if (r.fields > most)
                drop(at, r.end, Defect::too_many_fields);
        }
        scan.lines += r.lines;
        at = r.end;
    }
    scan.consumed = static_cast<int64_t>(at);
    if (!scan.broken.empty()) scan.clean.append(text.substr(clean_from, at - clean_from));
    return scan;
}

}  // namespace shoal
