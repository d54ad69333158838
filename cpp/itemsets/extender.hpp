// One worker of the search for minimal moles: extends known non-moles by one item, on bitsets or on lists, whichever suits the records.
#pragma once

#include <atomic>

#include "itemsets/moles.hpp"
#include "itemsets/projection.hpp"
#include "itemsets/set_tree.hpp"

namespace shoal {

// What all workers read.
struct SearchData {
    const Transactions& data;
    MoleQuestion ask;
    const Lists& ranked;                // public rows as ranks
    Lists columns;                      // the tids of each rank
    const std::vector<int32_t>& items;  // the item of each rank
    std::optional<Projection> whole;    // all records as bitsets, where that suits them

    bool dense(int64_t columns) const;  // whether bitsets suit sets that may be extended by this many items

    // Counts sets that are kept until the end; beyond a limit, which is that of all threads together, the search ends.
    void keep(int64_t sets) const {
        if (kept.fetch_add(sets) + sets > most_kept) throw OutOfPatience("memory");
    }
    static constexpr int64_t most_kept = int64_t{1} << 26;
    mutable std::atomic<int64_t> kept{0};
};

// What a search found, in the order of the sets it began from.
struct Extract {
    Lists moles;  // of items in rising order
    std::vector<int32_t> people;
    std::vector<std::pair<int64_t, Breach>> breaches;  // of those moles that have one
    Level level;                                       // the extendible sets
    std::vector<int64_t> children;                     // how many of them extend each set begun from
    int64_t fewest = -1;
    int64_t counted = 0;
    Breach greatest;

    // Counts the set; it is either admitted as a non-mole or noted as a mole. `worst` is looked at only if enough people hold the set.
    bool admits(std::span<const int32_t> set, int64_t people, const Breach& worst, const MoleQuestion& ask);
    void seen(int64_t people);
    void note_mole(std::span<const int32_t> set, int64_t people, const Breach& breach);
    void take(Extract&& other);
};

class Extender {
public:
    Extender(const SearchData& search_data, const SetTree& set_tree, bool keep);
    // Extends all sets of the deepest level that begin with this item.
    void extend_item(int64_t item, Extract& out, const Task& task);

private:
    struct Candidate {
        int32_t item;
        int32_t bound;
    };
    // The records of the prefix's first items.
    struct Base {
        std::vector<int32_t> prefix;
        bool ready = false, dense = false;
        Projection records;
    };

    void extend_single(int64_t member, Extract& out);
    // Extends all sets that share all but their last item; `prefix` is what they share, a set one size smaller.
    void extend_class(int64_t prefix, Extract& out);
    void gather_candidates(int64_t member, int64_t end);
    void extend_by_lists(std::span<const int32_t> tids, Extract& out);
    void extend_by_bits(Projection& records, const uint64_t* cohort, Extract& out);
    void extend_class_by_lists(int64_t begin, int64_t end, Extract& out);
    void extend_class_by_bits(Projection& records, std::size_t depth, int64_t begin, int64_t end, Extract& out);
    template <class Worst>
    void judge(const Candidate& candidate, int64_t people, Extract& out, Worst&& worst);
    std::span<const int32_t> cohort(std::size_t depth);
    Base& base(std::size_t depth);
    void fill(Base& base, std::size_t depth, std::span<const int32_t> items);

    const SearchData& shared_;
    const SetTree& sets_so_far_;
    const bool keep_;
    BreachCounter counter_;

    std::vector<int32_t> prefix_;        // of the class at work
    int32_t last_ = -1;                  // the last item of the set at work
    std::vector<Candidate> candidates_;  // what may extend it
    std::vector<int32_t> slot_;          // rank -> place among the buckets; -1 for none
    std::vector<std::vector<int32_t>> class_buckets_, buckets_;
    std::vector<std::vector<int32_t>> stack_;  // stack_[d]: tids that hold the first d + 1 items of stack_items_
    std::vector<int32_t> stack_items_;
    std::vector<Base> bases_;  // bases_[d]: of the first d + 1 items
    std::vector<uint64_t> prefix_bits_, set_bits_, pair_bits_;
    std::vector<int32_t> set_, subset_;
};

}  // namespace shoal
