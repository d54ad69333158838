#include "queries/trees.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "base/wide_vectors.hpp"

namespace shoal {

namespace {

// Loops over the queries of people are compiled twice: with vectors of 32 bytes, and for every processor.
#define SHOAL_INLINED [[gnu::always_inline]] inline

constexpr int64_t kLanes = 8;  // of 32 bits in a vector
constexpr auto kFar = static_cast<int32_t>(kApart);

int64_t whole_vectors(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Values are kUnknown, or from 0 to kApart.
SHOAL_INLINED int32_t values_apart(int32_t a, int32_t b) {
    const int32_t unknown = a == b ? 0 : kFar;
    return a == kUnknown || b == kUnknown ? unknown : std::abs(a - b);
}

// The mean distance of each child to the nearest one of the other node, averaged over both directions, from the sums of these distances.
SHOAL_INLINED int64_t sets_apart(int64_t there, int64_t n, int64_t back, int64_t m) {
    if (n == 0 || m == 0) return n == m ? 0 : kApart;
    return (there / n + back / m) / 2;
}

// The columns of all people, and the weighted distance of the present query of the point to each of theirs, but for the time.
struct Columns {
    const int64_t* begin;
    const int32_t *time, *row;
    int32_t* back;  // the nearest query of the point so far
};

// Distances of a query of the point to all queries of each chosen person; adds the nearest of them. All are at most kApart and shares add
// up to it, so sums of products fit into 32 bits.
SHOAL_INLINED void nearest_loop(const Columns& all, int32_t own_time, int32_t weight, std::span<const int64_t> chosen, int64_t* there) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const int64_t begin = all.begin[chosen[i]], n = all.begin[chosen[i] + 1] - begin;
        if (n % kLanes != 0) __builtin_unreachable();
        const int32_t *__restrict time = all.time + begin, *__restrict row = all.row + begin;
        int32_t* __restrict back = all.back + begin;
        int32_t least = kFar;
        for (int64_t j = 0; j < n; ++j) {
            const int32_t distance = (row[j] + weight * values_apart(own_time, time[j])) / kFar;
            back[j] = std::min(back[j], distance);
            least = std::min(least, distance);
        }
        there[i] += least;
    }
}

// The clicks of a query of the point, and those of queries with the same number of them, one vector of queries after the other.
struct Clicks {
    const int32_t *rank, *host;
    int64_t number;
};
struct ClickWeights {
    int32_t rank, host;
};

// The distances of the clicks of one query to those of a vector of queries, whose clicks lie `width` apart.
SHOAL_INLINED void clicks_apart(const Clicks& own, const Clicks& theirs, int64_t width, ClickWeights weights, int32_t* back, int32_t* out) {
    int32_t there[kLanes] = {}, here[kLanes] = {};
    for (int64_t b = 0; b < theirs.number * kLanes; ++b) back[b] = kFar;
    for (int64_t a = 0; a < own.number; ++a) {
        int32_t nearest[kLanes];
        for (int64_t j = 0; j < kLanes; ++j) nearest[j] = kFar;
        for (int64_t b = 0; b < theirs.number; ++b)
            for (int64_t j = 0; j < kLanes; ++j) {
                const int32_t host = theirs.host[b * width + j] == own.host[a] ? 0 : kFar;
                const int32_t apart = (weights.rank * values_apart(own.rank[a], theirs.rank[b * width + j]) + weights.host * host) / kFar;
                nearest[j] = std::min(nearest[j], apart);
                back[b * kLanes + j] = std::min(back[b * kLanes + j], apart);
            }
        for (int64_t j = 0; j < kLanes; ++j) there[j] += nearest[j];
    }
    for (int64_t b = 0; b < theirs.number; ++b)
        for (int64_t j = 0; j < kLanes; ++j) here[j] += back[b * kLanes + j];
    if (own.number == 1 && theirs.number == 1) {
        for (int64_t j = 0; j < kLanes; ++j) out[j] = there[j];
        return;
    }
    const auto n = static_cast<int32_t>(own.number), m = static_cast<int32_t>(theirs.number);
    for (int64_t j = 0; j < kLanes; ++j) out[j] = (there[j] / n + here[j] / m) / 2;
}

SHOAL_INLINED void bundle_loop(const Clicks& own, const Clicks& theirs, int64_t width, ClickWeights weights, int32_t* back, int32_t* out) {
    for (int64_t at = 0; at < width; at += kLanes)
        clicks_apart(own, {theirs.rank + at, theirs.host + at, theirs.number}, width, weights, back, out + at);
}

#ifdef SHOAL_X86_64
SHOAL_WIDE void nearest_wide(const Columns& all, int32_t own_time, int32_t weight, std::span<const int64_t> chosen, int64_t* there) {
    nearest_loop(all, own_time, weight, chosen, there);
}
SHOAL_WIDE void bundle_wide(const Clicks& own, const Clicks& theirs, int64_t width, ClickWeights weights, int32_t* back, int32_t* out) {
    bundle_loop(own, theirs, width, weights, back, out);
}
#endif

void nearest_queries(const Columns& all, int32_t own_time, int32_t weight, std::span<const int64_t> chosen, int64_t* there) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return nearest_wide(all, own_time, weight, chosen, there);
#endif
    nearest_loop(all, own_time, weight, chosen, there);
}

void bundle_apart(const Clicks& own, const Clicks& theirs, int64_t width, ClickWeights weights, int32_t* back, int32_t* out) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return bundle_wide(own, theirs, width, weights, back, out);
#endif
    bundle_loop(own, theirs, width, weights, back, out);
}

}  // namespace

ComparedPeople::ComparedPeople(const Texts& texts, const QueryTrees& people, const TreeWeights& weights)
    : people_(people), weights_(weights), index_(texts, people.text), begin_(people.size() + 1, 0), place_(people.text.size()) {
    read_columns();
    if (weights.clicks > 0) read_bundles();
}

// Places without a query lie farther away than all queries do.
void ComparedPeople::read_columns() {
    for (int64_t i = 0; i < size(); ++i) begin_[i + 1] = begin_[i] + whole_vectors(people_.queries[i + 1] - people_.queries[i]);
    time_.assign(begin_.back(), 0);
    from_unclicked_.assign(begin_.back(), static_cast<int32_t>(kApart * kApart));
    from_clicked_ = from_unclicked_;
    const auto other_text = static_cast<int32_t>(weights_.text * kApart), other_click = static_cast<int32_t>(weights_.clicks * kApart);
    for (int64_t i = 0; i < size(); ++i)
        for (int64_t q = people_.queries[i]; q < people_.queries[i + 1]; ++q) {
            const int64_t at = begin_[i] + q - people_.queries[i];
            const bool clicked = people_.clicks[q] < people_.clicks[q + 1];
            place_[q] = static_cast<int32_t>(at);
            time_[at] = people_.time[q];
            from_unclicked_[at] = other_text + (clicked ? other_click : 0);
            from_clicked_[at] = other_text + (clicked ? 0 : other_click);
        }
}

void ComparedPeople::read_bundles() {
    std::map<int64_t, std::vector<int64_t>> with;  // number of clicks: queries
    for (std::size_t q = 0; q < place_.size(); ++q)
        if (const int64_t n = people_.clicks[q + 1] - people_.clicks[q]; n > 0) with[n].push_back(static_cast<int64_t>(q));
    for (const auto& [clicks, queries] : with) {
        const int64_t width = whole_vectors(static_cast<int64_t>(queries.size()));
        Bundle bundle{clicks, width, {}, std::vector<int32_t>(clicks * width, kUnknown), std::vector<int32_t>(clicks * width, kUnknown)};
        for (std::size_t i = 0; i < queries.size(); ++i) {
            bundle.place.push_back(place_[queries[i]]);
            for (int64_t b = 0; b < clicks; ++b) {
                bundle.rank[b * width + static_cast<int64_t>(i)] = people_.rank[people_.clicks[queries[i]] + b];
                bundle.host[b * width + static_cast<int64_t>(i)] = people_.host[people_.clicks[queries[i]] + b];
            }
        }
        bundles_.push_back(std::move(bundle));
    }
}

// The weighted distance of the clicks of a query to those of all clicked ones.
void ComparedPeople::add_clicks(const QueryTrees& points, int64_t query, std::vector<int32_t>& row) const {
    const int64_t first = points.clicks[query];
    const Clicks own{points.rank.data() + first, points.host.data() + first, points.clicks[query + 1] - first};
    const ClickWeights weights{static_cast<int32_t>(weights_.rank), static_cast<int32_t>(weights_.host)};
    const auto by_clicks = static_cast<int32_t>(weights_.clicks);
    thread_local std::vector<int32_t> apart, back;
    for (const Bundle& bundle : bundles_) {
        apart.resize(bundle.width);
        back.resize(bundle.clicks * kLanes);
        bundle_apart(own, {bundle.rank.data(), bundle.host.data(), bundle.clicks}, bundle.width, weights, back.data(), apart.data());
        for (std::size_t i = 0; i < bundle.place.size(); ++i) row[bundle.place[i]] += by_clicks * apart[i];
    }
}

std::vector<int64_t> ComparedPeople::distances(const QueryTrees& points, int64_t person, std::span<const int64_t> chosen, Task& task) const {
    std::vector<int32_t> row, back(time_.size(), kFar);
    std::vector<int64_t> there(chosen.size(), 0);
    std::vector<TextIndex::Near> near;
    for (int64_t p = points.queries[person]; p < points.queries[person + 1]; ++p) {
        task.check();
        const bool clicked = points.clicks[p] < points.clicks[p + 1];
        row = clicked ? from_clicked_ : from_unclicked_;
        index_.near(points.text[p], near);
        for (const auto& one : near)
            for (int32_t q : index_.queries(one.text)) row[place_[q]] -= static_cast<int32_t>(weights_.text) * one.closeness;
        if (clicked) add_clicks(points, p, row);
        const Columns columns{begin_.data(), time_.data(), row.data(), back.data()};
        nearest_queries(columns, points.time[p], static_cast<int32_t>(weights_.time), chosen, there.data());
    }
    const int64_t asked = points.queries[person + 1] - points.queries[person];
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto begin = back.begin() + begin_[chosen[i]];
        const int64_t n = people_.queries[chosen[i] + 1] - people_.queries[chosen[i]];
        there[i] = sets_apart(there[i], asked, std::accumulate(begin, begin + n, int64_t{0}), n);
    }
    return there;
}

}  // namespace shoal
