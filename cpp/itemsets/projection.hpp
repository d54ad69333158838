// The records that hold some items, numbered anew, as bitsets: one column for each item that may be added and for each private item.
// Columns are only as long as those records are many, which is what makes counting below a rare prefix cheap.
#pragma once

#include "itemsets/itemsets.hpp"

namespace shoal {

class Projection {
public:
    Projection(const Transactions& data, const Lists& ranked, std::size_t ranks);

    // These records, read row by row. `items` are the ranks that get a column.
    void read(std::span<const int32_t> tids, std::span<const int32_t> items);
    // The records of `parent` whose bit is set in `mask`, one of its columns; `items` have columns there. The parent must stay as it is
    // for as long as this projection is used.
    void narrow(const Projection& parent, const uint64_t* mask, std::span<const int32_t> items);
    // Private items get their columns when they are first asked for, or now.
    void prepare_hidden();

    bool empty() const { return tids_.empty(); }
    std::size_t words() const { return words_; }
    const std::vector<int32_t>& tids() const { return tids_; }
    bool has(int32_t rank) const { return slot_[rank] >= 0; }
    const uint64_t* column(int32_t rank) const { return bits_.data() + static_cast<std::size_t>(slot_[rank]) * words_; }

    // The worst breach among the records set in `cohort`, as long as it exceeds `limit` holders; otherwise a breach of as many holders as
    // no private item can have more of.
    Breach worst(const uint64_t* cohort, int64_t records, int64_t limit, BreachCounter& counter);

    // Whether bitsets suit these many records with so many entries in so many columns.
    static bool suits(int64_t entries, int64_t records, int64_t columns);

private:
    void begin(std::size_t records, std::span<const int32_t> items);
    void fill_from_rows();
    void fill_hidden();
    Breach worst_by_rows(const uint64_t* cohort, int64_t records, BreachCounter& counter);

    const Transactions& data_;
    const Lists& ranked_;
    std::vector<int32_t> tids_, items_, slot_;
    std::size_t words_ = 0;
    std::vector<uint64_t> bits_;

    const Projection* parent_ = nullptr;
    std::vector<uint64_t> mask_;

    bool hidden_ready_ = false, hidden_suits_ = false;
    int64_t hidden_entries_ = 0;
    std::vector<uint64_t> hidden_bits_;
    std::vector<int32_t> hidden_order_;    // private items, the most frequent among these records first
    std::vector<int64_t> hidden_support_;  // in that order
    std::vector<int64_t> support_;
    std::vector<int32_t> scratch_;
};

}  // namespace shoal
