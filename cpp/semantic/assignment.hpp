// One-to-one matching of least total cost on a full matrix: row reduction, then shortest augmenting paths (Jonker and
// Volgenant, Computing 38, 1987).
//
// Exact in whole numbers. Rows are taken in their order, and of columns at equal distances the first: same matrix, same answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

using std::int32_t;
using std::int64_t;

class Assignment {
public:
    // The column of each row. Costs are row by row, not negative, and there are no more rows than columns.
    std::span<const int32_t> solve(std::span<const int64_t> cost, int32_t rows, int32_t columns);

private:
    struct Nearest {
        int32_t column, second;  // the second one is named only if it is as near
        int64_t distance, second_distance;
    };

    void reduce_rows(std::span<const int64_t> cost, int32_t columns);
    Nearest nearest(std::span<const int64_t> costs) const;
    int32_t shortest_path(std::span<const int64_t> cost, int32_t start, int32_t columns);
    void augment(int32_t start, int32_t end);

    std::vector<int64_t> price_, distance_, final_;  // of columns; a distance is final once the column is settled
    std::vector<int64_t> entered_;                   // of columns: the row that the path came from
    std::vector<int32_t> row_of_;                    // of columns: the row matched
    std::vector<int32_t> settled_;                   // columns on the way
    std::vector<int32_t> column_of_;                 // of rows
    std::vector<int32_t> free_, waiting_;            // rows without a column
};

}  // namespace shoal
