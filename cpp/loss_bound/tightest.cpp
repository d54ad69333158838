#include "loss_bound/tightest.hpp"

#include <bit>
#include <functional>
#include <limits>

namespace shoal {

namespace {

constexpr int64_t kNoGroup = std::numeric_limits<int64_t>::max() / 4;
constexpr std::size_t kStates = 256;
constexpr std::size_t kStepsOfValue = 4, kStepsOfOrder = 100;  // beside those for each byte, and of sorting and bounding

// The sum of the smallest few of what was added.
class SmallestFew {
public:
    explicit SmallestFew(int64_t few) : few_(static_cast<std::size_t>(std::max<int64_t>(0, few))) {}
    void add(int64_t amount) {
        if (few_ == 0) return;
        if (heap_.size() < few_) {
            heap_.push_back(amount), sum_ += amount;
        } else if (amount < heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end());
            sum_ += amount - heap_.back(), heap_.back() = amount;
        } else {
            return;
        }
        std::push_heap(heap_.begin(), heap_.end());
    }
    bool full() const { return heap_.size() == few_; }
    int64_t sum() const { return sum_; }

private:
    std::size_t few_;
    std::vector<int64_t> heap_;
    int64_t sum_ = 0;
};

}  // namespace

Tightest::Tightest(const Scored& rows, std::span<const int64_t> copies, std::span<const int64_t> credits, int64_t patience,
                   const Task& task)
    : rows_(rows),
      copies_(copies),
      credits_(credits),
      patience_(patience),
      task_(task),
      first_bit_(rows.nodes(), -1),
      most_(rows.nodes(), 0) {}

int64_t Tightest::excess(int64_t row, Group& group) {
    task_.check();
    number_bits(row);
    group_ = &group, unexplored_ = least_ = kNoGroup;
    if (!group.empty()) try_group(Group(group));
    Candidates from = all_others(row);
    steps_ = static_cast<int64_t>(rows_.counts.ids.size() + from.size() * kStepsOfOrder);
    try_greedily(from, row);
    members_.assign(1, row);
    search(std::move(from), credits_[row]);
    for (int64_t j = rows_.counts.indptr[row]; j < rows_.counts.indptr[row + 1]; ++j) first_bit_[rows_.counts.ids[j]] = -1;
    return std::min(least_, unexplored_);
}

// Gives each unit of each count of the row a bit.
void Tightest::number_bits(int64_t row) {
    std::vector<int64_t> weights;
    for (int64_t j = rows_.counts.indptr[row]; j < rows_.counts.indptr[row + 1]; ++j) {
        const int32_t node = rows_.counts.ids[j];
        first_bit_[node] = static_cast<int32_t>(weights.size());
        most_[node] = rows_.counts.counts[j];
        weights.insert(weights.end(), rows_.counts.counts[j], rows_.weight[node]);
    }
    words_ = std::max<std::size_t>(1, (weights.size() + 63) / 64), bytes_ = (weights.size() + 7) / 8;
    weights.resize(bytes_ * 8, 0);
    tables_.assign(bytes_ * kStates, 0);
    for (std::size_t b = 0; b < bytes_; ++b)
        for (std::size_t state = 1; state < kStates; ++state) {
            const int lowest = std::countr_zero(state);
            tables_[b * kStates + state] = tables_[b * kStates + (state & (state - 1))] + weights[b * 8 + lowest];
        }
    meets_.assign(words_ * (rows_.k + 1), 0);
    set_bits(row, meet(0));
}

// The cheapest others of each kind of bits, of which a group can have k - 1.
Tightest::Candidates Tightest::all_others(int64_t row) {
    const auto most = static_cast<std::size_t>(rows_.k - 1);
    std::vector<Candidates> of_kind;
    bits_.clear();
    places_.assign(std::bit_ceil(static_cast<std::size_t>(2 * rows_.size())), -1);
    std::vector<Word> bits(words_);
    for (int64_t o = 0; o < rows_.size(); ++o) {
        const int64_t times = std::min(copies_[o] - (o == row), rows_.k - 1);
        if (times == 0) continue;
        std::ranges::fill(bits, 0);
        set_bits(o, bits.data());
        const std::size_t kind = kind_of(bits.data());
        if (kind == of_kind.size()) of_kind.emplace_back();
        Candidates& like = of_kind[kind];
        if (like.size() >= most && like.back().credit <= credits_[o]) continue;
        const Candidate one{0, credits_[o], o, kind * words_, 0, kind};
        const auto at = std::ranges::upper_bound(like, one.credit, {}, &Candidate::credit);
        like.insert(at, times, one);
        if (like.size() > most) like.resize(most);
    }
    Candidates all;
    for (Candidates& like : of_kind)
        for (Candidate& one : like) {
            one.value = value_of(bits_.data() + one.bits);
            all.push_back(one);
        }
    std::ranges::stable_sort(all, std::greater<>(), &Candidate::value);
    return all;
}

// The number of these bits among those that occurred; new ones get the next number.
std::size_t Tightest::kind_of(const Word* bits) {
    Word hash = 0;
    for (std::size_t w = 0; w < words_; ++w) hash = (hash ^ bits[w]) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
    const std::size_t mask = places_.size() - 1;
    for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
        if (places_[place] < 0) {
            places_[place] = static_cast<int64_t>(bits_.size() / words_);
            bits_.insert(bits_.end(), bits, bits + words_);
        }
        if (std::equal(bits, bits + words_, bits_.begin() + static_cast<std::ptrdiff_t>(places_[place] * words_)))
            return static_cast<std::size_t>(places_[place]);
    }
}

void Tightest::set_bits(int64_t row, Word* bits) const {
    for (int64_t j = rows_.counts.indptr[row]; j < rows_.counts.indptr[row + 1]; ++j) {
        const int32_t node = rows_.counts.ids[j], first = first_bit_[node];
        if (first < 0) continue;
        const int32_t end = first + std::min(rows_.counts.counts[j], most_[node]);
        for (int32_t bit = first; bit < end; ++bit) bits[bit / 64] |= Word{1} << (bit % 64);
    }
}

int64_t Tightest::value_of(const Word* bits) const { return value_with(bits, bits); }

int64_t Tightest::value_with(const Word* meet, const Word* bits) const {
    int64_t total = 0;
    std::size_t b = 0;
    for (std::size_t w = 0; w < words_; ++w)
        for (Word both = meet[w] & bits[w], end = std::min(bytes_, b + 8); b < end; ++b, both >>= 8) total += tables_[b * kStates + (both & 255)];
    return total;
}

void Tightest::meet_of(const Word* meet, const Word* bits, Word* out) const {
    for (std::size_t w = 0; w < words_; ++w) out[w] = meet[w] & bits[w];
}

// Sorts candidates by falling value, and keeps of those with the same bits in the meet only the cheapest: any other can be exchanged for one.
void Tightest::merge_kinds(Candidates& from, const Word* meet, int64_t wanted) const {
    const auto compare = [&](const Candidate& a, const Candidate& b) {
        for (std::size_t w = 0; w < words_; ++w) {
            const Word x = meet[w] & bits_[a.bits + w], y = meet[w] & bits_[b.bits + w];
            if (x != y) return x < y ? -1 : 1;
        }
        return 0;
    };
    std::ranges::sort(from, [&](const Candidate& a, const Candidate& b) {
        if (a.value != b.value) return a.value > b.value;
        const int order = compare(a, b);
        return order != 0 ? order < 0 : a.credit != b.credit ? a.credit < b.credit : a.row < b.row;
    });
    std::size_t kept = 0, kind = 0;
    int64_t of_kind = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const bool like = kept > 0 && from[i].value == from[kept - 1].value && compare(from[i], from[kept - 1]) == 0;
        if (!like) ++kind, of_kind = 0;
        if (of_kind++ >= wanted) continue;
        from[kept] = from[i];
        from[kept++].kind = kind;
    }
    from.resize(kept);
}

// For every candidate a lower bound on the excess of all groups with it. They come by falling value: of those chosen, the last one decides
// what the group can tell.
void Tightest::bound(Candidates& from, int64_t credit, int64_t wanted) {
    SmallestFew others(wanted - 1), fewer(wanted - 2);
    last_.assign(from.size() + 1, kNoGroup);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const int64_t alone = credit + from[i].credit - 2 * rows_.k * from[i].value;
        from[i].least = others.full() ? alone + others.sum() : kNoGroup;
        if (wanted >= 2 && fewer.full() && i > 0) last_[i] = alone + fewer.sum();
        others.add(from[i].credit), fewer.add(from[i].credit);
    }
    for (std::size_t i = from.size(); i-- > 0;) {
        if (last_[i + 1] != kNoGroup) from[i].least = std::min(from[i].least, from[i].credit + last_[i + 1]);
        last_[i] = std::min(last_[i], last_[i + 1]);
    }
}

// Leaves those out whose groups cannot be tighter than what was found; this may leave others without partners.
void Tightest::keep_promising(Candidates& from, int64_t credit, int64_t wanted) {
    for (std::size_t before = from.size() + 1; from.size() < before && static_cast<int64_t>(from.size()) >= wanted;) {
        before = from.size();
        bound(from, credit, wanted);
        std::erase_if(from, [&](const Candidate& c) { return c.least >= least_; });
    }
}

void Tightest::try_group(const Group& group) {
    std::vector<Word> bits(words_), meet(words_);
    int64_t credit = 0;
    meet_of(this->meet(0), this->meet(0), meet.data());
    for (int64_t r : group) {
        std::ranges::fill(bits, 0);
        set_bits(r, bits.data());
        meet_of(meet.data(), bits.data(), meet.data());
        credit += credits_[r];
    }
    const int64_t found = credit - 2 * rows_.k * value_of(meet.data());
    if (found < least_) least_ = found, *group_ = group;
}

// Adds whoever makes the excess least, again and again: something for the search to beat.
void Tightest::try_greedily(const Candidates& from, int64_t row) {
    if (static_cast<int64_t>(from.size()) < rows_.k - 1) return;
    std::vector<bool> taken(from.size(), false);
    std::vector<Word> meet(this->meet(0), this->meet(0) + words_);
    Group group{row};
    while (static_cast<int64_t>(group.size()) < rows_.k) {
        std::size_t best = from.size();
        int64_t least = kNoGroup;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const int64_t found = taken[i] ? kNoGroup : from[i].credit - 2 * rows_.k * value_with(meet.data(), bits_.data() + from[i].bits);
            if (found < least) least = found, best = i;
        }
        taken[best] = true;
        group.push_back(from[best].row);
        meet_of(meet.data(), bits_.data() + from[best].bits, meet.data());
    }
    try_group(group);
}

// Looks for the least excess of the members with some of the candidates, which come by falling value.
void Tightest::search(Candidates from, int64_t credit) {
    const int64_t wanted = rows_.k - static_cast<int64_t>(members_.size());
    keep_promising(from, credit, wanted);
    if (static_cast<int64_t>(from.size()) < wanted) return;
    if (wanted == 1) return finish(from);
    std::ranges::stable_sort(from, {}, &Candidate::least);
    const std::size_t depth = members_.size();
    SmallestFew others(wanted - 2);
    for (const Candidate& c : from) others.add(c.credit);
    std::vector<int64_t> cheapest(1 + std::ranges::max(from, {}, &Candidate::kind).kind, kNoGroup);  // of each kind that was chosen
    for (std::size_t i = 0; i + wanted <= from.size(); ++i) {
        const Candidate chosen = from[i];
        if (chosen.least >= least_) return;  // and so are those behind it
        if (steps_ > patience_) {
            unexplored_ = std::min(unexplored_, chosen.least);
            return;
        }
        // Groups without the cheaper one of its kind are no tighter than those with it.
        if (cheapest[chosen.kind] <= chosen.credit) continue;
        cheapest[chosen.kind] = chosen.credit;
        task_.check();
        meet_of(meet(depth - 1), bits_.data() + chosen.bits, meet(depth));
        Candidates rest;
        const int64_t without = credit + chosen.credit + others.sum();  // what a group costs at least without its next member
        std::size_t o = i + 1;
        for (; o < from.size() && from[o].least < least_; ++o) {
            const int64_t value = value_with(meet(depth), bits_.data() + from[o].bits);
            if (without + from[o].credit - 2 * rows_.k * value < least_) rest.push_back({value, from[o].credit, from[o].row, from[o].bits});
        }
        steps_ += static_cast<int64_t>((o - i) * (bytes_ + kStepsOfValue) + rest.size() * kStepsOfOrder);
        merge_kinds(rest, meet(depth), wanted - 1);
        members_.push_back(chosen.row);
        search(std::move(rest), credit + chosen.credit);
        members_.pop_back();
    }
}

void Tightest::finish(const Candidates& from) {
    const Candidate& best = *std::ranges::min_element(from, {}, &Candidate::least);
    if (best.least >= least_) return;
    least_ = best.least;
    *group_ = members_;
    group_->push_back(best.row);
}

}  // namespace shoal
