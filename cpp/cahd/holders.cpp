#include "cahd/holders.hpp"

namespace shoal {

Holders::Holders(const Rows& rows, int64_t items) : start_(items + 1, 0), records_(rows.ids.size()) {
    for (int32_t id : rows.ids) ++start_[id + 1];
    for (int64_t i = 0; i < items; ++i) start_[i + 1] += start_[i];
    std::vector<int64_t> at(start_.begin(), start_.end() - 1);
    for (int64_t record = 0; record < rows.size(); ++record)
        for (int32_t id : rows.row_ids(record)) records_[at[id]++] = record;
}

}  // namespace shoal
