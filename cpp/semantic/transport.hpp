// Minimum-cost transport on a sparse bipartite graph with multiplicities: Hungarian by shortest augmenting paths.
//
// Every row has a supply, every column a capacity, and a unit of a row that finds no partner costs `nil`. A search never leaves
// the connected component it starts in, so the work is that of Hungarian per component. Ties are broken by column number: same
// graph, same answer.
#pragma once

#include <utility>

#include "base/csr.hpp"

namespace shoal {

struct Edge {
    int32_t row;
    int32_t column;
    int64_t cost;
    int32_t flow = 0;  // units matched along it: the answer
};

class Transport {
public:
    // Edges in any order, one per pair; on return they are sorted by row and column and carry their flow.
    // The answer is what matching saves: the sum over matched units of nil - cost, as large as can be.
    int64_t solve(std::vector<Edge>& edges, std::span<const int32_t> supply, std::span<const int32_t> capacity, int64_t nil);

private:
    struct Column {
        int64_t potential;
        int64_t distance;
        int32_t free;
        int32_t entered;  // the edge by which the search came here
        bool done;
    };
    struct Row {
        int64_t potential;
        int64_t distance;
        int32_t entered;  // the matched edge by which the search came here, -1 for the start
        bool reached;
    };

    void prepare(std::vector<Edge>& edges, std::span<const int32_t> supply, std::span<const int32_t> capacity, int64_t nil);
    int32_t augment(std::vector<Edge>& edges, int32_t start, int32_t wanted, int64_t nil);
    void scan(const std::vector<Edge>& edges, int32_t row);
    int32_t push(std::vector<Edge>& edges, int32_t column, int32_t last_row, int32_t amount);
    void reset(int64_t shortest);

    std::vector<Row> rows_;
    std::vector<Column> columns_;
    std::vector<int32_t> row_start_, column_start_, column_edges_;
    std::vector<int32_t> reached_rows_, reached_columns_;
    using Step = std::pair<int64_t, int32_t>;
    std::vector<Step> frontier_;  // a heap, nearest first
};

}  // namespace shoal
