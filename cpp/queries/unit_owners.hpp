// The owners of the units of queries, such as their words: how many each unit has, and who they are where they are few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"

namespace shoal {

// Row i belongs to the owner `owner[i]`, from 0 to 2^31 - 1, and has the query `query[i]`; owners rise. Query q has the units
// units[starts[q] .. starts[q + 1]).
struct QueryRows {
    std::span<const int32_t> query;
    std::span<const int64_t> owner;
    std::span<const int64_t> starts;
    std::span<const int32_t> units;
};

// `count[u]` different owners have the unit u. If they are fewer than asked for, they are owners[starts[u] .. starts[u + 1]), which rise.
struct UnitOwners {
    std::vector<int64_t> count;
    std::vector<int64_t> starts;
    std::vector<int64_t> owners;
};
UnitOwners unit_owners(const QueryRows& rows, int64_t n_units, int64_t few, Task& task);

// Which owners have a query of which class: 1 at owner * n_classes + class_of[query] for every row, else 0.
std::vector<uint8_t> owner_classes(std::span<const int32_t> query, std::span<const int64_t> owner, std::span<const uint8_t> class_of,
                                   int64_t n_classes, int64_t n_owners, Task& task);

}  // namespace shoal
