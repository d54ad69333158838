#include "queries/trees.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/wide_vectors.hpp"

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

// Loops over the queries of a person, or over clicks, are compiled twice: with vectors of 32 bytes, and for every processor.
#define SHOAL_INLINED [[gnu::always_inline]] inline
#ifdef SHOAL_X86_64
#define SHOAL_TWICE(NAME, PARAMETERS, ...)                                \
    SHOAL_WIDE void NAME##_wide PARAMETERS { NAME##_loop(__VA_ARGS__); }  \
    void NAME PARAMETERS {                                                \
        if (wide_vectors) return NAME##_wide(__VA_ARGS__);                \
        NAME##_loop(__VA_ARGS__);                                         \
    }
#else
#define SHOAL_TWICE(NAME, PARAMETERS, ...) \
    void NAME PARAMETERS { NAME##_loop(__VA_ARGS__); }
#endif

// Values are kUnknown, or from 0 to kApart.
SHOAL_INLINED int32_t values_apart(int32_t a, int32_t b) {
    const int32_t unknown = a == b ? 0 : static_cast<int32_t>(kApart);
    return a == kUnknown || b == kUnknown ? unknown : std::abs(a - b);
}

// Weighted distances of a time to others, added to what all have in common.
SHOAL_INLINED void times_apart_loop(int32_t* row, const int32_t* times, int64_t n, int32_t time, int32_t weight, int32_t common) {
    for (int64_t j = 0; j < n; ++j) row[j] = common + weight * values_apart(time, times[j]);
}
SHOAL_TWICE(times_apart, (int32_t* row, const int32_t* times, int64_t n, int32_t time, int32_t weight, int32_t common), row, times, n, time,
            weight, common)

// Weighted distances of one click to the first click of each query, where it is the only one.
struct OneClick {
    int32_t rank, host, by_rank, by_host, weight;
};
SHOAL_INLINED void add_one_click_loop(int32_t* row, const int32_t* clicks, const int32_t* ranks, const int32_t* hosts, int64_t n,
                                      OneClick click) {
    constexpr auto apart = static_cast<int32_t>(kApart);
    for (int64_t j = 0; j < n; ++j) {
        const int32_t one = (click.by_rank * values_apart(click.rank, ranks[j]) + click.by_host * (click.host == hosts[j] ? 0 : apart)) / apart;
        row[j] += click.weight * (clicks[j] == 0 ? apart : clicks[j] == 1 ? one : 0);
    }
}
SHOAL_TWICE(add_one_click, (int32_t* row, const int32_t* clicks, const int32_t* ranks, const int32_t* hosts, int64_t n, OneClick click), row,
            clicks, ranks, hosts, n, click)

SHOAL_INLINED void add_no_click_loop(int32_t* row, const int32_t* clicks, int64_t n, int32_t weight) {
    for (int64_t j = 0; j < n; ++j) row[j] += clicks[j] == 0 ? 0 : weight * static_cast<int32_t>(kApart);
}
SHOAL_TWICE(add_no_click, (int32_t* row, const int32_t* clicks, int64_t n, int32_t weight), row, clicks, n, weight)

// Distances in units of kApart.
SHOAL_INLINED void shorten_loop(int32_t* row, int64_t n) {
    for (int64_t j = 0; j < n; ++j) row[j] /= static_cast<int32_t>(kApart);
}
SHOAL_TWICE(shorten, (int32_t* row, int64_t n), row, n)

// The nearest of these distances, and of each the nearest so far.
SHOAL_INLINED void take_nearest_loop(const int32_t* distances, int32_t* back, int64_t n, int32_t& nearest) {
    int32_t least = nearest;
    for (int64_t j = 0; j < n; ++j) {
        least = std::min(least, distances[j]);
        back[j] = std::min(back[j], distances[j]);
    }
    nearest = least;
}
SHOAL_TWICE(take_nearest, (const int32_t* distances, int32_t* back, int64_t n, int32_t& nearest), distances, back, n, nearest)

// The mean distance of each child to the nearest one of the other node, averaged over both directions. `row(i)` gives the distances of child
// i of the first node to the n children of the second; `back` is room for the nearest of each of these.
template <class RowOf>
int64_t sets_apart(int64_t first, int64_t first_end, int64_t n, std::vector<int32_t>& back, RowOf&& row) {
    if (first == first_end || n == 0) return first == first_end && n == 0 ? 0 : kApart;
    back.assign(n, static_cast<int32_t>(kApart));
    int64_t there = 0;
    for (int64_t i = first; i < first_end; ++i) {
        auto nearest = static_cast<int32_t>(kApart);
        take_nearest(row(i), back.data(), n, nearest);
        there += nearest;
    }
    const int64_t here = std::accumulate(back.begin(), back.end(), int64_t{0});
    return (there / (first_end - first) + here / n) / 2;
}

// Distances are computed a row at a time: those of one query of the point to all queries of a person. All are at most kApart and shares add
// up to it, so sums of products fit into 32 bits.
class Comparison {
public:
    Comparison(const Texts& texts, const QueryTrees& point, const QueryTrees& people, const TreeWeights& weights)
        : texts_(texts), point_(point), people_(people), weights_(weights) {}

    int64_t people_apart(int64_t person) {
        begin_ = people_.queries[person];
        size_ = people_.queries[person + 1] - begin_;
        signature_.resize(size_);
        for (int64_t j = 0; j < size_; ++j) signature_[j] = texts_.signature[people_.text[begin_ + j]];
        if (weights_.clicks > 0) read_clicks();
        row_.resize(size_);
        return sets_apart(0, point_.queries[1], size_, back_, [this](int64_t p) { return queries_apart(p); });
    }

private:
    // The distances of a query of the point to all of the person.
    const int32_t* queries_apart(int64_t p) {
        const int32_t text = point_.text[p], time = point_.time[p];
        const auto by_text = static_cast<int32_t>(weights_.text), by_time = static_cast<int32_t>(weights_.time);
        const uint64_t signature = texts_.signature[text];
        const int32_t* const texts = people_.text.data() + begin_;
        const int32_t* const times = people_.time.data() + begin_;
        const auto apart = static_cast<int32_t>(kApart);
        times_apart(row_.data(), times, size_, time, by_time, by_text * apart);  // most texts have nothing in common
        for (int64_t j = 0; j < size_; ++j)
            if ((signature & signature_[j]) != 0 || text == texts[j])
                row_[j] -= by_text * (apart - static_cast<int32_t>(text_distance(texts_, text, texts[j])));
        if (weights_.clicks > 0) add_clicks(p);
        shorten(row_.data(), size_);
        return row_.data();
    }

    // How many clicks each query of the person has, and the first of them: most queries have no click, or one.
    void read_clicks() {
        clicks_.assign(size_, 0);
        rank_.assign(size_, kUnknown);
        host_.assign(size_, kUnknown);
        several_.clear();
        for (int64_t j = 0; j < size_; ++j) {
            const int64_t first = people_.clicks[begin_ + j];
            clicks_[j] = static_cast<int32_t>(people_.clicks[begin_ + j + 1] - first);
            if (clicks_[j] > 1) several_.push_back(j);
            if (clicks_[j] > 0) rank_[j] = people_.rank[first], host_[j] = people_.host[first];
        }
    }

    void add_clicks(int64_t p) {
        const int64_t first = point_.clicks[p], n = point_.clicks[p + 1] - first;
        const auto weight = static_cast<int32_t>(weights_.clicks);
        if (n == 0) {
            add_no_click(row_.data(), clicks_.data(), size_, weight);
        } else if (n == 1) {
            const auto by_rank = static_cast<int32_t>(weights_.rank), by_host = static_cast<int32_t>(weights_.host);
            add_one_click(row_.data(), clicks_.data(), rank_.data(), host_.data(), size_,
                          {point_.rank[first], point_.host[first], by_rank, by_host, weight});
            for (int64_t j : several_) row_[j] += weight * clicks_apart(p, begin_ + j);
        } else {
            for (int64_t j = 0; j < size_; ++j) row_[j] += weight * clicks_apart(p, begin_ + j);
        }
    }

    int32_t clicks_apart(int64_t p, int64_t q) {
        const int64_t b = people_.clicks[q], m = people_.clicks[q + 1] - b;
        of_click_.resize(m);
        return static_cast<int32_t>(sets_apart(point_.clicks[p], point_.clicks[p + 1], m, back_of_click_, [&](int64_t i) {
            for (int64_t j = 0; j < m; ++j) of_click_[j] = click_apart(i, b + j);
            return of_click_.data();
        }));
    }

    int32_t click_apart(int64_t a, int64_t b) const {
        const int64_t host = point_.host[a] == people_.host[b] ? 0 : kApart;
        return static_cast<int32_t>((weights_.rank * values_apart(point_.rank[a], people_.rank[b]) + weights_.host * host) / kApart);
    }

    const Texts& texts_;
    const QueryTrees &point_, &people_;
    const TreeWeights& weights_;
    int64_t begin_ = 0, size_ = 0;  // the queries of the person that is compared now
    std::vector<uint64_t> signature_;
    std::vector<int32_t> clicks_, rank_, host_;
    std::vector<int64_t> several_;  // its queries with more than one click
    std::vector<int32_t> row_, back_, of_click_, back_of_click_;
};

}  // namespace

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

std::vector<int64_t> tree_distances(const Texts& texts, const QueryTrees& point, const QueryTrees& people, const TreeWeights& weights,
                                    std::span<const int64_t> chosen, Task& task) {
    Comparison comparison(texts, point, people, weights);
    std::vector<int64_t> out;
    out.reserve(chosen.size());
    for (int64_t person : chosen) {
        out.push_back(comparison.people_apart(person));
        task.check();
    }
    return out;
}

}  // namespace shoal
