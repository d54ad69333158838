// Moles as a search for a hitting set reads them: which moles hold an item, and which items a mole holds. Moles of any size are listed one by
// one; moles of one or two items are a graph, whose edges need neither a list of their items nor a count of how many of these are
// suppressed: 8 bytes for each mole, where the lists take 36.
#pragma once

#include <algorithm>

#include "itemsets/itemsets.hpp"

namespace shoal {

// Moles of any size. A mole is its number.
class ListedMoles {
public:
    static constexpr bool overlapping = true;  // two moles may have two items in common

    ListedMoles(const Lists& moles, int64_t items) : moles_(moles), holding_(transpose(moles, items)) {}

    int64_t size() const { return moles_.size(); }
    int64_t entries() const { return static_cast<int64_t>(moles_.values.size()); }
    // How many moles hold an item, and which.
    int64_t length(int32_t item) const { return holding_.length(item); }
    std::span<const int32_t> holding(int32_t item) const { return holding_[item]; }
    // The items of a mole; all others than the one through which it was found must be among them.
    std::span<const int32_t> members(const int32_t& mole) const { return moles_[mole]; }
    bool alone(int32_t item) const {
        return std::ranges::any_of(holding_[item], [this](int32_t mole) { return moles_.length(mole) == 1; });
    }

    // Which moles are hit already.
    struct Dead {
        std::vector<char> dead;
        bool dies(int32_t mole) { return dead[mole] ? false : (dead[mole] = 1, true); }
        void suppress(int32_t) {}
    };
    Dead none_dead() const { return {std::vector<char>(size(), 0)}; }

    // How many suppressed items each mole has.
    struct Hits {
        std::vector<int32_t> hits;
        int32_t of(int32_t, int32_t mole, const std::vector<char>&) const { return hits[mole]; }
        void add(int32_t mole, int32_t n) { hits[mole] += n; }
    };
    Hits no_hits() const { return {std::vector<int32_t>(size(), 0)}; }
    // The one suppressed item of a mole that has one.
    int32_t sole_hitter(int32_t, const int32_t& mole, const std::vector<char>& gone) const {
        return *std::ranges::find_if(moles_[mole], [&](int32_t item) { return gone[item] != 0; });
    }

private:
    const Lists& moles_;
    const Lists holding_;
};

// Moles of one or two items. Seen from an item a mole is its other item; or the item itself, if it is a mole alone.
class PairedMoles {
public:
    static constexpr bool overlapping = false;

    PairedMoles(Lists&& others, int64_t moles) : others_(std::move(others)), moles_(moles) {}

    int64_t size() const { return moles_; }
    int64_t entries() const { return static_cast<int64_t>(others_.values.size()); }
    int64_t length(int32_t item) const { return others_.length(item); }
    std::span<const int32_t> holding(int32_t item) const { return others_[item]; }
    std::span<const int32_t> members(const int32_t& mole) const { return {&mole, 1}; }
    bool alone(int32_t item) const { return others_.length(item) == 1 && others_[item].front() == item; }

    struct Dead {
        std::vector<char> suppressed;
        bool dies(int32_t other) const { return !suppressed[other]; }
        void suppress(int32_t item) { suppressed[item] = 1; }
    };
    Dead none_dead() const { return {std::vector<char>(others_.size(), 0)}; }

    struct Hits {
        int32_t of(int32_t item, int32_t other, const std::vector<char>& gone) const {
            return gone[other] + (other != item && gone[item]);
        }
        void add(int32_t, int32_t) {}
    };
    Hits no_hits() const { return {}; }
    int32_t sole_hitter(int32_t item, const int32_t& other, const std::vector<char>& gone) const { return gone[other] ? other : item; }

private:
    const Lists others_;
    const int64_t moles_;
};

}  // namespace shoal
