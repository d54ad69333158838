// Clump's assignment loop (Milani Fard and Wang, thesis chapter 4) on tree counts, with the exact least common generalization.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

struct ClumpOptions {
    int64_t k;
    int64_t r;           // how many open clusters a record is tried on
    bool total;          // the printed criterion: least total distortion, instead of least increase
    bool owners_repeat;  // a person may own several records: a cluster then counts people, not records
};

// `counts` are tree counts over weighted nodes, `order` the sequence of assignment, `owner` one id per record, `scale` the integer
// that stands for a loss of one. Returns the group of each record; throws std::domain_error where there are fewer than k owners.
std::vector<int64_t> clump(const Rows& counts, std::span<const int64_t> lengths, std::span<const int64_t> order,
                           std::span<const int64_t> owner, std::span<const int64_t> weight, int64_t scale, const ClumpOptions& options,
                           Task& task);

}  // namespace shoal
