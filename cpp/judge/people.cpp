#include "judge/people.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

namespace {

constexpr int64_t kNobody = -1;

// The rows of each person one after the other; empty where they lie like that already.
std::vector<int64_t> rows_by_person(std::span<const int64_t> who) {
    if (std::ranges::is_sorted(who)) return {};
    std::vector<int64_t> order(who.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::ranges::sort(order, {}, [&](int64_t row) { return who[row]; });
    return order;
}

}  // namespace

// People are numbered as they come. The last person met with each query and with each unit says whether this one is new to it.
std::vector<int64_t> people_of_units(std::span<const int32_t> query, std::span<const int64_t> who, std::span<const int64_t> starts,
                                     std::span<const int32_t> units, int64_t n_units, Task& task) {
    const std::vector<int64_t> order = rows_by_person(who);
    const auto n = static_cast<int64_t>(query.size());
    std::vector<int64_t> people(n_units, 0), last_of_query(starts.size() - 1, kNobody), last_of_unit(n_units, kNobody);
    task.begin(n);
    int64_t person = kNobody, before = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i % 65536 == 0) task.check();
        const int64_t row = order.empty() ? i : order[i];
        if (i == 0 || who[row] != who[before]) ++person;
        before = row;
        if (last_of_query[query[row]] == person) continue;
        last_of_query[query[row]] = person;
        for (int64_t at = starts[query[row]]; at < starts[query[row] + 1]; ++at) {
            if (last_of_unit[units[at]] == person) continue;
            last_of_unit[units[at]] = person;
            ++people[units[at]];
        }
    }
    return people;
}

}  // namespace shoal
