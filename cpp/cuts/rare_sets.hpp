// Sets of published nodes that too few people hold: what k^m-anonymity forbids.
#pragma once

#include <limits>

#include "cuts/tokens.hpp"

namespace shoal {

// Sets of nodes in one piece of memory, which millions of them are freed with at once.
class NodeSets {
public:
    std::size_t size() const { return start_.size() - 1; }
    bool empty() const { return size() == 0; }
    std::span<const int32_t> operator[](std::size_t i) const {
        return std::span<const int32_t>(nodes_).subspan(start_[i], start_[i + 1] - start_[i]);
    }
    void add(std::span<const int32_t> set) {
        nodes_.insert(nodes_.end(), set.begin(), set.end());
        start_.push_back(nodes_.size());
    }
    // The nodes of all sets, one after the other.
    std::span<const int32_t> nodes() const { return nodes_; }
    // Leaves only the sets that are marked, in their order.
    void keep(const std::vector<uint8_t>& marked) {
        std::size_t kept = 0, end = 0;
        for (std::size_t i = 0, begin = 0; i < marked.size(); ++i) {
            const std::size_t next = start_[i + 1];
            if (marked[i]) {
                const auto last = std::copy(nodes_.begin() + begin, nodes_.begin() + next, nodes_.begin() + end);
                end = static_cast<std::size_t>(last - nodes_.begin());
                start_[++kept] = end;
            }
            begin = next;
        }
        start_.resize(kept + 1);
        nodes_.resize(end);
    }

private:
    std::vector<std::size_t> start_{0};
    std::vector<int32_t> nodes_;
};

// Rare sets, their nodes rising, and which records hold each.
struct RareFound {
    struct Holding {
        int32_t record;
        int32_t set;
    };
    NodeSets sets;
    std::vector<Holding> holdings;  // only where asked for

    bool empty() const { return sets.empty(); }
};

// Finds the sets of at most `size` published nodes that fewer than k people hold, though some do. A rare set is not extended, but
// may hold another one whose nodes come later; unless only `minimal` ones are wanted, none of which holds another that is found. Then a
// node that is rare by itself says nothing against those beside it. Their order depends on the nodes alone.
class RareSets {
public:
    explicit RareSets(const Tokens& tokens);

    // Where no set is to be left out.
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    struct Wanted {
        int64_t size;
        std::size_t limit;  // of sets to find, or all
        bool holdings;
        bool minimal = false;
    };
    // Sets that hold at least one of these nodes.
    RareFound with(std::span<const int32_t> nodes, const Wanted& wanted, const Task& task);

    // A set of one or two nodes, the lower one first; `second` is no_node in a set of one.
    struct OneOrTwo {
        int32_t first, second;
    };
    // The sets that `with` finds, all of them and not only minimal ones, where `nodes` are all that are published, in rising order, and sets
    // have at most two nodes (`size` is 1 or 2). Those of fewest holders of their nodes together come first, then those of lower nodes.
    std::vector<OneOrTwo> by_holders(std::span<const int32_t> nodes, int64_t size, const Task& task);

private:
    struct Present {
        int32_t node, slot;
        int32_t set = -1;  // the rare set that the node completes; -1 for none
    };
    // What is left of a record behind a node: published nodes that may complete a set.
    struct Rest {
        int32_t record;
        std::span<const int32_t> nodes;
    };
    // What stays while sets with one node more are looked at: as much as there are nodes beside the set, not nodes of the tree, because
    // there are as many levels as the longest record has nodes.
    struct Level {
        std::vector<Present> present;
        std::vector<int32_t> nodes;            // of the records, as far as they may complete a set
        std::vector<std::vector<Rest>> rests;  // by slot: of the records that hold this node too
    };
    // Rare pairs with a node that changed, as bits: a set with such a pair is not minimal.
    class BlockedPairs {
    public:
        static constexpr std::size_t most_bytes = std::size_t{1} << 28;

        explicit BlockedPairs(std::size_t nodes) : row_(nodes, -1), column_(nodes, -1) {}
        // Begins with no pair; false if there is no room for those of so many nodes.
        bool begin(std::span<const int32_t> changed, std::span<const int32_t> others);
        void end();
        void block(int32_t changed, int32_t other) { bits_[word(changed, other)] |= bit(other); }
        bool blocked(int32_t one, int32_t other) const {
            return (row_[one] >= 0 && (bits_[word(one, other)] & bit(other)) != 0) ||
                   (row_[other] >= 0 && (bits_[word(other, one)] & bit(one)) != 0);
        }

    private:
        std::size_t word(int32_t changed, int32_t other) const {
            return static_cast<std::size_t>(row_[changed]) * width_ + static_cast<std::size_t>(column_[other]) / 64;
        }
        uint64_t bit(int32_t other) const { return uint64_t{1} << (column_[other] % 64); }

        std::vector<int32_t> row_, column_, known_;
        std::vector<uint64_t> bits_;
        std::size_t width_ = 0;
    };

    template <class Body>
    void for_each_small(std::span<const int32_t> nodes, int64_t size, const Task& task, Body&& body);
    void note_alone(int32_t node);
    void block_pairs(std::span<const int32_t> nodes, const Task& task);
    std::span<const Rest> holders_of(int32_t node);
    void extend(std::span<const Rest> records, std::size_t depth, const Task& task);
    template <class Body>
    void for_each_beside(std::span<const Rest> records, std::size_t depth, Body&& body) const;
    void count(std::span<const Rest> records, std::size_t depth, Level& level);
    void divide(std::span<const Rest> records, std::size_t depth, Level& level) const;
    void hold(std::span<const Rest> records);
    int64_t people(std::span<const int32_t> records) const;
    bool full() const { return found_.sets.size() >= wanted_.limit; }
    int32_t note();

    const Tokens& tokens_;
    const RecodingProblem& problem_;
    Wanted wanted_{};
    std::vector<uint8_t> done_;  // nodes all of whose sets were found, or that are rare beside a part of the present set
    std::vector<Level> levels_;
    std::vector<Rest> holders_;  // of the first node of a set
    BlockedPairs blocked_;
    bool prunes_ = false;  // whether `blocked_` has all rare pairs with a changed node
    std::vector<int64_t> people_, last_owner_;  // by node, cleared before a next level begins
    std::vector<int32_t> slot_, set_of_;
    std::vector<int32_t> set_, rising_;
    RareFound found_;
    int64_t held_ = 0;  // bytes of what was found

    static constexpr int64_t most_held = int64_t{1} << 30;
    void hold_more(int64_t bytes);
};

}  // namespace shoal
