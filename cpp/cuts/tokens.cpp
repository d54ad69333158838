#include "cuts/tokens.hpp"

#include <algorithm>
#include <utility>

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
    for (std::size_t i = 0, next = 0; i < moves.size(); i = next) {
        end = std::upper_bound(end, indptr.end(), moves[i].place);
        const auto record = static_cast<int32_t>(end - indptr.begin()) - 1;
        for (next = i; next < moves.size() && moves[next].place < *end;) ++next;
        const auto own = moves.subspan(i, next - i);
        own.size() <= few_moves ? change_row(record, own, changes) : rewrite_row(record, own, changes);
    }
    std::ranges::sort(changes);
    update_holders(changes);
}

// A few places change: only what stood there can be gone, and only what is put there can be new.
void Tokens::change_row(int32_t record, std::span<const Move> moves, std::vector<Change>& changes) {
    const auto places = std::span<const int32_t>(node_at_).subspan(problem_.rows.indptr[record], places_of(record));
    before_.clear();
    for (const Move& one : moves) before_.push_back(std::exchange(node_at_[one.place], one.node));
    const auto row = row_nodes_.begin() + problem_.rows.indptr[record];
    int32_t& length = row_length_[record];
    sort_unique(before_);
    for (int32_t node : before_) {
        if (!shown(node) || std::ranges::find(places, node) != places.end()) continue;
        const auto at = std::lower_bound(row, row + length, node);
        std::copy(at + 1, row + length--, at);
        changes.push_back({node, record, false});
    }
    for (const Move& one : moves) {
        if (!shown(one.node)) continue;
        const auto at = std::lower_bound(row, row + length, one.node);
        if (at != row + length && *at == one.node) continue;
        std::copy_backward(at, row + length, row + length + 1);
        *at = one.node;
        ++length;
        changes.push_back({one.node, record, true});
    }
}

// Many places change: the row is written again and compared with what it was.
void Tokens::rewrite_row(int32_t record, std::span<const Move> moves, std::vector<Change>& changes) {
    const auto now = row(record);
    before_.assign(now.begin(), now.end());
    for (const Move& one : moves) node_at_[one.place] = one.node;
    write_row(record);
    const auto after = row(record);
    auto old = before_.begin();
    auto next = after.begin();
    while (old != before_.end() || next != after.end()) {
        if (next == after.end() || (old != before_.end() && *old < *next))
            changes.push_back({*old++, record, false});
        else if (old == before_.end() || *next < *old)
            changes.push_back({*next++, record, true});
        else
            ++old, ++next;
    }
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
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
    row_length_[record] = static_cast<int32_t>(std::unique(begin, end) - begin);
}

}  // namespace shoal
