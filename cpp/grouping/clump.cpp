#include "grouping/clump.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/infeasible.hpp"
#include "grouping/buig.hpp"
#include "grouping/window.hpp"

namespace shoal {

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// How many clusters are looked at for a record of a person who owns many: keeps the time linear where one person owns half of a log.
constexpr int64_t kReach = 512;

struct Held {  // a node of a meet, with its weight beside it: scoring then reads one run of memory and the record at hand
    int32_t node;
    int32_t count;
    int64_t weight;
};

struct Cluster {
    std::vector<Held> meet;       // running minimum of the members' tree counts; of the printed form nothing
    std::vector<Entry> bag;       // the printed form: the current generalization
    std::vector<int64_t> owners;  // distinct people, kept only where people may own several records
    int64_t size = 0;
    int64_t total_length = 0;
    int64_t shortest = kNever;  // length of the shortest member, which is that of the generalization
    int64_t value = 0;          // weighted sum of the meet
    int64_t people = 0;
};

// The records as BUIG takes them, and what a copy of each node is worth.
struct PrintedForm {
    PrintedForm(const Rows& records, const Tree& tree, std::span<const int64_t> weight) : bags(records), buig(tree) {
        worth.assign(weight.begin(), weight.end());
        for (std::size_t v = 1; v < worth.size(); ++v) worth[v] += worth[tree.up[v]];
    }

    std::span<const Entry> joined(const Cluster& c, int64_t record, int64_t length) {
        return buig.generalize(c.bag, bags.row_ids(record), std::min(c.shortest, length));
    }

    Rows bags;
    Buig buig;
    std::vector<int64_t> worth;
};

class ClumpAssignment {
public:
    ClumpAssignment(const Scored& data, const ClumpOptions& options, PrintedForm* printed = nullptr)
        : data_(data), counts_(data.counts), options_(options), printed_(printed), dense_(data.weight.size(), 0), group_(data.size(), -1) {}

    // The generalization of each cluster, after a run with BUIG.
    OwnedRows printed_bags() const {
        OwnedRows out;
        out.indptr.push_back(0);
        for (const Cluster& c : clusters_) {
            for (const Entry& e : c.bag) out.ids.push_back(e.node), out.counts.push_back(e.count);
            out.indptr.push_back(static_cast<int64_t>(out.ids.size()));
        }
        return out;
    }

    std::vector<int64_t> run(std::span<const int64_t> order, Task& task) {
        int64_t clusters = most_clusters(order);
        if (clusters == 0) throw Infeasible("fewer than k owners");
        // Where people own several records the greedy steps may leave all clusters short of people; with fewer clusters they do not,
        // and a single one takes in everybody.
        while (!assign(order, clusters, task)) clusters /= 2;
        return std::move(group_);
    }

private:
    struct Choice {
        int64_t cluster = -1;
        int64_t cost = kNever;
        int64_t value = 0;
    };

    // Clump's three steps. False if no cluster came to k people.
    bool assign(std::span<const int64_t> order, int64_t clusters, Task& task) {
        const int64_t n = static_cast<int64_t>(order.size());
        task.begin(n);
        seed_clusters(order, clusters);
        open_window();
        std::vector<int64_t> leftover;  // positions in the order
        for (int64_t i = 0; i < n; ++i) {
            if (i % 256 == 0) task.step(std::min<int64_t>(256, n - i));
            task.check();
            if (group_[order[i]] < 0 && !(window_ ? join_window(order[i]) : join_open(order[i]))) leftover.push_back(i);
        }
        if (open_.size() == clusters_.size()) return false;
        dissolve_unfilled(order, leftover);
        for (std::size_t i = 0; i < leftover.size(); ++i) {
            if (i % 16 == 0) task.check();
            join_best(order[leftover[i]], leftover[i] / step_);
        }
        return true;
    }

    // One cluster for every k records; or, where people own several, as many as k different people each can be found for.
    int64_t most_clusters(std::span<const int64_t> order) const {
        int64_t most = static_cast<int64_t>(order.size()) / data_.k;
        if (!data_.owners_repeat) return most;
        std::unordered_map<int64_t, int64_t> records;
        for (int64_t record : order) ++records[data_.owner[record]];
        int64_t least = 0;
        while (least < most) {
            const int64_t n = least + (most - least + 1) / 2;
            int64_t places = 0;
            for (const auto& [_, held] : records) places += std::min(held, n);
            if (places >= data_.k * n)
                least = n;
            else
                most = n - 1;
        }
        return least;
    }

    void seed_clusters(std::span<const int64_t> order, int64_t clusters) {
        const int64_t n = static_cast<int64_t>(order.size());
        step_ = clusters == n / data_.k ? data_.k : n / clusters;
        std::ranges::fill(group_, -1);
        clusters_.assign(clusters, Cluster{});
        open_.clear();
        places_.clear();
        by_length_.clear();
        for (int64_t j = 0; j < clusters; ++j) {
            const int64_t record = order[j * step_];
            spread(record);
            take(j, record, value_of(record));
            clear(record);
            places_.push_back(open_.insert(open_.end(), j));
            if (options_.by_length) by_length_[clusters_[j].shortest].insert(j);
        }
    }

    // Step 2: the best of r clusters that still need people. False if none can take this record.
    bool join_open(int64_t record) {
        spread(record);
        const int64_t own = value_of(record);
        Choice best;
        int64_t tried = 0, passed = 0;
        each_open(data_.lengths[record], [&](int64_t j) {
            if (holds_owner(j, record)) return ++passed < kReach;
            consider(j, record, own, best);
            return ++tried < options_.r;
        });
        if (best.cluster >= 0) join(best, record);
        clear(record);
        return best.cluster >= 0;
    }

    void join(const Choice& choice, int64_t record) {
        const int64_t j = choice.cluster;
        if (options_.by_length) leave_length(j);
        take(j, record, choice.value);
        if (clusters_[j].people == data_.k)
            open_.erase(places_[j]);
        else if (options_.by_length)
            by_length_[clusters_[j].shortest].insert(j);
    }

    // Visits open clusters until `visit` returns false: in the order of their seeds, or those nearest in length first, of equally near ones
    // the longer ones.
    template <class Visit>
    void each_open(int64_t length, Visit&& visit) const {
        if (!options_.by_length) {
            for (int64_t j : open_)
                if (!visit(j)) return;
            return;
        }
        auto longer = by_length_.lower_bound(length), shorter = longer;
        while (longer != by_length_.end() || shorter != by_length_.begin()) {
            const bool up = shorter == by_length_.begin() ||
                            (longer != by_length_.end() && longer->first - length <= length - std::prev(shorter)->first);
            for (int64_t j : up ? (longer++)->second : (--shorter)->second)
                if (!visit(j)) return;
        }
    }

    void leave_length(int64_t j) {
        const auto alike = by_length_.find(clusters_[j].shortest);
        alike->second.erase(j);
        if (alike->second.empty()) by_length_.erase(alike);
    }

    // Where everybody owns one record the first r open clusters are the same for all records, and can be scored side by side.
    void open_window() {
        if (data_.owners_repeat || options_.r > Window::kWidest || options_.by_length || printed_) return;
        window_.emplace(static_cast<int64_t>(data_.weight.size()), options_.r);
        slots_.assign(options_.r, open_.end());
        coming_ = open_.begin();
        for (int64_t s = 0; s < options_.r; ++s) next_into(s);
    }

    void next_into(int64_t slot) {
        slots_[slot] = coming_;
        if (coming_ != open_.end()) window_->show(slot, clusters_[*coming_++].meet);
    }

    // Step 2 on the window: the same choice as `join_open` makes, of equals the first cluster.
    bool join_window(int64_t record) {
        const auto values = window_->values(counts_.row_ids(record), counts_.row_counts(record), data_.weight);
        Choice best;
        int64_t where = -1;
        for (int64_t s = 0; s < options_.r; ++s) {
            if (slots_[s] == open_.end()) continue;
            const int64_t j = *slots_[s], price = cost(clusters_[j], record, values[s]);
            if (price < best.cost || (price == best.cost && j < best.cluster)) best = {j, price, values[s]}, where = s;
        }
        if (where < 0) return false;
        window_->hide(where, clusters_[best.cluster].meet);
        spread(record);
        take(best.cluster, record, best.value);
        clear(record);
        if (clusters_[best.cluster].people < data_.k) {
            window_->show(where, clusters_[best.cluster].meet);
        } else {
            open_.erase(slots_[where]);
            next_into(where);
        }
        return true;
    }

    // Step 3: everyone left over goes where it costs least, whatever the size. Fewer than k are left over, and all clusters are tried;
    // only where people own several records can it be many, and then the clusters nearest in the order are.
    void join_best(int64_t record, int64_t home) {
        const int64_t all = static_cast<int64_t>(filled_.size()), reach = data_.owners_repeat ? std::min(all, kReach) : all;
        const int64_t at = std::ranges::lower_bound(filled_, home) - filled_.begin();
        const int64_t first = std::clamp<int64_t>(at - reach / 2, 0, all - reach);
        spread(record);
        const int64_t own = value_of(record);
        Choice best;
        for (int64_t i = first; i < first + reach; ++i) consider(filled_[i], record, own, best);
        take(best.cluster, record, best.value);
        clear(record);
    }

    // Only where people own several records can a cluster stay short of k people; its members then join complete ones.
    void dissolve_unfilled(std::span<const int64_t> order, std::vector<int64_t>& leftover) {
        std::vector<bool> unfilled(clusters_.size(), false);
        for (int64_t j : open_) unfilled[j] = true, clusters_[j] = Cluster{};
        filled_.clear();
        for (int64_t j = 0; j < static_cast<int64_t>(clusters_.size()); ++j)
            if (!unfilled[j]) filled_.push_back(j);
        if (open_.empty()) return;
        for (int64_t i = 0; i < static_cast<int64_t>(order.size()); ++i)
            if (group_[order[i]] >= 0 && unfilled[group_[order[i]]]) leftover.push_back(i);
    }

    bool consider(int64_t j, int64_t record, int64_t own_value, Choice& best) const {
        const Cluster& c = clusters_[j];
        // What both have in common is worth no more than either side: often enough to know that this cluster cannot win.
        if (cost(c, record, std::min(c.value, own_value)) >= best.cost) return false;
        const int64_t value = joined_value(c, record);
        const int64_t price = cost(c, record, value);
        if (price >= best.cost) return false;
        best = {j, price, value};
        return true;
    }

    int64_t joined_value(const Cluster& c, int64_t record) const {
        int64_t value = 0;
        if (printed_)
            for (const Entry& e : printed_->joined(c, record, data_.lengths[record])) value += printed_->worth[e.node] * e.count;
        else
            for (const Held& e : c.meet) value += e.weight * std::min(e.count, dense_[e.node]);
        return value;
    }

    int64_t cost(const Cluster& c, int64_t record, int64_t value) const {
        const int64_t after = data_.scale * (c.total_length + data_.lengths[record]) - (c.size + 1) * value;
        return options_.total ? after : after - (data_.scale * c.total_length - c.size * c.value);
    }

    void take(int64_t j, int64_t record, int64_t value) {
        Cluster& c = clusters_[j];
        printed_ ? take_printed(c, record) : take_meet(c, record);
        if (!data_.owners_repeat) {
            ++c.people;
        } else if (!holds_owner(j, record)) {
            c.owners.push_back(data_.owner[record]);
            ++c.people;
        }
        ++c.size;
        c.total_length += data_.lengths[record];
        c.shortest = std::min(c.shortest, data_.lengths[record]);
        c.value = value;
        group_[record] = j;
    }

    void take_meet(Cluster& c, int64_t record) const {
        if (c.size == 0) {
            auto nodes = counts_.row_ids(record);
            auto amounts = counts_.row_counts(record);
            for (std::size_t i = 0; i < nodes.size(); ++i) c.meet.push_back({nodes[i], amounts[i], data_.weight[nodes[i]]});
            return;
        }
        std::size_t kept = 0;
        for (const Held e : c.meet)
            if (const int32_t least = std::min(e.count, dense_[e.node]); least > 0) c.meet[kept++] = {e.node, least, e.weight};
        c.meet.resize(kept);
    }

    void take_printed(Cluster& c, int64_t record) const {
        if (c.size == 0) {
            auto nodes = printed_->bags.row_ids(record);
            auto amounts = printed_->bags.row_counts(record);
            for (std::size_t i = 0; i < nodes.size(); ++i) c.bag.push_back({nodes[i], amounts[i]});
            return;
        }
        const auto joined = printed_->joined(c, record, data_.lengths[record]);
        c.bag.assign(joined.begin(), joined.end());
    }

    bool holds_owner(int64_t j, int64_t record) const {
        return data_.owners_repeat && std::ranges::find(clusters_[j].owners, data_.owner[record]) != clusters_[j].owners.end();
    }

    int64_t value_of(int64_t record) const {
        auto nodes = counts_.row_ids(record);
        auto amounts = counts_.row_counts(record);
        int64_t value = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) value += data_.weight[nodes[i]] * amounts[i];
        return value;
    }

    void spread(int64_t record) {
        auto nodes = counts_.row_ids(record);
        auto amounts = counts_.row_counts(record);
        for (std::size_t i = 0; i < nodes.size(); ++i) dense_[nodes[i]] = amounts[i];
    }

    void clear(int64_t record) {
        for (int32_t v : counts_.row_ids(record)) dense_[v] = 0;
    }

    const Scored& data_;
    const Rows& counts_;
    const ClumpOptions& options_;
    PrintedForm* printed_;        // BUIG; none where clusters are generalized exactly
    std::vector<int32_t> dense_;  // the record at hand, as a dense array over nodes
    std::vector<int64_t> group_;
    std::vector<Cluster> clusters_;
    std::list<int64_t> open_;  // clusters that still want people, in the order of their seeds
    std::vector<std::list<int64_t>::iterator> places_;       // of each cluster in `open_`
    std::map<int64_t, std::set<int64_t>> by_length_;         // open clusters by the length of their generalization, where it decides
    std::optional<Window> window_;
    std::vector<std::list<int64_t>::iterator> slots_;  // the open cluster in each slot of the window
    std::list<int64_t>::iterator coming_;              // the first open cluster that has no slot yet
    std::vector<int64_t> filled_;                      // the others, once all records were tried
    int64_t step_ = 1;                                 // records from one seed to the next
};

}  // namespace

std::vector<int64_t> clump(const Scored& data, std::span<const int64_t> order, const ClumpOptions& options, Task& task) {
    return ClumpAssignment(data, options).run(order, task);
}

PrintedClusters clump_printed(const Scored& data, const Rows& bags, const Tree& tree, std::span<const int64_t> order,
                              const ClumpOptions& options, Task& task) {
    PrintedForm printed(bags, tree, data.weight);
    ClumpAssignment assignment(data, options, &printed);
    std::vector<int64_t> group = assignment.run(order, task);
    return {std::move(group), assignment.printed_bags()};
}

}  // namespace shoal
