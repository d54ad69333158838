#include "loss_bound/distinct.hpp"

#include "base/rows.hpp"
#include "lattice/split.hpp"

namespace shoal {

namespace {

constexpr int64_t kBlock = 64;

}  // namespace

Distinct distinct_rows(const Scored& data, int threads, Task& task) {
    const std::vector<int64_t> label = identical_rows(data.counts, threads, task);
    std::vector<int64_t> firsts, order;  // one record of each kind
    for (int64_t r = 0; r < data.size(); ++r)
        if (label[r] == static_cast<int64_t>(firsts.size())) firsts.push_back(r);
    const Coordinates at = coordinates(data.counts, data.lengths, data.weight, data.scale, threads, task);
    for (const auto& block : split_blocks(at, std::move(firsts), kBlock, 0, threads, task))
        order.insert(order.end(), block.begin(), block.end());
    std::vector<int64_t> row_of_label(order.size()), row_of(data.size()), copies(order.size(), 0);
    for (std::size_t row = 0; row < order.size(); ++row) row_of_label[label[order[row]]] = static_cast<int64_t>(row);
    for (int64_t r = 0; r < data.size(); ++r) {
        row_of[r] = row_of_label[label[r]];
        ++copies[row_of[r]];
    }
    return {BlockCopy(data, order, 1), std::move(row_of), std::move(copies)};
}

}  // namespace shoal
