#include "cuts/ascend.hpp"

#include <algorithm>

#include "cuts/cover.hpp"

namespace shoal {

namespace {

class Ascent {
public:
    explicit Ascent(Tokens& tokens) : tokens_(tokens), problem_(tokens.problem()), rare_(tokens), cover_(problem_.tree.up.size()) {
        above_.assign(problem_.rows.ids.begin(), problem_.rows.ids.end());
        fresh_.assign(above_.size(), 0);
    }

    // Publishes what is not published yet one level higher than was tried before. Whether there was anything to try.
    bool step(Task& task) {
        std::vector<Move> moves;
        for (std::size_t place = 0; place < above_.size(); ++place)
            if (tokens_.at(static_cast<int64_t>(place)) == no_node && above_[place] > 0 && problem_.publishable[above_[place]]) {
                moves.push_back({static_cast<int64_t>(place), above_[place]});
                above_[place] = problem_.tree.up[above_[place]];
                fresh_[place] = 1;
            }
        if (moves.empty()) return false;
        tokens_.move(moves);
        std::vector<int32_t> changed;
        for (const Move& move : moves) changed.push_back(move.node);
        sort_unique(changed);
        while (!changed.empty()) {
            const auto back = withheld(changed, task);
            changed.clear();
            for (const Move& move : back) changed.push_back(tokens_.at(move.place));
            sort_unique(changed);
            tokens_.move(back);
        }
        std::ranges::fill(fresh_, 0);
        return true;
    }

private:
    // Rare sets that hold one of these nodes: in each record that holds some, the fresh nodes that hit most of them are withheld again.
    std::vector<Move> withheld(std::span<const int32_t> changed, Task& task) {
        RareFound found = rare_.with(changed, {problem_.m, RareSets::all, true, true}, task);
        everywhere_.assign(problem_.tree.up.size(), 0);
        for (const auto& set : found.sets)
            for (int32_t node : set) ++everywhere_[node];
        std::vector<Move> out;
        for_each_record(found, [&](int32_t record, std::span<const RareFound::Holding> held) {
            const auto in_rare_sets = [this](int32_t node) { return everywhere_[node]; };
            const auto chosen = cover_.chosen(found, held, fresh_nodes(record), in_rare_sets);
            for (int64_t place = problem_.rows.indptr[record]; place < problem_.rows.indptr[record + 1]; ++place)
                if (std::ranges::find(chosen, tokens_.at(place)) != chosen.end()) out.push_back({place, no_node});
        });
        return out;
    }

    // Nodes that a record publishes at fresh places only. Every rare set that it holds has one: what was published before made no set rare.
    std::vector<int32_t> fresh_nodes(int32_t record) const {
        std::vector<int32_t> fresh, settled;
        for (int64_t place = problem_.rows.indptr[record]; place < problem_.rows.indptr[record + 1]; ++place)
            if (tokens_.at(place) != no_node) (fresh_[place] ? fresh : settled).push_back(tokens_.at(place));
        sort_unique(fresh);
        std::erase_if(fresh, [&](int32_t node) { return std::ranges::find(settled, node) != settled.end(); });
        return fresh;
    }

    Tokens& tokens_;
    const RecodingProblem& problem_;
    RareSets rare_;
    Cover cover_;
    std::vector<int32_t> above_;       // the next node to try, by place
    std::vector<uint8_t> fresh_;       // places that publish something only since the present step
    std::vector<int64_t> everywhere_;  // rare sets that hold a node, of all records
};

}  // namespace

void ascend(Tokens& tokens, std::span<const uint8_t> settled, Task& task) {
    const auto& items = tokens.problem().rows.ids;
    std::vector<Move> moves;
    for (std::size_t place = 0; place < items.size(); ++place)
        if (settled[items[place]]) moves.push_back({static_cast<int64_t>(place), items[place]});
    tokens.move(moves);
    Ascent ascent(tokens);
    while (ascent.step(task)) {}
}

}  // namespace shoal
