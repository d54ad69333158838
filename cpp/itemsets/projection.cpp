#include "itemsets/projection.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/processor.hpp"

#ifdef SHOAL_X86_64
#include <immintrin.h>
#endif

namespace shoal {

namespace {

constexpr int64_t sparsest = 48;  // a bitset serves where one bit in this many is set; below, lists are shorter

uint64_t extract_plainly(uint64_t bits, uint64_t mask) {
    uint64_t out = 0;
    for (unsigned n = 0; mask; mask &= mask - 1, ++n) out |= static_cast<uint64_t>((bits & mask & (~mask + 1)) != 0) << n;
    return out;
}

// The bits of `source` that `mask` selects, close together. Whoever inlines it decides how a word's bits are extracted.
template <class Extract>
[[gnu::always_inline]] inline void pack(const uint64_t* source, const uint64_t* mask, std::size_t words, uint64_t* out, Extract&& extract) {
    unsigned used = 0;
    uint64_t pending = 0;
    for (std::size_t w = 0; w < words; ++w) {
        if (!mask[w]) continue;
        const uint64_t bits = extract(source[w], mask[w]);
        const auto n = static_cast<unsigned>(std::popcount(mask[w]));
        pending |= bits << used;
        if (used + n >= 64) {
            *out++ = pending;
            pending = used == 0 ? 0 : bits >> (64 - used);
            used += n - 64;
        } else {
            used += n;
        }
    }
    if (used > 0) *out = pending;
}

void pack_plainly(const uint64_t* source, const uint64_t* mask, std::size_t words, uint64_t* out) {
    pack(source, mask, words, out, extract_plainly);
}

#ifdef SHOAL_X86_64
[[gnu::target("bmi2,popcnt")]] uint64_t extract_by_pext(uint64_t bits, uint64_t mask) { return _pext_u64(bits, mask); }

[[gnu::target("bmi2,popcnt")]] void pack_by_pext(const uint64_t* source, const uint64_t* mask, std::size_t words, uint64_t* out) {
    pack(source, mask, words, out, extract_by_pext);
}
#endif

struct Packing {
    void (*pack)(const uint64_t*, const uint64_t*, std::size_t, uint64_t*);
    int64_t cost;  // of a word, in the time that one entry of a row takes
};

const Packing& packing() {
    static const Packing by = [] {
#ifdef SHOAL_X86_64
        if (processor().bmi2 && processor().popcnt) return Packing{pack_by_pext, 1};
#endif
        return Packing{pack_plainly, 16};
    }();
    return by;
}

void set_bit(uint64_t* column, std::size_t i) { column[i / 64] |= uint64_t{1} << (i % 64); }

}  // namespace

bool Projection::suits(int64_t entries, int64_t records, int64_t columns) { return entries * sparsest >= records * columns; }

Projection::Projection(const Transactions& data, const Lists& ranked, std::size_t ranks) : data_(data), ranked_(ranked), slot_(ranks, -1) {}

void Projection::begin(std::size_t records, std::span<const int32_t> items) {
    for (int32_t item : items_) slot_[item] = -1;
    items_.assign(items.begin(), items.end());
    for (std::size_t c = 0; c < items_.size(); ++c) slot_[items_[c]] = static_cast<int32_t>(c);
    words_ = (records + 63) / 64;
    bits_.assign(items_.size() * words_, 0);
    hidden_ready_ = false;
}

void Projection::read(std::span<const int32_t> tids, std::span<const int32_t> items) {
    parent_ = nullptr;
    tids_.assign(tids.begin(), tids.end());
    begin(tids_.size(), items);
    fill_from_rows();
}

void Projection::fill_from_rows() {
    for (std::size_t i = 0; i < tids_.size(); ++i)
        for (int32_t rank : ranked_[tids_[i]])
            if (slot_[rank] >= 0) set_bit(bits_.data() + static_cast<std::size_t>(slot_[rank]) * words_, i);
}

void Projection::narrow(const Projection& parent, const uint64_t* mask, std::span<const int32_t> items) {
    const Packing& by = packing();
    parent_ = &parent;
    mask_.assign(mask, mask + parent.words_);
    tids_.clear();
    int64_t entries = 0;
    for (std::size_t w = 0; w < parent.words_; ++w)
        for (uint64_t word = mask[w]; word; word &= word - 1) {
            tids_.push_back(parent.tids_[w * 64 + static_cast<std::size_t>(std::countr_zero(word))]);
            entries += ranked_.length(tids_.back());
        }
    begin(tids_.size(), items);
    if (static_cast<int64_t>(items_.size() * parent.words_) * by.cost > entries) return fill_from_rows();
    for (int32_t item : items_)
        by.pack(parent.column(item), mask, parent.words_, bits_.data() + static_cast<std::size_t>(slot_[item]) * words_);
}

void Projection::prepare_hidden() {
    hidden_ready_ = true;
    const std::size_t n = data_.hidden_items.size();
    hidden_entries_ = 0;
    for (int32_t t : tids_) hidden_entries_ += data_.hidden_rows.length(t);
    hidden_suits_ = suits(hidden_entries_, static_cast<int64_t>(tids_.size()), static_cast<int64_t>(n));
    if (!hidden_suits_) return;
    fill_hidden();
    hidden_order_.resize(n);
    std::iota(hidden_order_.begin(), hidden_order_.end(), 0);
    std::ranges::stable_sort(hidden_order_, std::greater{}, [&](int32_t e) { return support_[e]; });
    hidden_support_.resize(n);
    for (std::size_t j = 0; j < n; ++j) hidden_support_[j] = support_[hidden_order_[j]];
}

void Projection::fill_hidden() {
    const Packing& by = packing();
    const std::size_t n = data_.hidden_items.size();
    hidden_bits_.assign(n * words_, 0);
    support_.assign(n, 0);
    const bool above = parent_ && parent_->hidden_ready_ && parent_->hidden_suits_;
    if (above && static_cast<int64_t>(n * parent_->words_) * by.cost <= hidden_entries_) {
        for (std::size_t e = 0; e < n; ++e) {
            uint64_t* column = hidden_bits_.data() + e * words_;
            by.pack(parent_->hidden_bits_.data() + e * parent_->words_, mask_.data(), parent_->words_, column);
            support_[e] = count_and(column, column, words_);
        }
        return;
    }
    for (std::size_t i = 0; i < tids_.size(); ++i)
        for (int32_t e : data_.hidden_rows[tids_[i]]) {
            ++support_[e];
            set_bit(hidden_bits_.data() + static_cast<std::size_t>(e) * words_, i);
        }
}

Breach Projection::worst(const uint64_t* cohort, int64_t records, int64_t limit, BreachCounter& counter) {
    if (!hidden_ready_) prepare_hidden();
    const int64_t by_rows =
        static_cast<int64_t>(words_) + records * hidden_entries_ / std::max<int64_t>(1, static_cast<int64_t>(tids_.size()));
    if (!hidden_suits_) return worst_by_rows(cohort, records, counter);
    const auto doubtful = std::ranges::upper_bound(hidden_support_, limit, std::greater{}) - hidden_support_.begin();
    if (by_rows < doubtful * static_cast<int64_t>(words_) / 4) return worst_by_rows(cohort, records, counter);
    Breach worst{-1, 0, records};
    std::size_t j = 0;
    for (; j < hidden_order_.size() && hidden_support_[j] > limit && hidden_support_[j] >= worst.holders; ++j) {
        const int64_t holders = count_and(cohort, hidden_bits_.data() + static_cast<std::size_t>(hidden_order_[j]) * words_, words_);
        const int32_t item = data_.hidden_items[hidden_order_[j]];
        if (holders > worst.holders || (holders == worst.holders && holders > 0 && item < worst.item)) worst = {item, holders, records};
    }
    if (worst.holders > limit || j == hidden_order_.size()) return worst;
    return {-1, std::max(worst.holders, std::min(limit, hidden_support_[j])), records};
}

Breach Projection::worst_by_rows(const uint64_t* cohort, int64_t records, BreachCounter& counter) {
    scratch_.clear();
    for (std::size_t w = 0; w < words_; ++w)
        for (uint64_t word = cohort[w]; word; word &= word - 1)
            scratch_.push_back(tids_[w * 64 + static_cast<std::size_t>(std::countr_zero(word))]);
    return counter.worst(scratch_, records);
}

}  // namespace shoal
