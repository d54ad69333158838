#include "cahd/band_order.hpp"

#include <algorithm>
#include <numeric>

#include "cahd/holders.hpp"

namespace shoal {

namespace {

class Graph {
public:
    Graph(const Rows& rows, int64_t items, Task& task)
        : rows_(rows), task_(task), holders_(rows, items), degree_(rows.size(), 0), reached_(rows.size(), 0), expanded_(items, 0) {
        for (int64_t record = 0; record < rows.size(); ++record)
            for (int32_t item : rows.row_ids(record)) degree_[record] += holders_.count(item) - 1;
    }

    bool less(int64_t a, int64_t b) const { return degree_[a] != degree_[b] ? degree_[a] < degree_[b] : a < b; }

    // Appends the records that can be reached from one, level by level, children of one parent by rising degree.
    // Returns where the last level begins, and how many levels there are.
    struct Levels {
        std::size_t last;
        int64_t count;
    };
    Levels search(int64_t from, std::vector<int64_t>& found) {
        ++round_;
        Levels levels{found.size(), 1};
        reached_[from] = round_;
        found.push_back(from);
        std::size_t next_level = found.size();
        for (std::size_t at = levels.last; at < found.size(); ++at) {
            if (at == next_level) levels = {at, levels.count + 1}, next_level = found.size();
            expand(found[at], found);
        }
        return levels;
    }

    // A record at the end of its component: the least of the last level, from which the search starts anew while it gets deeper.
    int64_t peripheral(int64_t from) {
        for (int64_t deepest = 0;;) {
            std::vector<int64_t> found;
            const Levels levels = search(from, found);
            if (levels.count <= deepest) return from;
            deepest = levels.count;
            from = *std::min_element(found.begin() + levels.last, found.end(), [&](int64_t a, int64_t b) { return less(a, b); });
        }
    }

private:
    const Rows& rows_;
    Task& task_;
    Holders holders_;
    std::vector<int64_t> degree_, reached_, expanded_;
    int64_t round_ = 0;

    void expand(int64_t record, std::vector<int64_t>& found) {
        const std::size_t first = found.size();
        for (int32_t item : rows_.row_ids(record)) {
            if (expanded_[item] == round_) continue;
            expanded_[item] = round_;
            task_.check();
            for (int64_t other : holders_.of(item)) {
                if (reached_[other] == round_) continue;
                reached_[other] = round_;
                found.push_back(other);
            }
        }
        std::sort(found.begin() + first, found.end(), [&](int64_t a, int64_t b) { return less(a, b); });
    }
};

}  // namespace

std::vector<int64_t> band_order(const Rows& rows, int64_t items, Task& task) {
    Graph graph(rows, items, task);
    std::vector<int64_t> starts(rows.size()), order;
    std::iota(starts.begin(), starts.end(), int64_t{0});
    std::sort(starts.begin(), starts.end(), [&](int64_t a, int64_t b) { return graph.less(a, b); });
    std::vector<bool> placed(rows.size(), false);
    order.reserve(rows.size());
    task.begin(rows.size());
    for (int64_t start : starts) {
        if (placed[start]) continue;
        const std::size_t first = order.size();
        graph.search(graph.peripheral(start), order);
        for (std::size_t at = first; at < order.size(); ++at) placed[order[at]] = true;
        task.step(static_cast<int64_t>(order.size() - first));
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace shoal
