// What each term set could save at best when matched with a set of bags: every bag is credited with the best of its terms,
// whether or not another bag wants the same term. Never less than what a matching saves.
#pragma once

#include "semantic/nearness.hpp"

namespace shoal {

class Credits {
public:
    explicit Credits(int64_t rows) : scores_(rows) {}

    // Credits the rows from `first` to before `last` that hold a term within the bag's reach; a pair saves `nil` less its cost.
    void credit(const Index& index, const std::vector<Reach>& reach, int32_t copies, int64_t nil, int64_t first, int64_t last) {
        ++bag_;
        for (const Reach& place : reach) {
            const int64_t worth = nil - place.cost;
            if (worth <= 0) break;
            for (const auto& [row, count] : index.list(place, first, last)) {
                Score& s = scores_[row];
                if (s.bag != bag_) s.bag = bag_, s.left = copies;
                if (s.left == 0) continue;
                const int32_t used = std::min(s.left, count);
                s.left -= used;
                if (s.saving == 0) touched_.push_back(row);
                s.saving += used * worth;
            }
        }
    }

    const std::vector<int32_t>& touched() const { return touched_; }
    int64_t saving(int64_t row) const { return scores_[row].saving; }

    void clear() {
        for (int32_t row : touched_) scores_[row].saving = 0;
        touched_.clear();
    }

private:
    struct Score {
        int64_t saving = 0;
        uint32_t bag = 0;  // the last bag credited, and how many of its copies are still without a partner
        int32_t left = 0;
    };

    uint32_t bag_ = 0;
    std::vector<Score> scores_;
    std::vector<int32_t> touched_;
};

}  // namespace shoal
