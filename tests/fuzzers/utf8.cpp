// UTF-8: the check agrees with a decoder that computes every code point and writes it again.
#include "text/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "insist.hpp"

namespace {

// The bytes of a code point in their only permitted form; empty where it has none.
std::string encoded(uint32_t code) {
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
    const auto rest = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), rest(0)};
    if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), rest(6), rest(0)};
    return {static_cast<char>(0xF0 | (code >> 18)), rest(12), rest(6), rest(0)};
}

// Decodes by the number of leading ones alone, and compares each character with what it should have been written as.
bool decodes(std::string_view text) {
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text[0]);
        const std::size_t size = first < 0x80 ? 1 : (first >> 5) == 6 ? 2 : (first >> 4) == 14 ? 3 : (first >> 3) == 30 ? 4 : 0;
        if (size == 0 || text.size() < size) return false;
        uint32_t code = size == 1 ? first : first & (0xFFU >> (size + 1));
        for (std::size_t i = 1; i < size; ++i) code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
        if (encoded(code) != text.substr(0, size)) return false;
        text.remove_prefix(size);
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using shoal::fuzzers::insist;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    bool ascii = true;
    for (const char c : text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    insist(shoal::is_ascii(text) == ascii, "is_ascii agrees with a look at every byte");
    insist(shoal::is_utf8(text) == decodes(text), "is_utf8 agrees with a decoder");
    return 0;
}
