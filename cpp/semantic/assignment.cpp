#include "semantic/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/wide_vectors.hpp"

namespace shoal {

namespace {

constexpr int kPasses = 2;
constexpr std::size_t kSteps = 4;
constexpr int64_t kSettled = std::numeric_limits<int64_t>::max();  // farther than any column that is still open

// Loops over all columns are there twice: with vectors of 32 bytes, and for every processor, which also ends what fills no vector.
#define SHOAL_INLINED [[gnu::always_inline]] inline

struct Least {
    int64_t value = kSettled;
    int32_t place = 0;  // of several the first
};

// The two least of a row's costs less prices: `second` is another column's.
struct TwoLeast {
    Least first;
    int64_t second = kSettled;
};

SHOAL_INLINED void take(Least& least, int64_t value, int64_t place) {
    if (value < least.value) least = {value, static_cast<int32_t>(place)};
}

SHOAL_INLINED void take(TwoLeast& least, int64_t value, int64_t place) {
    if (value < least.first.value) {
        least.second = least.first.value;
        least.first = {value, static_cast<int32_t>(place)};
    } else {
        least.second = std::min(least.second, value);
    }
}

SHOAL_INLINED TwoLeast two_least_from(int64_t j, TwoLeast least, const int64_t* cost, const int64_t* price, int64_t n) {
    for (; j < n; ++j) take(least, cost[j] - price[j], j);
    return least;
}

// Costs less prices; returns the least.
SHOAL_INLINED Least reduced_from(int64_t j, Least least, const int64_t* cost, const int64_t* price, int64_t n, int64_t* out) {
    for (; j < n; ++j) take(least, out[j] = cost[j] - price[j], j);
    return least;
}

// Distances by way of a row at this base, where these are shorter; returns the least distance.
SHOAL_INLINED Least relaxed_from(int64_t j, Least least, const int64_t* cost, const int64_t* price, int64_t base, int64_t row, int64_t n,
                                 int64_t* distance, int64_t* entered) {
    for (; j < n; ++j) {
        const int64_t through = base + cost[j] - price[j];
        if (through < distance[j] && distance[j] != kSettled) {
            distance[j] = through;
            entered[j] = row;
        }
        take(least, distance[j], j);
    }
    return least;
}

#ifdef SHOAL_X86_64

SHOAL_WIDE inline __m256i four(const int64_t* values) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)); }
SHOAL_WIDE inline void store(int64_t* values, __m256i them) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), them); }
SHOAL_WIDE inline __m256i chosen(__m256i mask, __m256i yes, __m256i no) { return _mm256_blendv_epi8(no, yes, mask); }

// The least of four columns that are seen side by side, and of those before them in each of the four lanes.
struct FourLeast {
    __m256i value, place, here;

    SHOAL_WIDE static FourLeast none() { return {_mm256_set1_epi64x(kSettled), _mm256_setzero_si256(), _mm256_setr_epi64x(0, 1, 2, 3)}; }
    // Returns where a lane has a new least.
    SHOAL_WIDE __m256i see(__m256i them) {
        const __m256i less = _mm256_cmpgt_epi64(value, them);
        value = chosen(less, them, value);
        place = chosen(less, here, place);
        here = _mm256_add_epi64(here, _mm256_set1_epi64x(4));
        return less;
    }
    SHOAL_WIDE Least of_all() const {
        alignas(32) int64_t values[4], places[4];
        store(values, value);
        store(places, place);
        Least least;
        for (int i = 0; i < 4; ++i)
            if (values[i] < least.value || (values[i] == least.value && places[i] < least.place))
                least = {values[i], static_cast<int32_t>(places[i])};
        return least;
    }
};

SHOAL_WIDE TwoLeast two_least_wide(const int64_t* cost, const int64_t* price, int64_t n) {
    FourLeast first = FourLeast::none();
    __m256i second = first.value;
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const __m256i them = _mm256_sub_epi64(four(cost + j), four(price + j)), before = first.value;
        const __m256i less = first.see(them), other = chosen(less, before, them);  // what is not the least of its lane
        second = chosen(_mm256_cmpgt_epi64(second, other), other, second);
    }
    alignas(32) int64_t values[4], seconds[4];
    store(values, first.value);
    store(seconds, second);
    TwoLeast least{first.of_all()};
    for (int i = 0; i < 4; ++i)
        least.second = std::min(least.second, i == least.first.place % 4 ? seconds[i] : values[i]);
    return two_least_from(j, least, cost, price, n);
}

SHOAL_WIDE Least reduced_wide(const int64_t* cost, const int64_t* price, int64_t n, int64_t* out) {
    FourLeast least = FourLeast::none();
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const __m256i them = _mm256_sub_epi64(four(cost + j), four(price + j));
        store(out + j, them);
        least.see(them);
    }
    return reduced_from(j, least.of_all(), cost, price, n, out);
}

SHOAL_WIDE Least relaxed_wide(const int64_t* cost, const int64_t* price, int64_t base, int64_t row, int64_t n, int64_t* distance,
                              int64_t* entered) {
    FourLeast least = FourLeast::none();
    const __m256i settled = _mm256_set1_epi64x(kSettled), bases = _mm256_set1_epi64x(base), rows = _mm256_set1_epi64x(row);
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const __m256i through = _mm256_sub_epi64(_mm256_add_epi64(bases, four(cost + j)), four(price + j)), so_far = four(distance + j);
        const __m256i nearer = _mm256_andnot_si256(_mm256_cmpeq_epi64(so_far, settled), _mm256_cmpgt_epi64(so_far, through));
        const __m256i now = chosen(nearer, through, so_far);
        store(distance + j, now);
        store(entered + j, chosen(nearer, rows, four(entered + j)));
        least.see(now);
    }
    return relaxed_from(j, least.of_all(), cost, price, base, row, n, distance, entered);
}

#endif

TwoLeast two_least(const int64_t* cost, const int64_t* price, int64_t n) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return two_least_wide(cost, price, n);
#endif
    return two_least_from(0, {}, cost, price, n);
}

Least reduced(const int64_t* cost, const int64_t* price, int64_t n, int64_t* out) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return reduced_wide(cost, price, n, out);
#endif
    return reduced_from(0, {}, cost, price, n, out);
}

Least relaxed(const int64_t* cost, const int64_t* price, int64_t base, int64_t row, int64_t n, int64_t* distance, int64_t* entered) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return relaxed_wide(cost, price, base, row, n, distance, entered);
#endif
    return relaxed_from(0, {}, cost, price, base, row, n, distance, entered);
}

}  // namespace

std::span<const int32_t> Assignment::solve(std::span<const int64_t> cost, int32_t rows, int32_t columns) {
    price_.assign(columns, 0);
    distance_.resize(columns);
    final_.resize(columns);
    row_of_.assign(columns, -1);
    entered_.resize(columns);
    column_of_.assign(rows, -1);
    free_.resize(rows);
    std::iota(free_.begin(), free_.end(), 0);
    for (int pass = 0; pass < kPasses && columns > 1; ++pass) reduce_rows(cost, columns);
    for (int32_t row : free_) augment(row, shortest_path(cost, row, columns));
    return column_of_;
}

// Gives each free row its nearest column, at a price that makes the second nearest as near; a row that loses its column is free again.
void Assignment::reduce_rows(std::span<const int64_t> cost, int32_t columns) {
    waiting_.assign(free_.rbegin(), free_.rend());
    std::size_t left = kSteps * free_.size();  // prices may creep: what is not settled by then is left to the shortest paths
    free_.clear();
    while (!waiting_.empty()) {
        const int32_t row = waiting_.back();
        waiting_.pop_back();
        const Nearest near = nearest(cost.subspan(static_cast<std::size_t>(row) * columns, columns));
        const bool alone = near.distance < near.second_distance;
        price_[near.column] -= near.second_distance - near.distance;
        const int32_t column = !alone && row_of_[near.column] >= 0 ? near.second : near.column;
        const int32_t loser = row_of_[column];
        row_of_[column] = row;
        column_of_[row] = column;
        if (loser < 0) continue;
        column_of_[loser] = -1;
        (alone && left > 0 ? waiting_ : free_).push_back(loser);
        left -= left > 0;
    }
    std::sort(free_.begin(), free_.end());
}

// The two columns that are nearest at the present prices; of equals the first.
Assignment::Nearest Assignment::nearest(std::span<const int64_t> costs) const {
    const TwoLeast least = two_least(costs.data(), price_.data(), static_cast<int64_t>(costs.size()));
    Nearest found{least.first.place, 0, least.first.value, least.second};
    if (found.second_distance == found.distance)
        for (found.second = found.column + 1; costs[found.second] - price_[found.second] != found.distance;) ++found.second;
    return found;
}

// The free column at which the shortest path from this row ends; prices of the columns on the way are brought up to date.
int32_t Assignment::shortest_path(std::span<const int64_t> cost, int32_t start, int32_t columns) {
    settled_.clear();
    const int64_t* costs = cost.data() + static_cast<std::size_t>(start) * columns;
    Least least = reduced(costs, price_.data(), columns, distance_.data());
    std::fill_n(entered_.begin(), columns, start);
    for (;;) {
        const auto [reached, column] = least;
        if (row_of_[column] < 0) {
            for (int32_t j : settled_) price_[j] += final_[j] - reached;
            return column;
        }
        settled_.push_back(column);
        final_[column] = reached;
        distance_[column] = kSettled;
        const int32_t row = row_of_[column];
        costs = cost.data() + static_cast<std::size_t>(row) * columns;
        const int64_t base = reached - (costs[column] - price_[column]);
        least = relaxed(costs, price_.data(), base, row, columns, distance_.data(), entered_.data());
    }
}

void Assignment::augment(int32_t start, int32_t end) {
    for (int32_t column = end;;) {
        const auto row = static_cast<int32_t>(entered_[column]);
        row_of_[column] = row;
        std::swap(column, column_of_[row]);
        if (row == start) return;
    }
}

}  // namespace shoal
