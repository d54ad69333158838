#include "lattice/cover.hpp"

#include "base/parallel.hpp"

namespace shoal {

std::vector<int32_t> covering_nodes(const Rows& originals, const Rows& published, std::span<const int64_t> row,
                                    std::span<const int32_t> end, int threads, Task& task) {
    std::vector<int32_t> cover(originals.ids.size(), -1);
    task.begin(originals.size());
    parallel_blocks(originals.size(), 1024, threads, task, [&](int64_t begin, int64_t stop, int) {
        std::vector<int32_t> path;  // published nodes that cover the current item, from the top down
        for (int64_t i = begin; i < stop; ++i) {
            if (row[i] < 0) continue;
            path.clear();
            auto nodes = published.row_ids(row[i]);
            std::size_t next = 0;
            for (int64_t at = originals.indptr[i]; at < originals.indptr[i + 1]; ++at) {
                const int32_t item = originals.ids[at];
                for (; next < nodes.size() && nodes[next] <= item; ++next) {
                    while (!path.empty() && nodes[next] >= end[path.back()]) path.pop_back();
                    path.push_back(nodes[next]);
                }
                while (!path.empty() && item >= end[path.back()]) path.pop_back();
                if (!path.empty()) cover[at] = path.back();
            }
        }
    });
    return cover;
}

}  // namespace shoal
