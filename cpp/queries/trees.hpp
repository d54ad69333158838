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
#include "queries/texts.hpp"

namespace shoal {

constexpr int32_t kUnknown = -1;  // a time, rank or host that is missing

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

// People who are compared with many points. A query of the point is compared with all queries of all people at once: texts by an index of
// their words, clicks in bundles of queries with the same number of them, and the rest in columns of vectors.
class ComparedPeople {
public:
    ComparedPeople(const Texts& texts, const QueryTrees& people, const TreeWeights& weights);

    int64_t size() const { return people_.size(); }
    const QueryTrees& trees() const { return people_; }
    // The distance of one person of `points` to each of these people.
    std::vector<int64_t> distances(const QueryTrees& points, int64_t person, std::span<const int64_t> chosen, Task& task) const;

private:
    // Queries with the same number of clicks: the rank and the host of the first click of each, then of the second, and so on.
    struct Bundle {
        int64_t clicks, width;  // queries, and places up to a whole number of vectors
        std::vector<int32_t> place, rank, host;
    };

    void read_columns();
    void read_bundles();
    void add_clicks(const QueryTrees& points, int64_t query, std::vector<int32_t>& row) const;

    QueryTrees people_;
    TreeWeights weights_;
    TextIndex index_;
    std::vector<int64_t> begin_;  // of each person in the columns, a whole number of vectors for each
    std::vector<int32_t> time_;   // of each query
    // The weighted distance to a query of another text, but for its time: if that query has no click, or if it has some and shares none.
    std::vector<int32_t> from_unclicked_, from_clicked_;
    std::vector<int32_t> place_;  // of each query in the columns
    std::vector<Bundle> bundles_;
};

}  // namespace shoal
