#include "vectors/exchange.hpp"

#include <algorithm>
#include <cmath>

namespace shoal {

namespace {

constexpr std::size_t most_candidates = 8;  // of each group
constexpr double least_gain = 1e-9;         // as a part of the loss: differences below it may be rounding
constexpr int64_t most_trades = 256;        // between two groups at a time

double of_levels(int32_t shared, int32_t one, int32_t other) {
    const double apart = 1 - 2.0 * shared / (one + other);
    return apart * apart;
}

}  // namespace

double KindColumn::squared(double code, double centroid) const {
    if (kind == Kind::category) return code == centroid ? 0 : 1;
    if (kind != Kind::node) return (code - centroid) * (code - centroid);
    const auto node = static_cast<int32_t>(code), other = static_cast<int32_t>(centroid);
    int32_t common = other;
    while (node < common || node >= end[common]) common = parent[common];
    return of_levels(level[common], level[node], level[other]);
}

void KindGroup::change(int64_t out, int64_t in) {
    rows_ += (in >= 0) - (out >= 0);
    loss_ = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        take(j, tallies_[j], out, in);
        tally(columns_[j], tallies_[j], rows_);
        loss_ += tallies_[j].loss / columns_[j].unit;
    }
}

double KindGroup::loss_after(int64_t out, int64_t in) const {
    thread_local Tally after;
    double loss = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        after = tallies_[j];
        take(j, after, out, in);
        tally(columns_[j], after, rows_ + (in >= 0) - (out >= 0));
        loss += after.loss / columns_[j].unit;
    }
    return loss;
}

double KindGroup::distance(int64_t row) const {
    double sum = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) sum += columns_[j].squared(columns_[j].code(row), tallies_[j].centroid) / columns_[j].unit;
    return sum;
}

void KindGroup::take(std::size_t column, Tally& tally, int64_t out, int64_t in) const {
    const auto put = [&](int64_t row, int32_t sign) {
        if (row < 0) return;
        const double code = columns_[column].code(row);
        tally.sum += sign * code;
        tally.squares += sign * code * code;
        if (columns_[column].kind == Kind::number) return;
        const auto value = static_cast<int32_t>(code);
        auto at = std::ranges::lower_bound(tally.counts, value, {}, &Count::first);
        if (at == tally.counts.end() || at->first != value) at = tally.counts.insert(at, {value, 0});
        at->second += sign;
        if (at->second == 0) tally.counts.erase(at);
    };
    put(out, -1);
    put(in, 1);
}

// The centroid and the loss that follow from the counts.
void KindGroup::tally(const KindColumn& column, Tally& tally, int64_t rows) {
    const auto n = static_cast<double>(rows);
    if (rows == 0) {
        tally.centroid = tally.loss = 0;
    } else if (column.kind == Kind::number) {
        tally.centroid = tally.sum / n;
        tally.loss = std::max(0.0, tally.squares - tally.sum * tally.centroid);
    } else if (column.kind == Kind::rank) {
        int64_t before = 0;
        for (const auto& [value, times] : tally.counts) {
            tally.centroid = value;
            if ((before += times) > (rows - 1) / 2) break;
        }
        tally.loss = tally.squares - 2 * tally.centroid * tally.sum + n * tally.centroid * tally.centroid;
    } else if (column.kind == Kind::category) {
        const auto most = std::ranges::max_element(tally.counts, {}, &Count::second);
        tally.centroid = most->first;
        tally.loss = n - most->second;
    } else {
        int32_t common = tally.counts.front().first;
        while (tally.counts.back().first >= column.end[common]) common = column.parent[common];
        tally.centroid = common;
        tally.loss = 0;
        for (const auto& [node, times] : tally.counts)
            tally.loss += times * of_levels(column.level[common], column.level[node], column.level[common]);
    }
}

KindGroup Exchange::group_of(const Members& members) const {
    KindGroup group(columns_);
    for (int64_t row : members) group.add(row);
    return group;
}

bool Exchange::improve(Members& a, KindGroup& first_group, Members& b, KindGroup& second_group) const {
    Side first{a, first_group, owners_of(a), {}}, second{b, second_group, owners_of(b), {}};
    bool changed = false, fresh = false;
    for (int64_t trades = 0; trades < most_trades;) {
        const Trade best = best_trade(first, second);
        if (best.first >= 0 || best.second >= 0) {
            make(best, first, second);
            ++trades;
            changed = true;
            fresh = false;
        } else if (fresh) {
            break;
        } else {
            find_candidates(first, second.group);
            find_candidates(second, first.group);
            fresh = true;
        }
    }
    return changed;
}

Exchange::Owners Exchange::owners_of(const Members& members) const {
    Owners found;
    if (!distinct_)
        for (int64_t row : members) ++found[owner_[row]];
    return found;
}

// Those that gain most from going over, or lose least.
void Exchange::find_candidates(Side& side, const KindGroup& other) const {
    std::vector<std::pair<double, int64_t>> leads;
    for (int64_t row : side.members) leads.emplace_back(other.distance(row) - side.group.distance(row), row);
    const std::size_t wanted = std::min(most_candidates, leads.size());
    std::ranges::partial_sort(leads, leads.begin() + static_cast<std::ptrdiff_t>(wanted));
    side.candidates.clear();
    for (std::size_t i = 0; i < wanted; ++i) side.candidates.push_back(leads[i].second);
}

Exchange::Trade Exchange::best_trade(const Side& first, const Side& second) const {
    const double before = first.group.loss() + second.group.loss();
    Trade best;
    best.gain = least_gain * before;
    const auto consider = [&](int64_t row, int64_t other) {
        if (!allowed(first, row, other) || !allowed(second, other, row)) return;
        const double gain = before - first.group.loss_after(row, other) - second.group.loss_after(other, row);
        if (gain > best.gain) best = {gain, row, other};
    };
    for (int64_t row : first.candidates) consider(row, -1);
    for (int64_t other : second.candidates) consider(-1, other);
    for (int64_t row : first.candidates)
        for (int64_t other : second.candidates) consider(row, other);
    return best;
}

// Whether a group still has k owners, and is not one that could be split, if one row leaves it and another one comes.
bool Exchange::allowed(const Side& side, int64_t out, int64_t in) const {
    const int64_t rows = static_cast<int64_t>(side.members.size()) + (in >= 0) - (out >= 0);
    if (distinct_) return rows >= k_ && (rows < 2 * k_ || in < 0 || out >= 0);
    auto people = static_cast<int64_t>(side.owners.size());
    if (out >= 0 && side.owners.at(owner_[out]) == 1) --people;
    if (in >= 0 && (!side.owners.contains(owner_[in]) || (out >= 0 && owner_[in] == owner_[out] && side.owners.at(owner_[out]) == 1))) ++people;
    return people >= k_;
}

void Exchange::make(const Trade& trade, Side& first, Side& second) const {
    first.group.change(trade.first, trade.second);
    second.group.change(trade.second, trade.first);
    replace(first, trade.first, trade.second);
    replace(second, trade.second, trade.first);
}

void Exchange::replace(Side& side, int64_t out, int64_t in) const {
    if (out >= 0) {
        std::erase(side.members, out);
        std::erase(side.candidates, out);
    }
    if (in >= 0) side.members.push_back(in);
    if (distinct_) return;
    if (in >= 0) ++side.owners[owner_[in]];
    if (out >= 0 && --side.owners[owner_[out]] == 0) side.owners.erase(owner_[out]);
}

}  // namespace shoal
