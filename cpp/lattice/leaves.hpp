// The plan of a large run, asked of each record alone: what its content hashes to, and which leaf of a tree of cuts it reaches.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// Cut i asks whether at least `at_least[i]` occurrences of a record lie in [node[i], end[i]). `having` and `lacking` name the cut that
// comes next, which has a higher number; -1 - l is leaf l. Where there is no cut all records reach leaf 0.
struct CutTree {
    std::span<const int32_t> node, end;
    std::span<const int64_t> at_least;
    std::span<const int32_t> having, lacking;
};

std::vector<int64_t> leaves_of(const Rows& rows, const CutTree& cuts, int threads, Task& task);

// The sum, modulo 2^64, of a mixed number for each occurrence. Ids from `alike` on have the same, and so count by how many there are.
std::vector<uint64_t> content_hashes(const Rows& rows, int32_t alike, int threads, Task& task);

}  // namespace shoal
