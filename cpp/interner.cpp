#include "interner.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "strings.hpp"

namespace shoal {

namespace {

uint64_t hash_bytes(std::string_view s) {
    uint64_t h = 0x9e3779b97f4a7c15ULL ^ (s.size() * 0xff51afd7ed558ccdULL);
    const char* p = s.data();
    std::size_t left = s.size();
    for (; left >= 8; p += 8, left -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        h = (h ^ word) * 0xc4ceb9fe1a85ec53ULL;
        h ^= h >> 29;
    }
    uint64_t tail = 0;
    std::memcpy(&tail, p, left);
    h = (h ^ tail) * 0xff51afd7ed558ccdULL;
    return h ^ (h >> 32);
}

std::array<bool, 256> word_bytes() {
    std::array<bool, 256> is_word{};
    for (int c = 0; c < 256; ++c)
        is_word[c] = c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_word;
}

}  // namespace

Interner::Interner() : slots_(1024, Slot{0, -1}) {}

int32_t Interner::code(std::string_view s) {
    const uint64_t hash = hash_bytes(s);
    uint64_t at = hash & (slots_.size() - 1);
    for (; slots_[at].code >= 0; at = (at + 1) & (slots_.size() - 1))
        if (slots_[at].hash == hash && (*this)[slots_[at].code] == s) return slots_[at].code;
    if (size() == std::numeric_limits<int32_t>::max()) throw std::length_error("more than 2,147,483,647 distinct strings");
    const auto fresh = static_cast<int32_t>(size());
    slots_[at] = {hash, fresh};
    bytes_.append(s);
    ends_.push_back(static_cast<int64_t>(bytes_.size()));
    if (2 * ends_.size() > slots_.size()) grow();
    return fresh;
}

void Interner::grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{0, -1});
    old.swap(slots_);
    for (const Slot& slot : old) {
        if (slot.code < 0) continue;
        uint64_t at = slot.hash & (slots_.size() - 1);
        while (slots_[at].code >= 0) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = slot;
    }
}

std::vector<int32_t> Interner::encode(const std::vector<std::string_view>& strings, Task& task) {
    std::vector<int32_t> out(strings.size());
    task.begin(static_cast<int64_t>(strings.size()));
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (i % 8192 == 0) task.step(0);
        out[i] = Strings::is_null(strings[i]) ? -1 : code(strings[i]);
    }
    return out;
}

Interner::Words Interner::words(const std::vector<std::string_view>& strings, int64_t shortest, Task& task) {
    static const std::array<bool, 256> is_word = word_bytes();
    Words out;
    out.indptr.reserve(strings.size() + 1);
    out.indptr.push_back(0);
    task.begin(static_cast<int64_t>(strings.size()));
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (i % 8192 == 0) task.step(0);
        const std::string_view s = strings[i];
        for (std::size_t at = 0; at < s.size();) {
            while (at < s.size() && !is_word[static_cast<unsigned char>(s[at])]) ++at;
            const std::size_t begin = at;
            while (at < s.size() && is_word[static_cast<unsigned char>(s[at])]) ++at;
            if (at > begin && static_cast<int64_t>(at - begin) >= shortest) out.ids.push_back(code(s.substr(begin, at - begin)));
        }
        out.indptr.push_back(static_cast<int64_t>(out.ids.size()));
    }
    return out;
}

}  // namespace shoal
