#include "topics/two_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/parallel.hpp"
#include "topics/apart.hpp"

namespace shoal {
namespace {

constexpr int DIRECTION_STEPS = 1, EXCHANGES = 3;  // more of either take longer and made topics less coherent
constexpr double UNIT = 1 << 15;    // the length of a word's company
constexpr double STEEP = 1 << 30;  // the largest entry of a direction

using Sums = std::vector<double>;       // over features
using Slopes = std::vector<int32_t>;    // a direction: an entry per feature

struct Node {
    std::vector<int32_t> words;
    int64_t children[2] = {-1, -1};
    std::vector<int32_t> titles;
};

struct UnitTie {
    uint16_t feature, weight;
};

// The company of words, each of the same length, in whole numbers: sums of them are exact in any order, and small enough to be read fast.
struct UnitRows {
    std::span<const int64_t> indptr;
    std::vector<UnitTie> ties;

    explicit UnitRows(const Rows& rows) : indptr(rows.indptr), ties(rows.ids.size()) {
        for (int64_t word = 0; word < rows.size(); ++word) {
            double sum = 0;
            for (int32_t tie : rows.row_counts(word)) sum += static_cast<double>(tie) * tie;
            for (int64_t at = indptr[word]; at < indptr[word + 1]; ++at) {
                const double weight = std::floor(rows.counts[at] * UNIT / std::sqrt(sum) + 0.5);
                ties[at] = {static_cast<uint16_t>(rows.ids[at]), static_cast<uint16_t>(weight)};
            }
        }
    }

    std::span<const UnitTie> row(int32_t word) const { return {ties.data() + indptr[word], ties.data() + indptr[word + 1]}; }
};

// What one thread works with: copies of the rows of a topic's words in one piece, with only the features that they have, numbered in
// their order; and sums over these features. It is small and in order, because it is read many times.
struct Scratch {
    std::vector<int64_t> indptr, people;
    std::vector<UnitTie> ties;
    std::vector<int64_t> sums[2];
    Sums pull;
    Slopes along;
    std::vector<uint8_t> there;      // 1 for features that are there: zeros, between uses
    std::vector<uint16_t> number;    // of each feature that is there

    explicit Scratch(int64_t features) : there(features, 0), number(features) {}

    std::size_t size() const { return people.size(); }
    std::span<const UnitTie> row(std::size_t i) const { return {ties.data() + indptr[i], ties.data() + indptr[i + 1]}; }

    void gather(const std::vector<int32_t>& words, const UnitRows& units, std::span<const int64_t> holders) {
        indptr.assign(1, 0);
        people.clear();
        for (int32_t word : words) {
            indptr.push_back(indptr.back() + std::ssize(units.row(word)));
            people.push_back(holders[word]);
        }
        ties.resize(indptr.back());
        auto next = ties.begin();
        for (int32_t word : words) next = std::ranges::copy(units.row(word), next).out;
        const std::size_t features = number_features();
        for (auto& side : sums) side.resize(features);
        pull.resize(features);
        along.resize(features);
    }

private:
    // Numbers the features that these words have; returns how many there are.
    std::size_t number_features() {
        for (UnitTie tie : ties) there[tie.feature] = 1;
        std::size_t found = 0;
        uint8_t *at = there.data(), *const end = at + there.size();
        while (at < end && (at = static_cast<uint8_t*>(std::memchr(at, 1, end - at))) != nullptr) {
            number[at - there.data()] = static_cast<uint16_t>(found++);
            *at++ = 0;
        }
        for (UnitTie& tie : ties) tie.feature = number[tie.feature];
        return found;
    }
};

class Divider {
public:
    Divider(const TopicProblem& problem, Task& task) : in_(problem), task_(task), units_(problem.company), people_(problem.people.size()) {
        for (int64_t word = 0; word < std::ssize(people_); ++word) people_[word] = std::ssize(problem.people.row_ids(word));
    }

    // The two sides of a topic, with titles; none if it is small and one would lack frequent words.
    std::vector<Node> divide(const Node& node, Scratch& scratch, Apart& apart) const {
        const bool small = static_cast<int64_t>(node.words.size()) <= in_.bounds.smallest;
        if (node.words.size() < 2 || (small && frequent_of(node.words) < 2)) return {};
        task_.check();
        std::vector<int64_t> along;
        const std::vector<uint8_t> side = is_narrow(node.words) ? apart.divide(node.words, task_) : by_company(node.words, scratch, along);
        std::vector<Node> sides(2);
        for (std::size_t i = 0; i < node.words.size(); ++i) sides[side[i]].words.push_back(node.words[i]);
        if (small && (frequent_of(sides[0].words) == 0 || frequent_of(sides[1].words) == 0)) return {};
        for (uint8_t one : {0, 1}) sides[one].titles = titles(node.words, side, one, along);
        return sides;
    }

private:
    // Whether a topic is split by its people.
    bool is_narrow(const std::vector<int32_t>& words) const {
        int64_t held = 0;
        for (int32_t word : words) held += people_[word];
        return held <= in_.bounds.narrow;
    }

    // The side of each word; and where it lies from the middle of one side towards that of the other.
    std::vector<uint8_t> by_company(const std::vector<int32_t>& words, Scratch& scratch, std::vector<int64_t>& along) const {
        scratch.gather(words, units_, people_);
        std::vector<uint8_t> side = cut(scratch, direction(scratch));
        centres(side, scratch);
        for (int step = 0; step < EXCHANGES; ++step) {
            between_centres(scratch);
            along = products(scratch);
            std::vector<uint8_t> next = cut(scratch, along);
            if (next == side) break;
            exchange(side, next, scratch);
            side = std::move(next);
        }
        return side;
    }

    int64_t frequent_of(const std::vector<int32_t>& words) const {
        return std::count_if(words.begin(), words.end(), [&](int32_t word) { return in_.frequent[word] != 0; });
    }

    // Where each word lies along the direction.
    std::vector<int64_t> products(const Scratch& scratch) const {
        task_.check();
        std::vector<int64_t> found(scratch.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            int64_t sum = 0;
            for (UnitTie tie : scratch.row(i)) sum += static_cast<int64_t>(tie.weight) * scratch.along[tie.feature];
            found[i] = sum;
        }
        return found;
    }

    template <class Number>
    static void add(std::span<const UnitTie> row, Number times, std::vector<Number>& to) {
        for (UnitTie tie : row) to[tie.feature] += times * tie.weight;
    }

    template <class Number>
    static double length(const std::vector<Number>& values) {
        double sum = 0;
        for (Number value : values) sum += static_cast<double>(value) * static_cast<double>(value);
        return sum > 0 ? std::sqrt(sum) : 1.0;
    }

    // The sum of the words, each by the number of its holders, on the first side.
    void whole(Scratch& scratch) const {
        task_.check();
        std::ranges::fill(scratch.sums[0], 0);
        for (std::size_t i = 0; i < scratch.size(); ++i) add(scratch.row(i), scratch.people[i], scratch.sums[0]);
    }

    // The sums of both sides, from that of all words.
    void centres(const std::vector<uint8_t>& side, Scratch& scratch) const {
        task_.check();
        const uint8_t fewer = 2 * std::ranges::count(side, 1) <= std::ssize(side);
        auto &few = scratch.sums[fewer], &others = scratch.sums[1 - fewer];
        if (fewer == 0) std::swap(few, others);
        std::ranges::fill(few, 0);
        for (std::size_t i = 0; i < side.size(); ++i)
            if (side[i] == fewer) add(scratch.row(i), scratch.people[i], few);
        for (std::size_t f = 0; f < few.size(); ++f) others[f] -= few[f];
    }

    // The same after some words went to the other side.
    static void exchange(const std::vector<uint8_t>& before, const std::vector<uint8_t>& after, Scratch& scratch) {
        for (std::size_t i = 0; i < before.size(); ++i)
            if (before[i] != after[i]) {
                add(scratch.row(i), -scratch.people[i], scratch.sums[before[i]]);
                add(scratch.row(i), scratch.people[i], scratch.sums[after[i]]);
            }
    }

    // The direction from the first side to the second.
    static void between_centres(Scratch& scratch) {
        const auto& [from, to] = scratch.sums;
        const double first = 1 / length(from), second = 1 / length(to);
        for (std::size_t f = 0; f < scratch.pull.size(); ++f)
            scratch.pull[f] = static_cast<double>(to[f]) * second - static_cast<double>(from[f]) * first;
        settle(scratch);
    }

    // The pull as a direction in whole numbers.
    static void settle(Scratch& scratch) {
        double largest = 0;
        for (double pull : scratch.pull) largest = std::max(largest, std::abs(pull));
        const double times = largest > 0 ? STEEP / largest : 0.0;
        for (std::size_t f = 0; f < scratch.pull.size(); ++f) {
            const double slope = scratch.pull[f] * times + 0.5;
            const auto towards_zero = static_cast<int32_t>(slope);
            scratch.along[f] = towards_zero - (slope < towards_zero);
        }
    }

    // Where each word lies along the direction in which the words differ most, found by repeated multiplication; 0 is their mean.
    std::vector<int64_t> direction(Scratch& scratch) const {
        whole(scratch);
        const double all = length(scratch.sums[0]);
        for (std::size_t f = 0; f < scratch.pull.size(); ++f) scratch.pull[f] = static_cast<double>(scratch.sums[0][f]) / all;
        settle(scratch);
        const std::vector<int64_t> near = products(scratch);
        const std::size_t odd = std::ranges::min_element(near) - near.begin();
        for (double& pull : scratch.pull) pull = -pull;
        add(scratch.row(odd), 1 / UNIT, scratch.pull);
        settle(scratch);
        std::vector<int64_t> along = from_mean(scratch.people, products(scratch));
        for (int step = 0; step < DIRECTION_STEPS; ++step) {
            std::ranges::fill(scratch.pull, 0);
            for (std::size_t i = 0; i < along.size(); ++i)
                add(scratch.row(i), static_cast<double>(scratch.people[i]) * static_cast<double>(along[i]), scratch.pull);
            settle(scratch);
            along = from_mean(scratch.people, products(scratch));
        }
        return along;
    }

    // The values less their mean, to which each word adds by its holders.
    static std::vector<int64_t> from_mean(const std::vector<int64_t>& people, std::vector<int64_t> values) {
        double sum = 0, weight = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double holders = static_cast<double>(people[i]);
            sum += holders * static_cast<double>(values[i]);
            weight += holders;
        }
        const auto mean = static_cast<int64_t>(std::floor(sum / weight));
        for (int64_t& value : values) value -= mean;
        return values;
    }

    // The words above zero on one side; or as many more or fewer of them as each side needs to have its share of holders.
    std::vector<uint8_t> cut(const Scratch& scratch, const std::vector<int64_t>& along) const {
        const int64_t n = static_cast<int64_t>(along.size());
        std::vector<uint8_t> side(n, 0);
        double all = 0, below = 0;
        int64_t zero = 0;
        for (int64_t i = 0; i < n; ++i) {
            const double people = static_cast<double>(scratch.people[i]);
            all += people;
            side[i] = along[i] >= 0;
            if (side[i]) continue;
            below += people;
            ++zero;
        }
        if (zero > 0 && zero < n && below >= in_.bounds.balance * all && below < (1 - in_.bounds.balance) * all) return side;
        std::vector<std::pair<int64_t, int32_t>> order(n);
        for (int64_t i = 0; i < n; ++i) order[i] = {along[i], static_cast<int32_t>(i)};
        std::ranges::sort(order);
        double before = 0;
        int64_t least = 0, most = n;
        for (int64_t i = 0; i < n; ++i) {
            before += static_cast<double>(scratch.people[order[i].second]);
            if (before < in_.bounds.balance * all) least = i + 1;
            if (before < (1 - in_.bounds.balance) * all || i == 0) most = i + 1;
        }
        const int64_t at = std::clamp(std::clamp(zero, std::min(least, most), most), int64_t{1}, n - 1);
        for (int64_t i = 0; i < n; ++i) side[order[i].second] = i >= at;
        return side;
    }

    // The frequent words that tell this side best from the other, those with more holders rather than others; those with most holders
    // where words do not lie `along` a direction.
    std::vector<int32_t> titles(const std::vector<int32_t>& words, const std::vector<uint8_t>& side, uint8_t one,
                                const std::vector<int64_t>& along) const {
        std::vector<std::pair<double, int32_t>> worth;  // of less worth first
        for (std::size_t i = 0; i < words.size(); ++i)
            if (side[i] == one && in_.frequent[words[i]] != 0) {
                const double sign = one == 0 ? -1 : 1, people = static_cast<double>(people_[words[i]]);
                const double telling = along.empty() ? people : static_cast<double>(along[i]) * (sign * std::sqrt(people));
                worth.emplace_back(-telling, words[i]);
            }
        const std::size_t count = std::min(worth.size(), static_cast<std::size_t>(in_.bounds.titles));
        std::partial_sort(worth.begin(), worth.begin() + count, worth.end());
        std::vector<int32_t> found(count);
        for (std::size_t i = 0; i < count; ++i) found[i] = worth[i].second;
        return found;
    }

    const TopicProblem& in_;
    Task& task_;
    UnitRows units_;
    std::vector<int64_t> people_;  // how many have each word
};

// All topics in preorder.
TopicTree numbered(const std::vector<Node>& nodes, std::size_t words) {
    TopicTree found;
    found.topic.assign(words, -1);
    found.title_ptr.push_back(0);
    std::vector<std::pair<int64_t, int32_t>> pending{{0, -1}};
    while (!pending.empty()) {
        const auto [at, above] = pending.back();
        pending.pop_back();
        const Node& node = nodes[at];
        const int32_t number = static_cast<int32_t>(found.parent.size());
        found.parent.push_back(above);
        found.title.insert(found.title.end(), node.titles.begin(), node.titles.end());
        found.title_ptr.push_back(static_cast<int64_t>(found.title.size()));
        if (node.children[0] < 0) {
            for (int32_t word : node.words) found.topic[word] = number;
        } else {
            for (int side = 1; side >= 0; --side) pending.emplace_back(node.children[side], number);
        }
    }
    return found;
}

}  // namespace

TopicTree topic_tree(const TopicProblem& problem, int threads, Task& task) {
    task.begin(problem.company.size());
    std::vector<Node> nodes(1);
    for (int64_t word = 0; word < problem.company.size(); ++word)
        if (!problem.company.row_ids(word).empty()) nodes[0].words.push_back(static_cast<int32_t>(word));
    const Divider divider(problem, task);
    std::vector<Scratch> scratch(std::max(1, threads), Scratch(problem.features));
    std::vector<Apart> apart(std::max(1, threads), Apart(problem.people));
    for (std::size_t begin = 0, end = nodes.size(); begin < end; begin = end, end = nodes.size()) {
        std::vector<std::vector<Node>> sides(end - begin);
        parallel_blocks(static_cast<int64_t>(end - begin), 1, threads, task, [&](int64_t i, int64_t, int worker) {
            sides[i] = divider.divide(nodes[begin + i], scratch[worker], apart[worker]);
            if (sides[i].empty()) task.step(static_cast<int64_t>(nodes[begin + i].words.size()));
        });
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t side = 0; side < sides[i - begin].size(); ++side) {
                nodes[i].children[side] = static_cast<int64_t>(nodes.size());
                nodes.push_back(std::move(sides[i - begin][side]));
            }
        for (std::size_t i = begin; i < end; ++i)
            if (nodes[i].children[0] >= 0) nodes[i].words = {};
    }
    return numbered(nodes, problem.people.size());
}

}  // namespace shoal
