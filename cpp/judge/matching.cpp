#include "judge/matching.hpp"

#include <cstdint>
#include <vector>

#include "judge/work.hpp"

namespace shoal {

namespace {

class Matching {
public:
    Matching(std::span<const int64_t> of, std::span<const int64_t> record, std::span<const int64_t> wanted, int64_t records, Task& task)
        : work_(task), start_(wanted.size() + 1, 0), edge_(of.size()), left_(wanted.begin(), wanted.end()), taken_by_(records, -1) {
        for (int64_t owner : of) ++start_[owner + 1];
        for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
        std::vector<int64_t> at(start_.begin(), start_.end() - 1);
        for (std::size_t i = 0; i < of.size(); ++i) edge_[at[of[i]]++] = record[i];
        work_.add(4 * static_cast<int64_t>(of.size()));
    }

    int64_t largest() {
        int64_t matched = 0;
        while (find_distances()) {
            next_.assign(start_.begin(), start_.end() - 1);
            for (int64_t from = 0; from < classes(); ++from)
                while (left_[from] > 0 && augment(from)) ++matched;
        }
        work_.flush();
        return matched;
    }

private:
    int64_t classes() const { return static_cast<int64_t>(left_.size()); }

    // How many records away each class is from one that wants more; whether a free record can be reached at all.
    bool find_distances() {
        distance_.assign(left_.size(), -1);
        queue_.clear();
        for (int64_t from = 0; from < classes(); ++from)
            if (left_[from] > 0) distance_[from] = 0, queue_.push_back(from);
        bool reached = false;
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            const int64_t from = queue_[at];
            work_.add(4 + 2 * (start_[from + 1] - start_[from]));
            for (int64_t e = start_[from]; e < start_[from + 1]; ++e) {
                const int64_t owner = taken_by_[edge_[e]];
                if (owner < 0) {
                    reached = true;
                } else if (distance_[owner] < 0) {
                    distance_[owner] = distance_[from] + 1;
                    queue_.push_back(owner);
                }
            }
        }
        return reached;
    }

    // Gives the class one record more, along a path on which each class takes a record of the next one.
    bool augment(int64_t from) {
        path_.assign(1, from);
        while (!path_.empty()) {
            const int64_t now = path_.back();
            if (next_[now] == start_[now + 1]) {
                path_.pop_back();
                if (!path_.empty()) ++next_[path_.back()];
                continue;
            }
            work_.add(4);
            const int64_t owner = taken_by_[edge_[next_[now]]];
            if (owner < 0) {
                for (int64_t passed : path_) taken_by_[edge_[next_[passed]++]] = passed;
                --left_[from];
                return true;
            }
            if (distance_[owner] == distance_[now] + 1)
                path_.push_back(owner);
            else
                ++next_[now];
        }
        return false;
    }

    Work work_;
    std::vector<int64_t> start_, edge_;      // the records that each class may take
    std::vector<int64_t> left_, taken_by_;   // records that a class still wants; the class that has a record, or -1
    std::vector<int64_t> distance_, next_, queue_, path_;
};

}  // namespace

int64_t largest_matching(std::span<const int64_t> of, std::span<const int64_t> record, std::span<const int64_t> wanted, int64_t records,
                         Task& task) {
    return Matching(of, record, wanted, records, task).largest();
}

}  // namespace shoal
