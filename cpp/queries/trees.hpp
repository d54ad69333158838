// People as trees: person -> queries -> (text, time, clicks -> (rank, host)), and how far two such trees lie apart.
//
// The distance of two sets of children is the mean distance of each child to the nearest one of the other set, averaged over both
// directions. It is used twice: for the queries of two people, and for the clicks of two queries. All distances are whole numbers from 0 to
// kApart, so that which person is nearer depends neither on the machine nor on the order of summation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"

namespace shoal {

constexpr int64_t kApart = 1 << 14;  // the largest distance of two texts, times, clicks, queries or people
constexpr int32_t kUnknown = -1;     // a time, rank or host that is missing

// Texts as sets of words (ids that rise), or as sequences of letters.
struct Texts {
    std::span<const int64_t> indptr;
    std::span<const int32_t> parts;
    bool letters = false;
    std::vector<uint64_t> signature;  // of the words of each text: texts whose signatures share no bit share no word

    Texts(std::span<const int64_t> indptr_, std::span<const int32_t> parts_, bool letters_);
    int64_t size() const { return static_cast<int64_t>(indptr.size()) - 1; }
    std::span<const int32_t> of(int32_t text) const { return parts.subspan(indptr[text], indptr[text + 1] - indptr[text]); }
};

struct QueryTrees {
    std::span<const int64_t> queries;     // person i asked the queries from queries[i] on, below queries[i + 1]
    std::span<const int32_t> text, time;  // of each query; times from 0 to kApart
    std::span<const int64_t> clicks;      // query q has the clicks from clicks[q] on
    std::span<const int32_t> rank, host;  // of each click; ranks from 0 to kApart
    int64_t size() const { return static_cast<int64_t>(queries.size()) - 1; }
};

// Shares of kApart: those of text, time and clicks add up to it, and so do those of rank and host.
struct TreeWeights {
    int64_t text, time, clicks, rank, host;
};

int64_t text_distance(const Texts& texts, int32_t a, int32_t b);

// The distance of the only person of `point` to each of these people.
std::vector<int64_t> tree_distances(const Texts& texts, const QueryTrees& point, const QueryTrees& people, const TreeWeights& weights,
                                    std::span<const int64_t> chosen, Task& task);

}  // namespace shoal
