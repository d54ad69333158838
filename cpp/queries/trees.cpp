#include "queries/trees.hpp"

#include <algorithm>
#include <cstdlib>
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

int64_t values_apart(int32_t a, int32_t b) {
    if (a == kUnknown || b == kUnknown) return a == b ? 0 : kApart;
    return std::abs(static_cast<int64_t>(a) - b);
}

// Children [a, a_end) of one node and [b, b_end) of another; `back` is room for the nearest of each child of the second.
template <class Distance>
int64_t sets_apart(int64_t a, int64_t a_end, int64_t b, int64_t b_end, std::vector<int64_t>& back, Distance&& distance) {
    if (a == a_end || b == b_end) return a == a_end && b == b_end ? 0 : kApart;
    back.assign(b_end - b, kApart);
    int64_t there = 0;
    for (int64_t i = a; i < a_end; ++i) {
        int64_t nearest = kApart;
        for (int64_t j = b; j < b_end; ++j) {
            const int64_t d = distance(i, j);
            nearest = std::min(nearest, d);
            back[j - b] = std::min(back[j - b], d);
        }
        there += nearest;
    }
    const int64_t here = std::accumulate(back.begin(), back.end(), int64_t{0});
    return (there / (a_end - a) + here / (b_end - b)) / 2;
}

class Comparison {
public:
    Comparison(const Texts& texts, const QueryTrees& point, const QueryTrees& people, const TreeWeights& weights)
        : texts_(texts), point_(point), people_(people), weights_(weights) {}

    int64_t people_apart(int64_t person) {
        return sets_apart(0, point_.queries[1], people_.queries[person], people_.queries[person + 1], of_queries_,
                          [this](int64_t p, int64_t q) { return queries_apart(p, q); });
    }

private:
    int64_t queries_apart(int64_t p, int64_t q) {
        int64_t sum = weights_.text * text_distance(texts_, point_.text[p], people_.text[q]);
        sum += weights_.time * values_apart(point_.time[p], people_.time[q]);
        if (weights_.clicks > 0) sum += weights_.clicks * clicks_apart(p, q);
        return sum / kApart;
    }

    int64_t clicks_apart(int64_t p, int64_t q) {
        return sets_apart(point_.clicks[p], point_.clicks[p + 1], people_.clicks[q], people_.clicks[q + 1], of_clicks_,
                          [this](int64_t a, int64_t b) {
                              const int64_t host = point_.host[a] == people_.host[b] ? 0 : kApart;
                              return (weights_.rank * values_apart(point_.rank[a], people_.rank[b]) + weights_.host * host) / kApart;
                          });
    }

    const Texts& texts_;
    const QueryTrees &point_, &people_;
    const TreeWeights& weights_;
    std::vector<int64_t> of_queries_, of_clicks_;
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
