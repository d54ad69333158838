#include "queries/texts.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

namespace {

// Levenshtein's distance, as a share of the longer text.
int64_t letters_apart(std::span<const int32_t> a, std::span<const int32_t> b) {
    std::vector<int64_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        int64_t diagonal = row[0];
        row[0] = static_cast<int64_t>(i) + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const int64_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row.back() * kApart / static_cast<int64_t>(std::max<std::size_t>({a.size(), b.size(), 1}));
}

// The share of the words of either text that the two do not have in common (Jaccard's distance).
int64_t words_apart(std::span<const int32_t> a, std::span<const int32_t> b) {
    int64_t common = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j])
            ++common, ++i, ++j;
        else if (a[i] < b[j])
            ++i;
        else
            ++j;
    }
    const int64_t all = static_cast<int64_t>(a.size() + b.size()) - common;
    return all == 0 ? 0 : (all - common) * kApart / all;
}

// The different values, rising, and the place of each value among them.
std::vector<int32_t> numbered(std::span<const int32_t> values, std::vector<int32_t>& different) {
    different.assign(values.begin(), values.end());
    std::ranges::sort(different);
    different.erase(std::unique(different.begin(), different.end()), different.end());
    std::vector<int32_t> place(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        place[i] = static_cast<int32_t>(std::ranges::lower_bound(different, values[i]) - different.begin());
    return place;
}

}  // namespace

// Values listed by key: where the values of each key begin, and the values, in their order.
void list_by_key(std::span<const int32_t> key, int64_t keys, std::vector<int64_t>& begin, std::vector<int32_t>& values) {
    begin.assign(keys + 1, 0);
    for (int32_t k : key) ++begin[k + 1];
    for (int64_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
    values.resize(key.size());
    std::vector<int64_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < key.size(); ++i) values[next[key[i]]++] = static_cast<int32_t>(i);
}

Texts::Texts(std::span<const int64_t> indptr_, std::span<const int32_t> parts_, bool letters_)
    : indptr(indptr_), parts(parts_), letters(letters_), signature(indptr_.size() - 1, 0) {
    for (int64_t t = 0; t < size(); ++t)
        for (int32_t part : of(static_cast<int32_t>(t))) signature[t] |= uint64_t{1} << (part % 64);
}

int64_t text_distance(const Texts& texts, int32_t a, int32_t b) {
    if (a == b) return 0;
    if ((texts.signature[a] & texts.signature[b]) == 0) return kApart;
    return texts.letters ? letters_apart(texts.of(a), texts.of(b)) : words_apart(texts.of(a), texts.of(b));
}

TextIndex::TextIndex(const Texts& texts, std::span<const int32_t> text_of_query) : texts_(texts) {
    const auto number = numbered(text_of_query, text_);
    list_by_key(number, static_cast<int64_t>(text_.size()), asked_, queries_);
    if (texts.letters) return;
    std::vector<int32_t> words, holder;
    for (std::size_t t = 0; t < text_.size(); ++t)
        for (int32_t word : texts.of(text_[t])) words.push_back(word), holder.push_back(static_cast<int32_t>(t));
    const auto place = numbered(words, words_);
    list_by_key(place, static_cast<int64_t>(words_.size()), held_, holders_);
    for (int32_t& at : holders_) at = holder[at];
}

void TextIndex::near(int32_t text, std::vector<Near>& out) const {
    out.clear();
    if (texts_.letters) {
        for (std::size_t t = 0; t < text_.size(); ++t)
            if (const int64_t apart = text_distance(texts_, text, text_[t]); apart < kApart)
                out.push_back({static_cast<int32_t>(t), static_cast<int32_t>(kApart - apart)});
        return;
    }
    thread_local std::vector<int32_t> shared;  // words in common with each text; zero between two calls
    if (shared.size() < text_.size()) shared.resize(text_.size(), 0);
    const auto own = std::ranges::lower_bound(text_, text);
    const bool known = own != text_.end() && *own == text;
    if (known) out.push_back({static_cast<int32_t>(own - text_.begin()), 0}), shared[own - text_.begin()] = 1;
    for (int32_t word : texts_.of(text)) {
        const auto at = std::ranges::lower_bound(words_, word);
        if (at == words_.end() || *at != word) continue;
        for (int64_t i = held_[at - words_.begin()]; i < held_[at - words_.begin() + 1]; ++i)
            if (shared[holders_[i]]++ == 0) out.push_back({holders_[i], 0});
    }
    const auto words = static_cast<int64_t>(texts_.of(text).size());
    for (Near& one : out) {
        const int64_t common = shared[one.text], all = words + static_cast<int64_t>(texts_.of(text_[one.text]).size()) - common;
        one.closeness = static_cast<int32_t>(kApart - (text_[one.text] == text ? 0 : (all - common) * kApart / all));
        shared[one.text] = 0;
    }
}

}  // namespace shoal
