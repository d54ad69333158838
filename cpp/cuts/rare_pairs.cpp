#include "cuts/rare_pairs.hpp"

#include <algorithm>
#include <stdexcept>

namespace shoal {

namespace {

// Where a node is in a sorted row that holds it.
int32_t place_in(std::span<const int32_t> row, int32_t node) {
    return static_cast<int32_t>(std::ranges::lower_bound(row, node) - row.begin());
}

}  // namespace

RarePairs::RarePairs(const Tokens& tokens, int64_t batch)
    : tokens_(tokens),
      problem_(tokens.problem()),
      batch_(batch),
      done_(tokens.problem().tree.up.size(), 0),
      people_(done_.size(), 0),
      everywhere_(done_.size(), 0),
      last_owner_(tokens.problem().owners.empty() ? 0 : done_.size(), -1),
      of_record_(static_cast<std::size_t>(tokens.problem().rows.size()), 0) {}

GivenUp RarePairs::give_up(const ShownPlaces& places, std::span<const int32_t> changed, const Task& task) {
    GivenUp out;
    out.gone.assign(places.shown.size(), 0);
    std::ranges::fill(everywhere_, 0);
    std::ranges::fill(of_record_, 0);
    out.pairs = count_pairs(changed, task);
    int32_t begin = 0;
    for (int32_t end : batch_ends()) {
        collect(changed, begin, end, task);
        for (int32_t record = begin; record < end; ++record)
            if (of_record_[record] > 0) choose(places, record, held_by(record - begin), out.gone);
        begin = end;
    }
    for (int32_t node : changed) done_[node] = 0;
    return out;
}

// Nodes that too few people hold, or nobody: they are in no rare pair.
void RarePairs::find_alone(std::span<const int32_t> changed) {
    for (int32_t node : changed) {
        const auto holders = tokens_.holders(node);
        int64_t people = static_cast<int64_t>(holders.size());
        if (!problem_.owners.empty()) {
            people = 0;
            for (std::size_t i = 0; i < holders.size(); ++i)
                people += i == 0 || problem_.owners[holders[i - 1]] != problem_.owners[holders[i]];
        }
        done_[node] = people < problem_.k;
    }
}

// Calls body(node) for each changed node that is not rare alone, with the people counted who publish it and another; each pair comes once.
template <class Body>
void RarePairs::for_each_open(std::span<const int32_t> changed, const Task& task, Body&& body) {
    find_alone(changed);
    if (problem_.m < 2) return;
    std::vector<int32_t> open;
    for (int32_t node : changed)
        if (!done_[node]) open.push_back(node);
    for (int32_t node : open) {
        task.check();
        count_beside(node);
        body(node);
        for (int32_t other : present_) people_[other] = 0;
    }
    for (int32_t node : open) done_[node] = 0;
}

void RarePairs::count_beside(int32_t node) {
    present_.clear();
    done_[node] = 1;  // not beside itself
    for (int32_t record : tokens_.holders(node)) problem_.owners.empty() ? count_record(record) : count_owner(record);
}

void RarePairs::count_record(int32_t record) {
    for (int32_t other : tokens_.row(record))
        if (!done_[other] && people_[other]++ == 0) present_.push_back(other);
}

void RarePairs::count_owner(int32_t record) {
    const int64_t person = problem_.owners[record];
    for (int32_t other : tokens_.row(record)) {
        if (done_[other]) continue;
        if (people_[other] == 0)
            present_.push_back(other);
        else if (last_owner_[other] == person)
            continue;
        ++people_[other];
        last_owner_[other] = person;
    }
}

// In how many rare sets each node is, and how many each record holds; returns whether there is a rare pair.
bool RarePairs::count_pairs(std::span<const int32_t> changed, const Task& task) {
    bool found = false;
    for_each_open(changed, task, [&](int32_t node) {
        const int32_t before = everywhere_[node];
        for (int32_t other : present_)
            if (rare(other)) ++everywhere_[node], ++everywhere_[other];
        if (everywhere_[node] == before) return;
        found = true;
        for (int32_t record : tokens_.holders(node))
            for (int32_t other : tokens_.row(record)) of_record_[record] += rare(other);
    });
    for (int32_t node : changed) {
        if (!done_[node]) continue;
        const auto holders = tokens_.holders(node);
        everywhere_[node] += !holders.empty();
        for (int32_t record : holders) ++of_record_[record];
    }
    return found;
}

// Records in runs whose rare sets are at most a batch.
std::vector<int32_t> RarePairs::batch_ends() const {
    std::vector<int32_t> ends;
    int64_t held = 0;
    const auto n = static_cast<int32_t>(of_record_.size());
    for (int32_t record = 0; record < n; ++record) {
        if (held > 0 && held + of_record_[record] > batch_) ends.push_back(record), held = 0;
        held += of_record_[record];
    }
    if (held > 0) ends.push_back(n);
    return ends;
}

// The rare sets of the records of a batch, as places in their rows.
void RarePairs::collect(std::span<const int32_t> changed, int32_t begin, int32_t end, const Task& task) {
    start_.assign(1, 0);
    for (int32_t record = begin; record < end; ++record) start_.push_back(start_.back() + of_record_[record]);
    pairs_.resize(static_cast<std::size_t>(start_.back()));
    std::vector<int64_t> next(start_.begin(), start_.end() - 1);
    const auto within = [&](int32_t node) {
        const auto holders = tokens_.holders(node);
        return std::ranges::subrange(std::ranges::lower_bound(holders, begin), std::ranges::lower_bound(holders, end));
    };
    for_each_open(changed, task, [&](int32_t node) {
        for (int32_t record : within(node)) {
            const auto row = tokens_.row(record);
            const int32_t own = place_in(row, node);
            for (int32_t place = 0; place < static_cast<int32_t>(row.size()); ++place)
                if (rare(row[place])) pairs_[next[record - begin]++] = {own, place};
        }
    });
    for (int32_t node : changed) {
        if (!done_[node]) continue;
        for (int32_t record : within(node)) {
            const int32_t own = place_in(tokens_.row(record), node);
            pairs_[next[record - begin]++] = {own, own};
        }
    }
}

// The node that hits most of the record's rare sets that are left, again and again; of equals the one that is in more of all rare sets, then
// the first. Only nodes that the record publishes at fresh places alone can be given up.
void RarePairs::choose(const ShownPlaces& places, int32_t record, std::span<const Pair> pairs, std::vector<uint8_t>& gone) {
    const auto row = tokens_.row(record);
    const auto n = static_cast<int32_t>(row.size());
    read_candidates(places, record);
    connect(pairs, n);
    chosen_.assign(n, 0);
    for (auto open = static_cast<int64_t>(pairs.size()); open > 0;) {
        int32_t best = -1;
        for (int32_t place = 0; place < n; ++place)
            if (candidate_[place] && (best < 0 || std::pair(hits_[place], everywhere_[row[place]]) >
                                                      std::pair(hits_[best], everywhere_[row[best]])))
                best = place;
        if (best < 0 || hits_[best] == 0) throw std::invalid_argument("a rare set without a fresh node");
        chosen_[best] = 1;
        open -= hits_[best];
        for (int32_t at = beside_start_[best]; at < beside_start_[best + 1]; ++at) --hits_[beside_[at]];
        hits_[best] = 0;
    }
    for (int64_t place = places.indptr[record]; place < places.indptr[record + 1]; ++place)
        gone[place] = places.shown[place] != no_node && chosen_[place_in(row, places.shown[place])];
}

// Which places of the row have nodes that the record publishes at fresh places only.
void RarePairs::read_candidates(const ShownPlaces& places, int32_t record) {
    const auto row = tokens_.row(record);
    candidate_.assign(row.size(), 1);
    for (int64_t place = places.indptr[record]; place < places.indptr[record + 1]; ++place)
        if (places.shown[place] != no_node && !places.fresh[place]) candidate_[place_in(row, places.shown[place])] = 0;
}

// How many sets each place of a row is in, and the places beside it.
void RarePairs::connect(std::span<const Pair> pairs, int32_t n) {
    hits_.assign(n, 0);
    beside_start_.assign(n + 1, 0);
    for (const auto& [first, second] : pairs) {
        ++hits_[first];
        if (first == second) continue;
        ++hits_[second];
        ++beside_start_[first + 1];
        ++beside_start_[second + 1];
    }
    for (int32_t place = 0; place < n; ++place) beside_start_[place + 1] += beside_start_[place];
    beside_.resize(beside_start_[n]);
    std::vector<int32_t> next(beside_start_.begin(), beside_start_.end() - 1);
    for (const auto& [first, second] : pairs) {
        if (first == second) continue;
        beside_[next[first]++] = second;
        beside_[next[second]++] = first;
    }
}

}  // namespace shoal
