#include "lattice/published_forms.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel.hpp"

namespace shoal {

namespace {

// The assignment of one record. Moving an item to a nearer published node never costs a match: whatever the nearer node stood for lies
// below it, and so below the node that the item leaves. Hence each step may take all it can.
class Assignment {
public:
    Assignment(Tree tree, std::span<const uint8_t> top) : tree_(tree), top_(top) {}

    void add(const Rows& originals, int64_t record, const Rows& published, int64_t row, PublishedForms& found) {
        items_ = originals.row_ids(record);
        nodes_ = published.row_ids(row);
        const auto amounts = originals.row_counts(record), copies = published.row_counts(row);
        left_.assign(amounts.begin(), amounts.end());
        room_.assign(copies.begin(), copies.end());
        to_themselves(found);
        to_parents(found);
        to_the_rest(found);
    }

private:
    void to_themselves(PublishedForms& found) {
        std::size_t p = 0;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            while (p < nodes_.size() && nodes_[p] < items_[i]) ++p;
            if (p < nodes_.size() && nodes_[p] == items_[i]) found.own += taken(left_[i], room_[p]);
        }
    }

    void to_parents(PublishedForms& found) {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const int32_t parent = tree_.up[items_[i]];
            if (!left_[i] || parent < 0 || top_[parent]) continue;
            const auto at = std::ranges::lower_bound(nodes_, parent);
            if (at != nodes_.end() && *at == parent) found.parent += taken(left_[i], room_[at - nodes_.begin()]);
        }
    }

    // Deepest published nodes choose first; the stack has what is free, the smallest number last, and a subtree is its end.
    void to_the_rest(PublishedForms& found) {
        free_.clear();
        std::size_t i = items_.size();
        for (std::size_t p = nodes_.size(); p-- > 0;) {
            for (; i > 0 && items_[i - 1] >= nodes_[p]; --i)
                if (left_[i - 1]) free_.push_back({items_[i - 1], left_[i - 1]});
            if (!room_[p]) continue;
            int32_t below = 0;
            for (; !free_.empty() && free_.back().node < tree_.end[nodes_[p]]; free_.pop_back()) below += free_.back().count;
            (top_[nodes_[p]] ? found.top : found.higher) += taken(below, room_[p]);
            if (below) free_.push_back({nodes_[p], below});
        }
    }

    static int32_t taken(int32_t& left, int32_t& room) {
        const int32_t used = std::min(left, room);
        left -= used;
        room -= used;
        return used;
    }

    Tree tree_;
    std::span<const uint8_t> top_;
    std::span<const int32_t> items_, nodes_;
    std::vector<int32_t> left_, room_;
    std::vector<Entry> free_;
};

}  // namespace

PublishedForms published_forms(const Rows& originals, const Rows& published, std::span<const int64_t> row, Tree tree,
                               std::span<const uint8_t> top, int threads, Task& task) {
    PublishedForms all;
    std::mutex guard;
    task.begin(originals.size());
    parallel_blocks(originals.size(), 4096, threads, task, [&](int64_t begin, int64_t stop, int) {
        Assignment assignment(tree, top);
        PublishedForms found;
        for (int64_t i = begin; i < stop; ++i)
            if (row[i] >= 0) assignment.add(originals, i, published, row[i], found);
        const std::lock_guard<std::mutex> lock(guard);
        all.own += found.own, all.parent += found.parent, all.higher += found.higher, all.top += found.top;
    });
    return all;
}

}  // namespace shoal
