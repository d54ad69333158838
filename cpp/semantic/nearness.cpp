#include "semantic/nearness.hpp"

namespace shoal {

namespace {

struct Share {
    int32_t term;
    int32_t times;
};

// The distinct terms of a bag, and every node above one of them that is still relevant to it.
void survey(const std::vector<int32_t>& bag, const TermDistance& terms, std::vector<Share>& shares, std::vector<int32_t>& above) {
    shares.clear();
    above.clear();
    for (int32_t term : bag) {
        if (const auto known = std::ranges::find(shares, term, &Share::term); known != shares.end()) {
            ++known->times;
            continue;
        }
        shares.push_back({term, 1});
        for (int32_t v = term; v >= 0; v = terms.parent[v]) {
            if (terms.of_levels(terms.level[term], terms.level[v], terms.level[v]) > terms.eps) break;
            above.push_back(v);
        }
    }
    std::ranges::sort(above);
    above.erase(std::ranges::unique(above).begin(), above.end());
}

// The summed distance to all terms of the bag from `drop` levels below the node; kUnrelated where one of them is irrelevant.
int64_t cost_from(int32_t node, int32_t drop, const std::vector<Share>& shares, const TermDistance& terms) {
    int64_t cost = 0;
    for (const Share& s : shares) {
        const int64_t common = terms.level[terms.ancestor(node, s.term)];
        const int64_t apart = terms.of_levels(terms.level[node] + drop, terms.level[s.term], common);
        if (apart > terms.eps) return kUnrelated;
        cost += s.times * apart;
    }
    return cost;
}

// Calls visit(key) for every place a term is seen from: itself and its ancestors, with the drop below them.
template <class Visit>
void places_of(int32_t term, const TermDistance& terms, int32_t deepest, Visit&& visit) {
    for (int32_t v = term; v >= 0; v = terms.parent[v]) {
        const int64_t drop = terms.level[term] - terms.level[v];
        if (drop > deepest) return;
        visit(static_cast<std::size_t>(v) * (deepest + 1) + drop);
    }
}

}  // namespace

int32_t deepest_drop(const TermDistance& terms) {
    int64_t lowest = 1;
    for (int64_t level : terms.level)
        if (level < kFar) lowest = std::max(lowest, level);
    return static_cast<int32_t>(terms.wu_palmer ? lowest : std::min(lowest, terms.eps / terms.units));
}

void reach_of(const std::vector<int32_t>& bag, const TermDistance& terms, int32_t deepest, int64_t dearest, std::vector<Reach>& out) {
    thread_local std::vector<Share> shares;
    thread_local std::vector<int32_t> above;
    out.clear();
    survey(bag, terms, shares, above);
    for (int32_t node : above) {
        const int32_t lowest = terms.far(node) ? 0 : deepest;
        for (int32_t drop = 0; drop <= lowest; ++drop) {
            const int64_t cost = cost_from(node, drop, shares, terms);
            if (cost > dearest) break;
            out.push_back({node, drop, cost});
        }
    }
    std::ranges::stable_sort(out, {}, &Reach::cost);
}

void Index::build(const Rows& term_sets, std::span<const uint8_t> alive, const TermDistance& terms, int32_t deepest, Task& task) {
    width_ = deepest + 1;
    start_.assign(terms.parent.size() * width_ + 1, 0);
    auto over_all = [&](auto&& visit) {
        for (int64_t row = 0; row < term_sets.size(); ++row) {
            if (row % 1024 == 0) task.check();
            if (!alive.empty() && !alive[row]) continue;
            const TermSet v = term_set(term_sets, row);
            for (std::size_t i = 0; i < v.nodes.size(); ++i)
                places_of(v.nodes[i], terms, deepest, [&](std::size_t key) { visit(key, static_cast<int32_t>(row), v.counts[i]); });
        }
    };
    over_all([&](std::size_t key, int32_t, int32_t) { ++start_[key + 1]; });
    for (std::size_t key = 1; key < start_.size(); ++key) start_[key] += start_[key - 1];
    end_.assign(start_.begin(), start_.end() - 1);
    postings_.resize(start_.back());
    over_all([&](std::size_t key, int32_t row, int32_t count) {
        if (end_[key] > start_[key] && postings_[end_[key] - 1].row == row)
            postings_[end_[key] - 1].count += count;
        else
            postings_[end_[key]++] = {row, count};
    });
}

}  // namespace shoal
