#include "topics/two_means.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/parallel.hpp"

namespace shoal {
namespace {

constexpr int DIRECTION_STEPS = 6, EXCHANGES = 10;

struct Node {
    std::vector<int32_t> words;
    int64_t children[2] = {-1, -1};
    std::vector<int32_t> titles;
};

// What one thread works with: sums over the features that the words of a topic have, which rise; other entries are not read.
struct Scratch {
    std::vector<double> first, second, along;
    std::vector<int32_t> used;

    explicit Scratch(int64_t features) : first(features), second(features), along(features) {}
};

class Divider {
public:
    Divider(const TopicProblem& problem, Task& task) : in_(problem), task_(task), scale_(problem.people.size()) {
        for (int64_t word = 0; word < in_.company.size(); ++word) {
            double sum = 0;
            for (int32_t weight : in_.company.row_counts(word)) sum += static_cast<double>(weight) * weight;
            scale_[word] = sum > 0 ? 1 / std::sqrt(sum) : 0;
        }
    }

    // The two sides of a topic, with titles; none if one would lack frequent words.
    std::vector<Node> divide(const Node& node, Scratch& scratch) const {
        if (frequent_of(node.words) < 2) return {};
        scratch.used = features_of(node.words);
        centre(node.words, nullptr, true, scratch.used, scratch.first);
        std::vector<uint8_t> side = cut(node.words, direction(node.words, scratch));
        for (int step = 0; step < EXCHANGES; ++step) {
            centre(node.words, side.data(), false, scratch.used, scratch.first);
            centre(node.words, side.data(), true, scratch.used, scratch.second);
            for (int32_t f : scratch.used) scratch.along[f] = scratch.second[f] - scratch.first[f];
            std::vector<uint8_t> next = cut(node.words, products(node.words, scratch.along));
            if (next == side) break;
            side = std::move(next);
        }
        std::vector<Node> sides(2);
        for (std::size_t i = 0; i < node.words.size(); ++i) sides[side[i]].words.push_back(node.words[i]);
        if (frequent_of(sides[0].words) == 0 || frequent_of(sides[1].words) == 0) return {};
        sides[0].titles = titles(sides[0].words, scratch.along, -1);
        sides[1].titles = titles(sides[1].words, scratch.along, 1);
        return sides;
    }

private:
    int64_t frequent_of(const std::vector<int32_t>& words) const {
        return std::count_if(words.begin(), words.end(), [&](int32_t word) { return in_.frequent[word] != 0; });
    }

    // The features that these words have, in their order.
    std::vector<int32_t> features_of(const std::vector<int32_t>& words) const {
        std::vector<uint8_t> there(in_.features, 0);
        for (int32_t word : words)
            for (int32_t feature : in_.company.row_ids(word)) there[feature] = 1;
        std::vector<int32_t> found;
        for (int64_t f = 0; f < in_.features; ++f)
            if (there[f]) found.push_back(static_cast<int32_t>(f));
        return found;
    }

    double product(int32_t word, const std::vector<double>& with) const {
        const auto ids = in_.company.row_ids(word);
        const auto weights = in_.company.row_counts(word);
        double sum = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) sum += weights[i] * with[ids[i]];
        return sum * scale_[word];
    }

    std::vector<double> products(const std::vector<int32_t>& words, const std::vector<double>& with) const {
        task_.check();
        std::vector<double> found(words.size());
        for (std::size_t i = 0; i < words.size(); ++i) found[i] = product(words[i], with);
        return found;
    }

    void add(int32_t word, double times, std::vector<double>& to) const {
        const auto ids = in_.company.row_ids(word);
        const auto weights = in_.company.row_counts(word);
        const double factor = times * scale_[word];
        for (std::size_t i = 0; i < ids.size(); ++i) to[ids[i]] += factor * weights[i];
    }

    static void clear(const std::vector<int32_t>& used, std::vector<double>& values) {
        for (int32_t f : used) values[f] = 0.0;
    }

    static void normalize(const std::vector<int32_t>& used, std::vector<double>& values) {
        double sum = 0;
        for (int32_t f : used) sum += values[f] * values[f];
        const double length = std::sqrt(sum);
        if (length > 0)
            for (int32_t f : used) values[f] /= length;
    }

    // The direction of the words of one side, or of all of them, each by the number of its holders.
    void centre(const std::vector<int32_t>& words, const uint8_t* side, bool which, const std::vector<int32_t>& used,
                std::vector<double>& found) const {
        task_.check();
        clear(used, found);
        for (std::size_t i = 0; i < words.size(); ++i)
            if (side == nullptr || (side[i] != 0) == which) add(words[i], static_cast<double>(in_.people[words[i]]), found);
        normalize(used, found);
    }

    // Where each word lies along the direction in which the words differ most, found by repeated multiplication; 0 is their mean.
    std::vector<double> direction(const std::vector<int32_t>& words, Scratch& scratch) const {
        const std::vector<double> near = products(words, scratch.first);  // the centre of all
        const std::size_t odd = std::min_element(near.begin(), near.end()) - near.begin();
        clear(scratch.used, scratch.along);
        add(words[odd], 1.0, scratch.along);
        for (int32_t f : scratch.used) scratch.along[f] -= scratch.first[f];
        std::vector<double> along = products(words, scratch.along);
        for (int step = 0; step < DIRECTION_STEPS; ++step) {
            const double mean = mean_of(words, along);
            clear(scratch.used, scratch.along);
            for (std::size_t i = 0; i < words.size(); ++i)
                add(words[i], static_cast<double>(in_.people[words[i]]) * (along[i] - mean), scratch.along);
            normalize(scratch.used, scratch.along);
            along = products(words, scratch.along);
        }
        const double mean = mean_of(words, along);
        for (double& value : along) value -= mean;
        return along;
    }

    double mean_of(const std::vector<int32_t>& words, const std::vector<double>& values) const {
        double sum = 0, weight = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const double people = static_cast<double>(in_.people[words[i]]);
            sum += people * values[i];
            weight += people;
        }
        return sum / weight;
    }

    // The words above zero on one side; or as many more or fewer of them as each side needs to have its share of holders.
    std::vector<uint8_t> cut(const std::vector<int32_t>& words, const std::vector<double>& along) const {
        const int64_t n = static_cast<int64_t>(words.size());
        std::vector<int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return along[a] != along[b] ? along[a] < along[b] : a < b; });
        double all = 0, before = 0;
        for (int32_t word : words) all += static_cast<double>(in_.people[word]);
        int64_t zero = 0, least = 0, most = n;
        for (int64_t i = 0; i < n; ++i) {
            if (along[order[i]] < 0) zero = i + 1;
            before += static_cast<double>(in_.people[words[order[i]]]);
            if (before < in_.balance * all) least = i + 1;
            if (before < (1 - in_.balance) * all || i == 0) most = i + 1;
        }
        const int64_t at = std::clamp(std::clamp(zero, std::min(least, most), most), int64_t{1}, n - 1);
        std::vector<uint8_t> side(n, 0);
        for (int64_t i = at; i < n; ++i) side[order[i]] = 1;
        return side;
    }

    // The frequent words that tell this side best from the other, those with more holders rather than others.
    std::vector<int32_t> titles(const std::vector<int32_t>& all, const std::vector<double>& along, double sign) const {
        std::vector<int32_t> words;
        std::copy_if(all.begin(), all.end(), std::back_inserter(words), [&](int32_t word) { return in_.frequent[word] != 0; });
        std::vector<double> worth = products(words, along);
        for (std::size_t i = 0; i < words.size(); ++i) worth[i] *= sign * std::sqrt(static_cast<double>(in_.people[words[i]]));
        std::vector<int32_t> order(words.size());
        std::iota(order.begin(), order.end(), 0);
        const std::size_t count = std::min(order.size(), static_cast<std::size_t>(in_.titles));
        std::partial_sort(order.begin(), order.begin() + count, order.end(),
                          [&](int32_t a, int32_t b) { return worth[a] != worth[b] ? worth[a] > worth[b] : a < b; });
        std::vector<int32_t> found(count);
        for (std::size_t i = 0; i < count; ++i) found[i] = words[order[i]];
        return found;
    }

    const TopicProblem& in_;
    Task& task_;
    std::vector<double> scale_;
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
