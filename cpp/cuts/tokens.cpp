#include "cuts/tokens.hpp"

#include <algorithm>

namespace shoal {

Tokens::Tokens(const RecodingProblem& problem) : problem_(problem) {
    const Rows& rows = problem.rows;
    node_at_.assign(rows.ids.begin(), rows.ids.end());
    row_nodes_ = node_at_;
    row_length_.resize(rows.size());
    holders_.resize(problem.tree.up.size());
    for (int32_t i = 0; i < static_cast<int32_t>(rows.size()); ++i) {
        write_row(i);
        for (int32_t node : row(i)) holders_[node].push_back(i);
    }
}

std::span<const int32_t> Tokens::row(int32_t record) const {
    return std::span<const int32_t>(row_nodes_).subspan(problem_.rows.indptr[record], row_length_[record]);
}

void Tokens::places(int32_t record, int32_t node, std::vector<int64_t>& out) const {
    for (int64_t place = problem_.rows.indptr[record]; place < problem_.rows.indptr[record + 1]; ++place)
        if (node_at_[place] == node) out.push_back(place);
}

std::vector<int32_t> Tokens::records_at(int32_t node) const {
    if (problem_.publishable[node]) return holders_[node];
    std::vector<int32_t> out;
    for (int32_t record = 0; record < static_cast<int32_t>(problem_.rows.size()); ++record) {
        const auto begin = node_at_.begin() + problem_.rows.indptr[record], end = node_at_.begin() + problem_.rows.indptr[record + 1];
        if (std::find(begin, end, node) != end) out.push_back(record);
    }
    return out;
}

std::vector<int32_t> Tokens::published() const {
    std::vector<int32_t> out = node_at_;
    for (int32_t& node : out)
        if (!shown(node)) node = no_node;
    return out;
}

int64_t Tokens::loss() const {
    int64_t total = 0;
    for (int32_t node : node_at_) total += problem_.loss_at(node);
    return total;
}

void Tokens::clear() {
    std::ranges::fill(node_at_, no_node);
    std::ranges::fill(row_length_, 0);
    for (auto& holders : holders_) holders.clear();
}

void Tokens::move(std::span<const Move> moves) {
    std::vector<Change> changes;
    const auto& indptr = problem_.rows.indptr;
    auto end = indptr.begin();
    for (std::size_t i = 0; i < moves.size();) {
        end = std::upper_bound(end, indptr.end(), moves[i].place);
        const auto record = static_cast<int32_t>(end - indptr.begin()) - 1;
        const auto now = row(record);
        before_.assign(now.begin(), now.end());
        for (; i < moves.size() && moves[i].place < *end; ++i) node_at_[moves[i].place] = moves[i].node;
        write_row(record);
        note_changes(record, changes);
    }
    std::ranges::sort(changes);
    update_holders(changes);
}

void Tokens::note_changes(int32_t record, std::vector<Change>& changes) const {
    const auto after = row(record);
    for (int32_t node : before_)
        if (!std::ranges::binary_search(after, node)) changes.push_back({node, record, false});
    for (int32_t node : after)
        if (!std::ranges::binary_search(before_, node)) changes.push_back({node, record, true});
}

// Changes of one node follow one another, by record.
void Tokens::update_holders(std::span<const Change> changes) {
    std::vector<int32_t> merged;
    for (std::size_t i = 0, end = 0; i < changes.size(); i = end) {
        std::vector<int32_t>& holders = holders_[changes[i].node];
        merged.clear();
        auto at = holders.begin();
        for (end = i; end < changes.size() && changes[end].node == changes[i].node; ++end) {
            while (at != holders.end() && *at < changes[end].record) merged.push_back(*at++);
            if (changes[end].begins)
                merged.push_back(changes[end].record);
            else
                ++at;
        }
        merged.insert(merged.end(), at, holders.end());
        holders.assign(merged.begin(), merged.end());
    }
}

void Tokens::write_row(int32_t record) {
    const auto begin = row_nodes_.begin() + problem_.rows.indptr[record];
    auto end = begin;
    for (int64_t place = problem_.rows.indptr[record]; place < problem_.rows.indptr[record + 1]; ++place)
        if (shown(node_at_[place])) *end++ = node_at_[place];
    std::sort(begin, end);
    row_length_[record] = static_cast<int32_t>(std::unique(begin, end) - begin);
}

}  // namespace shoal
