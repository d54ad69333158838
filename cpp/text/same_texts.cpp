#include "text/same_texts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace shoal {

namespace {

constexpr int64_t kFetched = 32;  // texts that are looked up together: what they need of memory is fetched before

uint64_t mixed_in(uint64_t hash, uint64_t part) {
    hash = (hash ^ part) * 0xd6e8feb86659fd93ULL;
    return hash ^ (hash >> 32);
}

uint64_t hash_of_text(std::string_view text) {
    uint64_t hash = text.size();
    for (std::size_t at = 0; at < text.size(); at += 8) {
        uint64_t part = 0;
        std::memcpy(&part, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        hash = mixed_in(hash, part);
    }
    return mixed_in(hash, 0);
}

uint64_t hash_of_ids(std::span<const int32_t> ids) {
    uint64_t hash = 0;
    for (const int32_t id : ids)
        if (id >= 0) hash = mixed_in(hash, static_cast<uint64_t>(id) + 1);
    return mixed_in(hash, 0);
}

// Rows by hash. `same(i)` tells whether row i is the one that is looked for.
class RowsByHash {
public:
    explicit RowsByHash(int64_t rows) : slots_(std::bit_ceil(static_cast<uint64_t>(rows + rows / 3 + 8)), Slot{0, -1}) {
        if (rows > std::numeric_limits<int32_t>::max()) throw std::length_error("more than 2,147,483,647 texts");
    }

    void fetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & last()]); }
    int32_t first(uint64_t hash) const { return slots_[hash & last()].row; }  // which `find` looks at first; -1 for none

    template <class Same>
    int32_t find(uint64_t hash, Same&& same) const {
        for (uint64_t at = hash & last(); slots_[at].row >= 0; at = (at + 1) & last())
            if (slots_[at].mark == mark_of(hash) && same(slots_[at].row)) return slots_[at].row;
        return -1;
    }

    void add(uint64_t hash, int64_t row) {
        uint64_t at = hash & last();
        while (slots_[at].row >= 0) at = (at + 1) & last();
        slots_[at] = {mark_of(hash), static_cast<int32_t>(row)};
    }

private:
    struct Slot {
        uint32_t mark;
        int32_t row;
    };
    static uint32_t mark_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
    uint64_t last() const { return slots_.size() - 1; }
    std::vector<Slot> slots_;
};

// Calls `look(i, hash)` for each row in order. Before, the slots of its batch are fetched, then where the rows that they name lie (`place`),
// then these rows (`content`).
template <class Hash, class Place, class Content, class Look>
void in_batches(int64_t n, const RowsByHash& rows, Task& task, Hash&& hash_at, Place&& place, Content&& content, Look&& look) {
    std::array<uint64_t, kFetched> hash;
    for (int64_t begin = 0; begin < n; begin += kFetched) {
        const int64_t end = std::min(begin + kFetched, n);
        if (begin % 8192 == 0) task.check();
        for (int64_t i = begin; i < end; ++i) rows.fetch(hash[i - begin] = hash_at(i));
        for (int64_t i = begin; i < end; ++i)
            if (const int32_t row = rows.first(hash[i - begin]); row >= 0) __builtin_prefetch(place(row));
        for (int64_t i = begin; i < end; ++i)
            if (const int32_t row = rows.first(hash[i - begin]); row >= 0) __builtin_prefetch(content(row));
        for (int64_t i = begin; i < end; ++i) look(i, hash[i - begin]);
    }
}

bool same_ids(std::span<const int32_t> a, std::span<const int32_t> b) {
    std::size_t i = 0, j = 0;
    while (true) {
        while (i < a.size() && a[i] < 0) ++i;
        while (j < b.size() && b[j] < 0) ++j;
        if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
        if (a[i++] != b[j++]) return false;
    }
}

}  // namespace

JoinedTexts joined_texts(std::span<const std::string_view> words, std::span<const int64_t> indptr, std::span<const int32_t> ids,
                         int64_t most_bytes, Task& task) {
    const auto n = static_cast<int64_t>(indptr.size()) - 1;
    const auto of = [&](int64_t i) { return ids.subspan(indptr[i], indptr[i + 1] - indptr[i]); };
    RowsByHash rows(n);
    JoinedTexts out;
    out.numbers.resize(n);
    std::string text;
    int64_t bytes = 0;
    int32_t fresh = 0;
    task.begin(n);
    const auto append = [&](std::span<const int32_t> own) {
        text.clear();
        bool first = true;
        for (const int32_t id : own) {
            if (id < 0) continue;
            if (!first) text += ' ';
            text += words[id];
            first = false;
        }
        if (out.columns.empty() || bytes + static_cast<int64_t>(text.size()) > most_bytes) {
            out.columns.emplace_back();
            bytes = 0;
        }
        bytes += static_cast<int64_t>(text.size());
        out.columns.back().append(text);
    };
    in_batches(
        n, rows, task, [&](int64_t i) { return hash_of_ids(of(i)); }, [&](int32_t row) { return &indptr[row]; },
        [&](int32_t row) { return ids.data() + indptr[row]; },
        [&](int64_t i, uint64_t hash) {
            const int32_t known = rows.find(hash, [&](int32_t row) { return same_ids(of(row), of(i)); });
            out.numbers[i] = known >= 0 ? out.numbers[known] : fresh;
            if (known >= 0) return;
            rows.add(hash, i);
            append(of(i));
            ++fresh;
        });
    return out;
}

std::vector<uint8_t> texts_among(std::span<const std::string_view> texts, std::span<const std::string_view> others, Task& task) {
    const auto n_texts = static_cast<int64_t>(texts.size()), n_others = static_cast<int64_t>(others.size());
    RowsByHash rows(n_others);
    std::vector<uint8_t> found(texts.size(), 0);
    task.begin(n_texts + n_others);
    const auto place = [&](int32_t row) { return &others[row]; };
    const auto content = [&](int32_t row) { return others[row].data(); };
    in_batches(
        n_others, rows, task, [&](int64_t i) { return hash_of_text(others[i]); }, place, content,
        [&](int64_t i, uint64_t hash) { rows.add(hash, i); });
    in_batches(
        n_texts, rows, task, [&](int64_t i) { return hash_of_text(texts[i]); }, place, content,
        [&](int64_t i, uint64_t hash) { found[i] = rows.find(hash, [&](int32_t row) { return others[row] == texts[i]; }) >= 0; });
    return found;
}

}  // namespace shoal
