#include "text/interner.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/parallel.hpp"
#include "text/strings.hpp"

namespace shoal {

namespace {

constexpr std::size_t kBatch = 64;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // behind which no string may begin

uint64_t mark_of(uint64_t hash) { return hash >> 40; }

constexpr int64_t kFewest = 4096;  // strings that are worth a thread of their own

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
    for (int c = 0; c < 256; ++c) is_word[c] = c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_word;
}

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

std::string in_small_letters(std::string_view word) {
    std::string small(word);
    for (char& c : small)
        if (is_capital(c)) c += 'a' - 'A';
    return small;
}

}  // namespace

const Interner::Slot Interner::kEmptySlot{0, 0, 0, -1};

Interner::Interner() : slots_(1024, kEmptySlot) {}

int32_t Interner::code(std::string_view s) { return code(s, hash_bytes(s)); }

int32_t Interner::code(std::string_view s, uint64_t hash) {
    const auto length = static_cast<uint32_t>(s.size());
    const uint64_t mark = mark_of(hash);
    uint64_t at = hash & (slots_.size() - 1);
    for (; slots_[at].code >= 0; at = (at + 1) & (slots_.size() - 1))
        if (slots_[at].mark == mark && slots_[at].size == length && std::memcmp(bytes_.data() + slots_[at].begin, s.data(), length) == 0)
            return slots_[at].code;
    if (s.size() > std::numeric_limits<uint32_t>::max() || bytes_.size() >= kMostBytes || size() > std::numeric_limits<int32_t>::max())
        throw std::length_error("a string of 4 GB, 1 TB of distinct strings or 2,147,483,648 of them");
    const auto fresh = static_cast<int32_t>(size());
    slots_[at] = {mark, bytes_.size(), length, fresh};
    bytes_.append(s);
    ends_.push_back(static_cast<int64_t>(bytes_.size()));
    if (4 * ends_.size() > 3 * slots_.size()) grow();
    return fresh;
}

// Puts all strings into a table twice as large, in the order in which they lie in memory; the slots of a batch are fetched together.
void Interner::grow() {
    slots_.assign(2 * slots_.size(), kEmptySlot);
    const uint64_t last = slots_.size() - 1;
    std::array<uint64_t, kBatch> hash;
    for (int64_t begin = 0; begin < size(); begin += kBatch) {
        const int64_t end = std::min<int64_t>(size(), begin + kBatch);
        for (int64_t i = begin; i < end; ++i) {
            hash[i - begin] = hash_bytes((*this)[i]);
            __builtin_prefetch(&slots_[hash[i - begin] & last], 1);
        }
        for (int64_t i = begin; i < end; ++i) {
            uint64_t at = hash[i - begin] & last;
            while (slots_[at].code >= 0) at = (at + 1) & last;
            const int64_t from = i == 0 ? 0 : ends_[i - 1];
            slots_[at] = {mark_of(hash[i - begin]), static_cast<uint64_t>(from), static_cast<uint32_t>(ends_[i] - from), static_cast<int32_t>(i)};
        }
    }
}

// Looks strings up in batches: first all slots of a batch are fetched, then the strings that these name, then both are compared.
template <class At>
std::vector<int32_t> Interner::encode_all(int64_t n, At&& at, Task& task) {
    std::vector<int32_t> out(n);
    std::array<uint64_t, kBatch> hash;
    task.begin(n);
    for (int64_t begin = 0; begin < n; begin += kBatch) {
        const int64_t end = std::min<int64_t>(n, begin + kBatch);
        if (begin % 8192 == 0) task.check();
        for (int64_t i = begin; i < end; ++i) {
            hash[i - begin] = Strings::is_null(at(i)) ? 0 : hash_bytes(at(i));
            __builtin_prefetch(&slots_[hash[i - begin] & (slots_.size() - 1)]);
        }
        for (int64_t i = begin; i < end; ++i)
            if (const Slot& slot = slots_[hash[i - begin] & (slots_.size() - 1)]; slot.code >= 0) __builtin_prefetch(bytes_.data() + slot.begin);
        for (int64_t i = begin; i < end; ++i) out[i] = Strings::is_null(at(i)) ? -1 : code(at(i), hash[i - begin]);
    }
    return out;
}

std::vector<int32_t> Interner::encode(const std::vector<std::string_view>& strings, Task& task) {
    return encode_all(static_cast<int64_t>(strings.size()), [&](int64_t i) { return strings[i]; }, task);
}

std::vector<int32_t> Interner::encode(const TextColumn& column, std::span<const int64_t> places, Task& task) {
    return encode_all(static_cast<int64_t>(places.size()), [&](int64_t i) { return column[places[i]]; }, task);
}

void Interner::split(std::string_view s, int64_t shortest, bool lower, std::vector<Waiting>& waiting, std::vector<int32_t>& ids) {
    static const std::array<bool, 256> is_word = word_bytes();
    for (std::size_t at = 0; at < s.size();) {
        while (at < s.size() && !is_word[static_cast<unsigned char>(s[at])]) ++at;
        const std::size_t begin = at;
        while (at < s.size() && is_word[static_cast<unsigned char>(s[at])]) ++at;
        if (at == begin || static_cast<int64_t>(at - begin) < shortest) continue;
        const std::string_view word = s.substr(begin, at - begin);
        if (lower && std::ranges::any_of(word, is_capital)) {
            number(waiting, ids);
            ids.push_back(code(in_small_letters(word)));
            continue;
        }
        waiting.push_back({word, hash_bytes(word)});
        __builtin_prefetch(&slots_[waiting.back().hash & (slots_.size() - 1)]);
    }
}

void Interner::number(std::vector<Waiting>& waiting, std::vector<int32_t>& ids) {
    for (const Waiting& w : waiting) ids.push_back(code(w.word, w.hash));
    waiting.clear();
}

Interner::Words Interner::words(const std::vector<std::string_view>& strings, int64_t shortest, bool lower, int threads, Task& task) {
    const auto n = static_cast<int64_t>(strings.size());
    const int64_t range = std::max<int64_t>(kFewest, (n + threads - 1) / std::max(1, threads));
    const int64_t ranges = (n + range - 1) / range;
    std::vector<Interner> local(ranges);
    std::vector<std::vector<int32_t>> found(ranges);
    Words out;
    out.indptr.assign(n + 1, 0);
    task.begin(n);
    parallel_blocks(n, range, threads, task, [&](int64_t begin, int64_t end, int) {
        // On the thread's own stack until done: neighbours in a vector would fight for cache lines at every word.
        Interner mine;
        std::vector<int32_t> ids;
        std::vector<Waiting> waiting;
        for (int64_t i = begin; i < end; ++i) {
            if (i % 8192 == 0) task.check();
            mine.split(strings[i], shortest, lower, waiting, ids);
            out.indptr[i + 1] = static_cast<int64_t>(ids.size() + waiting.size());
            if (waiting.size() >= kBatch) mine.number(waiting, ids);
        }
        mine.number(waiting, ids);
        local[begin / range] = std::move(mine);
        found[begin / range] = std::move(ids);
    });
    int64_t before = 0;
    for (int64_t r = 0; r < ranges; ++r) {
        std::vector<int32_t> global(local[r].size());
        for (int64_t c = 0; c < local[r].size(); ++c) global[c] = code(local[r][c]);
        for (int32_t id : found[r]) out.ids.push_back(global[id]);
        for (int64_t i = r * range; i < std::min(n, (r + 1) * range); ++i) out.indptr[i + 1] += before;
        before += static_cast<int64_t>(found[r].size());
        std::vector<int32_t>().swap(found[r]);
    }
    return out;
}

Interner::Words Interner::pieces(const std::vector<std::string_view>& strings, char separator, Task& task) {
    Words out;
    std::vector<Waiting> waiting;
    out.indptr.assign(strings.size() + 1, 0);
    task.begin(static_cast<int64_t>(strings.size()));
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (i % 8192 == 0) task.check();
        for (std::size_t begin = 0; begin < strings[i].size();) {
            const std::size_t end = std::min(strings[i].find(separator, begin), strings[i].size());
            if (end > begin) {
                const std::string_view piece = strings[i].substr(begin, end - begin);
                waiting.push_back({piece, hash_bytes(piece)});
                __builtin_prefetch(&slots_[waiting.back().hash & (slots_.size() - 1)]);
            }
            begin = end + 1;
        }
        out.indptr[i + 1] = static_cast<int64_t>(out.ids.size() + waiting.size());
        if (waiting.size() >= kBatch) number(waiting, out.ids);
    }
    number(waiting, out.ids);
    return out;
}

}  // namespace shoal
