// Cuts records, or groups of them, into blocks of similar ones: cutting again and again across the coordinate that varies most.
// The cut depends on content and on the number of records, never on threads.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

constexpr int kCoordinates = 64;

// One row of coordinates per thing to be split: square roots of the weight on the heaviest nodes, and of the length.
struct Coordinates {
    std::vector<uint16_t> values;
    int64_t size() const { return static_cast<int64_t>(values.size()) / kCoordinates; }
    const uint16_t* of(int64_t i) const { return values.data() + i * kCoordinates; }
};

Coordinates coordinates(const Rows& counts, std::span<const int64_t> lengths, std::span<const int64_t> weight, int64_t scale, int threads,
                        Task& task);

// Blocks of about `size` things and equally full, whatever their number. Things come in rising order, and so do those of a block. `round`
// shakes the choice of coordinates, so that things on either side of a cut meet in another round.
std::vector<std::vector<int64_t>> split_blocks(const Coordinates& at, std::vector<int64_t> things, int64_t size, uint64_t round,
                                               int threads, Task& task);

}  // namespace shoal
