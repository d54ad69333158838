#include "topics/two_means.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/parallel.hpp"

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

// What one thread works with: sums over the features that the words of a topic have, which rise; other entries are not read.
struct Scratch {
    std::vector<int64_t> sums[2];
    Sums pull;
    Slopes along;
    std::vector<int32_t> used;
    std::vector<uint8_t> there;  // zeros, between uses

    explicit Scratch(int64_t features)
        : sums{std::vector<int64_t>(features), std::vector<int64_t>(features)}, pull(features), along(features), there(features, 0) {}
};

// The company of words, each of the same length, in whole numbers: sums of them are exact in any order, and small enough to be read fast.
struct UnitRows {
    std::span<const int64_t> indptr;
    std::vector<uint16_t> features, weights;

    explicit UnitRows(const Rows& rows) : indptr(rows.indptr), features(rows.ids.begin(), rows.ids.end()), weights(rows.ids.size()) {
        for (int64_t word = 0; word < rows.size(); ++word) {
            double sum = 0;
            for (int32_t tie : rows.row_counts(word)) sum += static_cast<double>(tie) * tie;
            for (int64_t at = indptr[word]; at < indptr[word + 1]; ++at)
                weights[at] = static_cast<uint16_t>(std::floor(rows.counts[at] * UNIT / std::sqrt(sum) + 0.5));
        }
    }
};

class Divider {
public:
    Divider(const TopicProblem& problem, Task& task) : in_(problem), task_(task), units_(problem.company) {}

    // The two sides of a topic, with titles; none if it is small and one would lack frequent words.
    std::vector<Node> divide(const Node& node, Scratch& scratch) const {
        const bool small = static_cast<int64_t>(node.words.size()) <= in_.bounds.smallest;
        if (node.words.size() < 2 || (small && frequent_of(node.words) < 2)) return {};
        find_features(node.words, scratch);
        std::vector<uint8_t> side = cut(node.words, direction(node.words, scratch));
        centres(node.words, side, scratch);
        for (int step = 0; step < EXCHANGES; ++step) {
            between_centres(scratch);
            std::vector<uint8_t> next = cut(node.words, products(node.words, scratch.along));
            if (next == side) break;
            exchange(node.words, side, next, scratch);
            side = std::move(next);
        }
        std::vector<Node> sides(2);
        for (std::size_t i = 0; i < node.words.size(); ++i) sides[side[i]].words.push_back(node.words[i]);
        if (small && (frequent_of(sides[0].words) == 0 || frequent_of(sides[1].words) == 0)) return {};
        sides[0].titles = titles(sides[0].words, scratch.along, -1);
        sides[1].titles = titles(sides[1].words, scratch.along, 1);
        return sides;
    }

private:
    int64_t frequent_of(const std::vector<int32_t>& words) const {
        return std::count_if(words.begin(), words.end(), [&](int32_t word) { return in_.frequent[word] != 0; });
    }

    // Sets the features that these words have, in their order.
    void find_features(const std::vector<int32_t>& words, Scratch& scratch) const {
        scratch.used.clear();
        for (int32_t word : words)
            for (int64_t at = units_.indptr[word]; at < units_.indptr[word + 1]; ++at)
                if (const int32_t f = units_.features[at]; scratch.there[f] == 0) {
                    scratch.there[f] = 1;
                    scratch.used.push_back(f);
                }
        std::ranges::sort(scratch.used);
        for (int32_t f : scratch.used) scratch.there[f] = 0;
    }

    int64_t product(int32_t word, const Slopes& along) const {
        int64_t sum = 0;
        for (int64_t at = units_.indptr[word]; at < units_.indptr[word + 1]; ++at)
            sum += static_cast<int64_t>(units_.weights[at]) * along[units_.features[at]];
        return sum;
    }

    std::vector<int64_t> products(const std::vector<int32_t>& words, const Slopes& along) const {
        task_.check();
        std::vector<int64_t> found(words.size());
        for (std::size_t i = 0; i < words.size(); ++i) found[i] = product(words[i], along);
        return found;
    }

    template <class Number>
    void add(int32_t word, Number times, std::vector<Number>& to) const {
        for (int64_t at = units_.indptr[word]; at < units_.indptr[word + 1]; ++at) to[units_.features[at]] += times * units_.weights[at];
    }

    template <class Number>
    static void clear(const std::vector<int32_t>& used, std::vector<Number>& values) {
        for (int32_t f : used) values[f] = 0;
    }

    template <class Number>
    static double length(const std::vector<int32_t>& used, const std::vector<Number>& values) {
        double sum = 0;
        for (int32_t f : used) sum += static_cast<double>(values[f]) * static_cast<double>(values[f]);
        return sum > 0 ? std::sqrt(sum) : 1.0;
    }

    // The words of both sides, each by the number of its holders.
    void centres(const std::vector<int32_t>& words, const std::vector<uint8_t>& side, Scratch& scratch) const {
        task_.check();
        for (auto& sums : scratch.sums) clear(scratch.used, sums);
        for (std::size_t i = 0; i < words.size(); ++i) add(words[i], in_.people[words[i]], scratch.sums[side[i]]);
    }

    // The same after some words went to the other side.
    void exchange(const std::vector<int32_t>& words, const std::vector<uint8_t>& before, const std::vector<uint8_t>& after,
                  Scratch& scratch) const {
        for (std::size_t i = 0; i < words.size(); ++i)
            if (before[i] != after[i]) {
                add(words[i], -in_.people[words[i]], scratch.sums[before[i]]);
                add(words[i], in_.people[words[i]], scratch.sums[after[i]]);
            }
    }

    // The direction from the first side to the second.
    static void between_centres(Scratch& scratch) {
        const double first = 1 / length(scratch.used, scratch.sums[0]), second = 1 / length(scratch.used, scratch.sums[1]);
        for (int32_t f : scratch.used)
            scratch.pull[f] = static_cast<double>(scratch.sums[1][f]) * second - static_cast<double>(scratch.sums[0][f]) * first;
        settle(scratch);
    }

    // The pull as a direction in whole numbers.
    static void settle(Scratch& scratch) {
        double largest = 0;
        for (int32_t f : scratch.used) largest = std::max(largest, std::abs(scratch.pull[f]));
        const double times = largest > 0 ? STEEP / largest : 0.0;
        for (int32_t f : scratch.used) scratch.along[f] = static_cast<int32_t>(std::floor(scratch.pull[f] * times + 0.5));
    }

    // Where each word lies along the direction in which the words differ most, found by repeated multiplication; 0 is their mean.
    std::vector<int64_t> direction(const std::vector<int32_t>& words, Scratch& scratch) const {
        centres(words, std::vector<uint8_t>(words.size(), 0), scratch);
        const double whole = length(scratch.used, scratch.sums[0]);
        for (int32_t f : scratch.used) scratch.pull[f] = static_cast<double>(scratch.sums[0][f]) / whole;
        settle(scratch);
        const std::vector<int64_t> near = products(words, scratch.along);
        const std::size_t odd = std::min_element(near.begin(), near.end()) - near.begin();
        for (int32_t f : scratch.used) scratch.pull[f] = -scratch.pull[f];
        add(words[odd], 1 / UNIT, scratch.pull);
        settle(scratch);
        std::vector<int64_t> along = from_mean(words, products(words, scratch.along));
        for (int step = 0; step < DIRECTION_STEPS; ++step) {
            clear(scratch.used, scratch.pull);
            for (std::size_t i = 0; i < words.size(); ++i)
                add(words[i], static_cast<double>(in_.people[words[i]]) * static_cast<double>(along[i]), scratch.pull);
            settle(scratch);
            along = from_mean(words, products(words, scratch.along));
        }
        return along;
    }

    // The values less their mean, to which each word adds by its holders.
    std::vector<int64_t> from_mean(const std::vector<int32_t>& words, std::vector<int64_t> values) const {
        double sum = 0, weight = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const double people = static_cast<double>(in_.people[words[i]]);
            sum += people * static_cast<double>(values[i]);
            weight += people;
        }
        const auto mean = static_cast<int64_t>(std::floor(sum / weight));
        for (int64_t& value : values) value -= mean;
        return values;
    }

    // The words above zero on one side; or as many more or fewer of them as each side needs to have its share of holders.
    std::vector<uint8_t> cut(const std::vector<int32_t>& words, const std::vector<int64_t>& along) const {
        const int64_t n = static_cast<int64_t>(words.size());
        std::vector<uint8_t> side(n, 0);
        double all = 0, below = 0;
        int64_t zero = 0;
        for (int64_t i = 0; i < n; ++i) {
            const double people = static_cast<double>(in_.people[words[i]]);
            all += people;
            side[i] = along[i] >= 0;
            if (side[i]) continue;
            below += people;
            ++zero;
        }
        if (zero > 0 && zero < n && below >= in_.bounds.balance * all && below < (1 - in_.bounds.balance) * all) return side;
        std::vector<int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return along[a] != along[b] ? along[a] < along[b] : a < b; });
        double before = 0;
        int64_t least = 0, most = n;
        for (int64_t i = 0; i < n; ++i) {
            before += static_cast<double>(in_.people[words[order[i]]]);
            if (before < in_.bounds.balance * all) least = i + 1;
            if (before < (1 - in_.bounds.balance) * all || i == 0) most = i + 1;
        }
        const int64_t at = std::clamp(std::clamp(zero, std::min(least, most), most), int64_t{1}, n - 1);
        for (int64_t i = 0; i < n; ++i) side[order[i]] = i >= at;
        return side;
    }

    // The frequent words that tell this side best from the other, those with more holders rather than others.
    std::vector<int32_t> titles(const std::vector<int32_t>& all, const Slopes& along, double sign) const {
        std::vector<int32_t> words;
        std::copy_if(all.begin(), all.end(), std::back_inserter(words), [&](int32_t word) { return in_.frequent[word] != 0; });
        std::vector<double> worth(words.size());
        for (std::size_t i = 0; i < words.size(); ++i)
            worth[i] = static_cast<double>(product(words[i], along)) * (sign * std::sqrt(static_cast<double>(in_.people[words[i]])));
        std::vector<int32_t> order(words.size());
        std::iota(order.begin(), order.end(), 0);
        const std::size_t count = std::min(order.size(), static_cast<std::size_t>(in_.bounds.titles));
        std::partial_sort(order.begin(), order.begin() + count, order.end(),
                          [&](int32_t a, int32_t b) { return worth[a] != worth[b] ? worth[a] > worth[b] : a < b; });
        std::vector<int32_t> found(count);
        for (std::size_t i = 0; i < count; ++i) found[i] = words[order[i]];
        return found;
    }

    const TopicProblem& in_;
    Task& task_;
    UnitRows units_;
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
    for (std::size_t begin = 0, end = nodes.size(); begin < end; begin = end, end = nodes.size()) {
        std::vector<std::vector<Node>> sides(end - begin);
        parallel_blocks(static_cast<int64_t>(end - begin), 1, threads, task, [&](int64_t i, int64_t, int worker) {
            sides[i] = divider.divide(nodes[begin + i], scratch[worker]);
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
