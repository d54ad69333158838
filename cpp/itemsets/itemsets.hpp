// Counting itemsets: how many records and people hold a set of items, and how many of those hold a further, private item.
// The search_data of (h,k,p)-coherence and of every model that bounds what an attacker may know by a number of items.
//
// Records are kept both ways round: as rows of items and as columns of record numbers ("tids"). Where an owner has several records, the
// records come sorted by owner, so that the people behind a sorted list of tids are its runs.
#pragma once

#include <optional>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

__extension__ typedef __int128 Wide;  // for products of two 64-bit numbers

// Lists of numbers in one piece of memory.
struct Lists {
    std::vector<int64_t> start{0};
    std::vector<int32_t> values;

    int64_t size() const { return static_cast<int64_t>(start.size()) - 1; }
    std::span<const int32_t> operator[](int64_t i) const {
        return std::span<const int32_t>(values).subspan(start[i], start[i + 1] - start[i]);
    }
    int64_t length(int64_t i) const { return start[i + 1] - start[i]; }
    void close() { start.push_back(static_cast<int64_t>(values.size())); }
};

// Rows become columns and columns rows; each list comes out sorted.
Lists transpose(const Lists& lists, int64_t columns);

// What two sorted lists share: merged where they are of a size, by doubling steps where one is far shorter.
void intersect(std::span<const int32_t> a, std::span<const int32_t> b, std::vector<int32_t>& out);

// Bitsets of `words` 64-bit words.
int64_t count_and(const uint64_t* a, const uint64_t* b, std::size_t words);
int64_t and_into(uint64_t* out, const uint64_t* a, const uint64_t* b, std::size_t words);

// floor(h * n) for the fraction h, exactly: a number of records above it is more than the share h of n.
struct Share {
    int64_t numerator;
    int64_t denominator;
    int64_t of(int64_t n) const {
        constexpr int64_t narrow = int64_t{1} << 31;  // a division of 64 bits is several times faster than one of 128
        if (numerator < narrow && n < narrow) return numerator * n / denominator;
        return static_cast<int64_t>(static_cast<Wide>(numerator) * n / denominator);
    }
};

// The private item that is most frequent in a cohort: `holders` of `cohort` (records or people, whichever gives the larger share).
struct Breach {
    int32_t item = -1;
    int64_t holders = 0;
    int64_t cohort = 1;

    bool exceeds(const Breach& other) const {
        return static_cast<Wide>(holders) * other.cohort > static_cast<Wide>(other.holders) * cohort;
    }
};

// What is asked of the records: which items an attacker may know (`open`) and which must not be inferred (`hidden`).
enum Role : uint8_t { other = 0, open = 1, hidden = 2 };

// Records of sets, split by role. Items of both halves keep the numbers they have in the data.
struct Transactions {
    Lists open_rows;
    Lists hidden_rows;
    std::vector<int32_t> hidden_items;  // hidden_rows hold places in this list
    std::span<const int64_t> owners;    // empty where every record has an owner of its own

    int64_t size() const { return open_rows.size(); }
    bool owners_repeat() const { return !owners.empty(); }
    int64_t people(std::span<const int32_t> tids) const;
};

Transactions split_by_role(const Rows& rows, std::span<const uint8_t> role, std::span<const int64_t> owners);

// Counts private items over lists of tids; one for each thread.
class BreachCounter {
public:
    explicit BreachCounter(const Transactions& data);
    // The private item of the greatest share among these records, or among the people behind them; the lowest number wins ties.
    Breach worst(std::span<const int32_t> tids, int64_t people);

private:
    Breach worst_by_people(std::span<const int32_t> tids, int64_t people);
    int32_t most_frequent(const std::vector<int32_t>& counts) const;

    const Transactions& data_;
    std::vector<int32_t> records_, people_, touched_;
    std::vector<int64_t> last_owner_;
};

struct Supports {
    std::vector<int64_t> people;
    std::vector<int64_t> records;
    std::vector<int64_t> hidden, holders, cohort;  // the worst breach of each itemset; hidden is -1 without private items
};

// Counts each of these sets of open items. Sets that follow one another and begin alike share the work of their common beginning.
Supports itemset_supports(const Transactions& data, const Lists& itemsets, int64_t items, int threads, Task& task);

}  // namespace shoal
