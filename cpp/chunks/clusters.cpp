#include "chunks/clusters.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace shoal {
namespace {

using Records = std::vector<int64_t>;

// Records that are still to be split, and the terms that all of them hold because they were split by them.
struct Part {
    Records records;
    std::vector<int32_t> used;
};

int64_t people_among(const Records& records, std::span<const int64_t> owners) {
    int64_t people = 0;
    for (std::size_t i = 0; i < records.size(); ++i) people += i == 0 || owners[records[i]] != owners[records[i - 1]];
    return people;
}

class Splitter {
public:
    Splitter(const OwnedSets& sets, int64_t largest, int64_t k) : sets_(sets), largest_(largest), k_(k), support_(sets.terms, 0) {
        holders_.resize(sets.terms);
        part_of_.assign(sets.rows.size(), -1);
        for (int64_t r = 0; r < sets.rows.size(); ++r)
            for (int32_t term : sets.rows.row_ids(r)) holders_[term].push_back(r);
    }

    std::vector<Records> leaves(Task& task) {
        std::vector<Records> found;
        std::vector<Part> open;
        open.push_back({Records(sets_.rows.size()), {}});
        std::iota(open.back().records.begin(), open.back().records.end(), 0);
        while (!open.empty()) {
            task.check();
            Part part = std::move(open.back());
            open.pop_back();
            split(part, open);
            found.push_back(std::move(part.records));
        }
        return found;
    }

private:
    struct Candidate {
        int64_t support;
        int32_t term;
        bool operator<(const Candidate& other) const { return support != other.support ? support < other.support : term > other.term; }
    };

    // Takes from a part the holders of one frequent term after the other, each a part of its own, until few enough are left.
    void split(Part& part, std::vector<Part>& open) {
        ++stamp_;
        std::priority_queue<Candidate> queue = counted(part);
        while (static_cast<int64_t>(part.records.size()) > largest_ && !queue.empty()) {
            const Candidate best = queue.top();
            queue.pop();
            if (best.support != support_[best.term]) {
                if (support_[best.term] >= k_) queue.push({support_[best.term], best.term});
                continue;
            }
            Records with = holders_here(best.term);
            Records without;
            std::ranges::set_difference(part.records, with, std::back_inserter(without));
            if (people_among(with, sets_.owners) < k_ || people_among(without, sets_.owners) < k_) continue;
            for (int64_t r : with) {
                part_of_[r] = -1;
                for (int32_t term : sets_.rows.row_ids(r)) --support_[term];
            }
            std::vector<int32_t> used = part.used;
            used.push_back(best.term);
            open.push_back({std::move(with), std::move(used)});
            part.records = std::move(without);
        }
        for (int64_t r : part.records)
            for (int32_t term : sets_.rows.row_ids(r)) --support_[term];
    }

    std::priority_queue<Candidate> counted(const Part& part) {
        std::vector<int32_t> seen;
        for (int64_t r : part.records) {
            part_of_[r] = stamp_;
            for (int32_t term : sets_.rows.row_ids(r))
                if (support_[term]++ == 0) seen.push_back(term);
        }
        std::priority_queue<Candidate> queue;
        for (int32_t term : seen)
            if (support_[term] >= k_ && std::ranges::find(part.used, term) == part.used.end()) queue.push({support_[term], term});
        return queue;
    }

    Records holders_here(int32_t term) const {
        Records found;
        for (int64_t r : holders_[term])
            if (part_of_[r] == stamp_) found.push_back(r);
        return found;
    }

    const OwnedSets& sets_;
    int64_t largest_, k_, stamp_ = 0;
    std::vector<int64_t> support_;  // of each term in the part at hand
    std::vector<Records> holders_;
    std::vector<int64_t> part_of_;  // the stamp of the part at hand for its records
};

}  // namespace

std::vector<int64_t> clusters_by_terms(const OwnedSets& sets, int64_t most, int64_t k, Task& task) {
    std::vector<int64_t> cluster(sets.rows.size(), 0);
    if (sets.rows.size() <= most) return cluster;
    std::vector<Records> leaves = Splitter(sets, std::max<int64_t>(1, most / 2), k).leaves(task);
    std::ranges::stable_sort(leaves, std::ranges::greater{}, &Records::size);
    const int64_t last = std::max<int64_t>(0, static_cast<int64_t>(leaves.size()) / 2 - 1);
    for (std::size_t i = 0; i < leaves.size(); ++i)
        for (int64_t r : leaves[i]) cluster[r] = std::min<int64_t>(static_cast<int64_t>(i) / 2, last);
    return cluster;
}

}  // namespace shoal
