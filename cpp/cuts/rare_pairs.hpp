// The steps of publishing from below where attackers know at most two items: rare nodes and rare pairs of nodes, and what each record gives
// up because of them. The same answer as `PublishedRecords::rare_sets` and `given_up`, without a list of all rare sets, of which there are
// nearly as many as pairs of items in the records: pairs are counted once to learn in how many rare ones each node is, and again for a
// number of records at a time, whose rare pairs are kept until these records have chosen.
#pragma once

#include "cuts/from_below.hpp"

namespace shoal {

struct GivenUp {
    std::vector<uint8_t> gone;  // 1 at every place that gives up what it shows
    bool pairs = false;         // whether some rare set has two nodes
};

class RarePairs {
public:
    // Pairs that are kept at a time; at least those of one record.
    static constexpr int64_t usual_batch = int64_t{1} << 23;

    explicit RarePairs(const Tokens& tokens, int64_t batch = usual_batch);

    // What records give up so that none of the changed nodes is rare, alone or in a pair. Every record chooses as in `given_up`.
    GivenUp give_up(const ShownPlaces& places, std::span<const int32_t> changed, const Task& task);

private:
    // Two places in a row of nodes that are a rare pair; `first` == `second` for a node that is rare alone.
    struct Pair {
        int32_t first, second;
    };

    // Whether too few people, but some, publish this node and the one that is counted now.
    bool rare(int32_t node) const { return people_[node] != 0 && people_[node] < problem_.k; }
    std::span<const Pair> held_by(int32_t in_batch) const {
        return std::span<const Pair>(pairs_).subspan(start_[in_batch], start_[in_batch + 1] - start_[in_batch]);
    }

    void find_alone(std::span<const int32_t> changed);
    template <class Body>
    void for_each_open(std::span<const int32_t> changed, const Task& task, Body&& body);
    void count_beside(int32_t node);
    void count_record(int32_t record);
    void count_owner(int32_t record);
    bool count_pairs(std::span<const int32_t> changed, const Task& task);
    std::vector<int32_t> batch_ends() const;
    void collect(std::span<const int32_t> changed, int32_t begin, int32_t end, const Task& task);
    void read_candidates(const ShownPlaces& places, int32_t record);
    void connect(std::span<const Pair> pairs, int32_t n);
    void choose(const ShownPlaces& places, int32_t record, std::span<const Pair> pairs, std::vector<uint8_t>& gone);

    const Tokens& tokens_;
    const RecodingProblem& problem_;
    const int64_t batch_;
    std::vector<uint8_t> done_;                           // nodes that are rare alone, or whose pairs are counted
    std::vector<int32_t> people_, present_, everywhere_;  // people_ is zero between two nodes
    std::vector<int64_t> last_owner_;
    std::vector<int64_t> of_record_;  // rare sets of each record
    std::vector<int64_t> start_;      // of a batch: where the pairs of each record begin
    std::vector<Pair> pairs_;
    // Of one record, by place in its row: the rare sets that are left, and the places with which it makes a rare pair.
    std::vector<int32_t> hits_, beside_, beside_start_;
    std::vector<uint8_t> chosen_, candidate_;
};

}  // namespace shoal
