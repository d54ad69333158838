#include "cuts/descend.hpp"

#include <queue>

#include "cuts/hit_sets.hpp"
#include "cuts/rare_sets.hpp"

namespace shoal {

namespace {

constexpr std::size_t most_sets = 200'000;  // rare sets that are looked at before a split is given up

class Descent {
public:
    Descent(Cut& cut, bool suppress) : cut_(cut), problem_(cut.problem()), rare_(cut.tokens()), suppress_(suppress) {}

    // What a split would gain is known only when it is tried, and is no more than if it needed no suppression; so the most promising one is
    // tried, and undone where another may gain more. Whether anything changed.
    bool round(Task& task) {
        bool changed = false;
        for (int32_t node : cut_.nodes()) promise(node);
        while (!chances_.empty()) {
            task.check();
            const int32_t node = chances_.top().node;
            chances_.pop();
            if (cut_.suppressed(node) && restore(node, task)) {
                changed = true;
                promise(node);
                continue;
            }
            const Split made = split(node, task);
            if (!made.stands) continue;
            if (!chances_.empty() && made.gain < chances_.top().gain) {
                undo(made);
                chances_.push({made.gain, node});
                continue;
            }
            changed = true;
            for (int32_t child : made.children) promise(child);
        }
        return changed;
    }

private:
    struct Chance {
        int64_t gain;
        int32_t node;
        bool operator<(const Chance& other) const { return gain != other.gain ? gain < other.gain : node > other.node; }
    };

    struct Split {
        bool stands = false;
        int64_t gain = 0;
        int32_t node = no_node;
        bool was_suppressed = false;
        std::vector<Image> images;
        std::vector<int32_t> children, suppressed;
    };

    // A split that gains nothing is worth trying too: an only child loses as much as its parent, and its own children may lose less.
    void promise(int32_t node) {
        int64_t least = 0;
        for (const Image& image : children(node)) least += cut_.occurrences(image.item) * problem_.loss[image.node];
        if (const int64_t gain = cut_.loss(node) - least; gain >= 0) chances_.push({gain, node});
    }

    // The children of a node, for the items that lie below them; an item that is the node stays there.
    std::vector<Image> children(int32_t node) const {
        std::vector<Image> out;
        for (int32_t item : cut_.items_of(node)) {
            int32_t child = item;
            while (child != node && problem_.tree.up[child] != node) child = problem_.tree.up[child];
            out.push_back({item, child});
        }
        return out;
    }

    bool restore(int32_t node, Task& task) {
        cut_.restore(node);
        if (rare_.with(std::span(&node, 1), {problem_.m, 1, false}, task).empty()) return true;
        cut_.suppress(node);
        return false;
    }

    Split split(int32_t node, Task& task) {
        Split out;
        out.node = node;
        out.was_suppressed = cut_.suppressed(node);
        out.images = children(node);
        if (out.images.front().node == node && out.images.back().node == node) return out;
        const int64_t before = cut_.loss(node);
        for (const Image& image : out.images) out.children.push_back(image.node);
        sort_unique(out.children);
        cut_.assign(out.images);
        out.gain = before;
        for (int32_t child : out.children) out.gain -= cut_.loss(child);
        out.stands = mend(out, task);
        if (!out.stands) undo(out);
        return out;
    }

    // Suppresses what the split made rare, and takes the price from the gain. Whether anything is left of it.
    bool mend(Split& made, Task& task) {
        const auto found = rare_.with(made.children, {problem_.m, suppress_ ? most_sets : 1, false}, task);
        if (found.empty()) return made.gain >= 0;
        if (!suppress_ || found.sets.size() >= most_sets) return false;
        const auto chosen = hit_sets(found.sets, cut_, made.gain);
        for (int32_t node : chosen) made.gain -= cut_.loss_suppressed(node) - cut_.loss_published(node);
        if (chosen.empty() || made.gain <= 0) return false;
        for (int32_t node : chosen) cut_.suppress(node);
        made.suppressed = chosen;
        return true;
    }

    void undo(const Split& made) {
        for (int32_t node : made.suppressed) cut_.restore(node);
        std::vector<Image> back;
        for (const Image& image : made.images) back.push_back({image.item, made.node});
        cut_.assign(back);
        if (made.was_suppressed) cut_.suppress(made.node);
    }

    Cut& cut_;
    const RecodingProblem& problem_;
    RareSets rare_;
    bool suppress_;
    std::priority_queue<Chance> chances_;
};

}  // namespace

void descend(Cut& cut, bool suppress, Task& task) {
    Descent descent(cut, suppress);
    while (descent.round(task)) {}
}

}  // namespace shoal
