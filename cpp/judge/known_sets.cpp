#include "judge/known_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/parallel.hpp"
#include "base/per_machine.hpp"
#include "judge/work.hpp"

namespace shoal {

namespace {

// The records of two sets of records, and how many they are.
SHOAL_LOOP int64_t records_of_both_loop(uint64_t* both, const uint64_t* a, const uint64_t* b, std::size_t words) {
    int64_t total = 0;
    for (std::size_t i = 0; i < words; ++i) {
        both[i] = a[i] & b[i];
        total += std::popcount(both[i]);
    }
    return total;
}
SHOAL_PER_MACHINE(records_of_both, (uint64_t * both, const uint64_t* a, const uint64_t* b, std::size_t words), both, a, b, words)

__extension__ typedef __int128 Wide;

// Items of each record, in one piece of memory.
struct Table {
    std::vector<int64_t> start{0};
    std::vector<int32_t> items;

    void close() { start.push_back(static_cast<int64_t>(items.size())); }
};

// A record that holds a set, and where in the table its items behind the set's last one begin.
struct Holder {
    int32_t record;
    int64_t behind;
};

// Open items are numbered by rising frequency, so that the sets that begin with one item are about as much work as those of another.
struct NumberedRecords {
    Table open, hidden;
    std::vector<int32_t> item;  // of each number
    std::vector<int64_t> owner;
};

NumberedRecords numbered_records(const Shown& shown) {
    const auto items = static_cast<int64_t>(shown.open.size());
    std::vector<int64_t> frequency(items, 0);
    for (int64_t row : shown.row)
        for (int32_t id : shown.rows.row_ids(row)) ++frequency[id];
    NumberedRecords out;
    for (int32_t id = 0; id < items; ++id)
        if (shown.open[id] && frequency[id] > 0) out.item.push_back(id);
    std::ranges::stable_sort(out.item, {}, [&](int32_t id) { return frequency[id]; });
    std::vector<int32_t> number(items, -1);
    for (std::size_t i = 0; i < out.item.size(); ++i) number[out.item[i]] = static_cast<int32_t>(i);
    for (int64_t row : shown.row) {
        for (int32_t id : shown.rows.row_ids(row)) {
            if (number[id] >= 0) out.open.items.push_back(number[id]);
            if (shown.hidden[id]) out.hidden.items.push_back(id);
        }
        std::sort(out.open.items.begin() + out.open.start.back(), out.open.items.end());
        out.open.close();
        out.hidden.close();
    }
    out.owner.assign(shown.owner.begin(), shown.owner.end());
    return out;
}

// Whether a / of is more than b / other.
bool greater(int64_t a, int64_t of, int64_t b, int64_t other) { return static_cast<Wide>(a) * other > static_cast<Wide>(b) * of; }

// The hidden item of the greatest share; the lowest number wins ties.
struct Worst {
    int32_t item = -1;
    int64_t holders = 0, cohort = 1;

    void take(int32_t candidate, int64_t n, int64_t of) {
        if (greater(n, of, holders, cohort)) item = candidate, holders = n, cohort = of;
    }
};

void take(KnownSets& all, KnownSets&& part, int64_t most_examples) {
    all.counted += part.counted;
    all.few += part.few;
    all.telling += part.telling;
    for (UnsafeSet& set : part.examples)
        if (static_cast<int64_t>(all.examples.size()) < most_examples) all.examples.push_back(std::move(set));
    if (part.fewest >= 0 && (all.fewest < 0 || part.fewest < all.fewest)) all.fewest = part.fewest;
    if (greater(part.holders, part.cohort, all.holders, all.cohort)) all.holders = part.holders, all.cohort = part.cohort;
}

// Counts sets for one thread.
class Counter {
public:
    Counter(const NumberedRecords& data, int64_t items, int64_t size, const Limits& limits, int64_t most_examples, Task& task)
        : data_(data),
          work_(task),
          size_(size),
          limits_(limits),
          most_examples_(most_examples),
          records_(items, 0),
          people_(items, 0),
          last_(items, -1),
          filled_(data.item.size() + 1, 0) {
        levels_.resize(static_cast<std::size_t>(std::max<int64_t>(size, 1)));
    }

    // All sets that begin with this item, which these records hold.
    void count_from(int32_t item, std::span<const Holder> holders, KnownSets& out) {
        set_.assign(1, item);
        if (data_.owner.empty() && dense(holders))
            count_bits(holders, out);
        else
            count(holders, out);
        work_.flush();
    }

    // All sets that begin with the items in `set_`, which these records hold.
    void count(std::span<const Holder> holders, KnownSets& out) {
        work_.add(kPerSet + static_cast<int64_t>(holders.size()));
        if (static_cast<int64_t>(set_.size()) == size_) return judge(holders, out);
        if (static_cast<int64_t>(set_.size()) + 1 == size_ && data_.hidden.items.empty()) return judge_numbers(holders, out);
        Level& level = levels_[set_.size()];
        hand_on(holders, level);
        for (std::size_t i = 0; i < level.present.size(); ++i) {
            set_.push_back(level.present[i]);
            count(std::span<const Holder>(level.holders).subspan(level.start[i], level.start[i + 1] - level.start[i]), out);
            set_.pop_back();
        }
    }

private:
    static constexpr int64_t kPerSet = 4;  // steps for a set, besides those for its records

    // The records of a set handed on to the sets with one item more: `present` items, each with its part of `holders`.
    struct Level {
        std::vector<int32_t> present;
        std::vector<int64_t> start;
        std::vector<Holder> holders;
    };

    void hand_on(std::span<const Holder> from, Level& level) {
        level.present.clear();
        const auto& items = data_.open.items;
        for (const Holder& h : from)
            for (int64_t at = h.behind; at < data_.open.start[h.record + 1]; ++at)
                if (filled_[items[at]]++ == 0) level.present.push_back(items[at]);
        std::ranges::sort(level.present);
        level.start.assign(1, 0);
        for (int32_t item : level.present) {
            level.start.push_back(level.start.back() + filled_[item]);
            filled_[item] = level.start[level.start.size() - 2];
        }
        work_.add(3 * level.start.back() + 8 * static_cast<int64_t>(level.present.size()));
        level.holders.resize(level.start.back());
        for (const Holder& h : from)
            for (int64_t at = h.behind; at < data_.open.start[h.record + 1]; ++at)
                level.holders[filled_[items[at]]++] = {h.record, at + 1};
        for (int32_t item : level.present) filled_[item] = 0;
    }

    // Whether a set that begins as `set_` has, on average, so many records that a bit for each is less work than a list of them.
    bool dense(std::span<const Holder> holders) const {
        if (size_ < 2 || holders.size() < 64) return false;
        int64_t behind = 0;
        for (const Holder& h : holders) behind += data_.open.start[h.record + 1] - h.behind;
        const auto further = static_cast<double>(data_.item.size()) - 1 - set_.front();
        if (further <= 0) return false;
        const double share = static_cast<double>(behind) / (further * static_cast<double>(holders.size()));
        return std::pow(share, static_cast<double>(size_ - 1)) > 1.0 / 64;
    }

    // The records that begin with the item as bits, one column for each item behind it, and one for each size of set.
    void count_bits(std::span<const Holder> holders, KnownSets& out) {
        members_ = holders;
        words_ = (holders.size() + 63) / 64;
        offset_ = set_.front() + 1;
        columns_.assign((data_.item.size() - offset_) * words_, 0);
        sets_.assign(static_cast<std::size_t>(size_) * words_, 0);
        for (std::size_t i = 0; i < holders.size(); ++i) {
            sets_[i / 64] |= uint64_t{1} << (i % 64);
            for (int64_t at = holders[i].behind; at < data_.open.start[holders[i].record + 1]; ++at)
                columns_[(data_.open.items[at] - offset_) * words_ + i / 64] |= uint64_t{1} << (i % 64);
        }
        hide_bits(holders);
        extend_bits(out);
    }

    // A column for each hidden item too, where that is less work than going through the records of every set.
    void hide_bits(std::span<const Holder> holders) {
        const auto& hidden = data_.hidden;
        int64_t occurrences = 0;
        veiled_.clear();
        for (const Holder& h : holders)
            for (int64_t at = hidden.start[h.record]; at < hidden.start[h.record + 1]; ++at, ++occurrences)
                if (records_[hidden.items[at]]++ == 0) veiled_.push_back(hidden.items[at]);
        std::ranges::sort(veiled_);
        for (std::size_t i = 0; i < veiled_.size(); ++i) records_[veiled_[i]] = static_cast<int64_t>(i);
        by_columns_ = static_cast<int64_t>(veiled_.size() * words_) <= occurrences / 8;
        if (by_columns_) {
            veils_.assign((veiled_.size() + 1) * words_, 0);  // the last one is for results
            for (std::size_t i = 0; i < holders.size(); ++i)
                for (int64_t at = hidden.start[holders[i].record]; at < hidden.start[holders[i].record + 1]; ++at)
                    veils_[records_[hidden.items[at]] * words_ + i / 64] |= uint64_t{1} << (i % 64);
        }
        for (int32_t item : veiled_) records_[item] = 0;
    }

    void judge_hidden_bits(const uint64_t* set, int64_t people, KnownSets& out) {
        work_.add(static_cast<int64_t>(veiled_.size()) * (kPerSet + static_cast<int64_t>(words_)));
        Worst worst;
        for (std::size_t i = 0; i < veiled_.size(); ++i)
            worst.take(veiled_[i], records_of_both(&veils_[veiled_.size() * words_], set, &veils_[i * words_], words_), people);
        note_hidden(worst, people, out);
    }

    void extend_bits(KnownSets& out) {
        const auto further = static_cast<int64_t>(data_.item.size()) - set_.back() - 1;
        work_.add(kPerSet + further * (kPerSet + static_cast<int64_t>(words_)));
        const uint64_t* now = sets_.data() + (set_.size() - 1) * words_;
        uint64_t* next = sets_.data() + set_.size() * words_;
        for (auto item = static_cast<std::size_t>(set_.back()) + 1; item < data_.item.size(); ++item) {
            const int64_t people = records_of_both(next, now, columns_.data() + (item - offset_) * words_, words_);
            if (people == 0) continue;
            set_.push_back(static_cast<int32_t>(item));
            if (static_cast<int64_t>(set_.size()) < size_)
                extend_bits(out);
            else if (note_people(people, out) && !veiled_.empty())
                by_columns_ ? judge_hidden_bits(next, people, out) : judge_hidden(holders_of(next), people, out);
            set_.pop_back();
        }
    }

    std::span<const Holder> holders_of(const uint64_t* set) {
        listed_.clear();
        for (std::size_t word = 0; word < words_; ++word)
            for (uint64_t bits = set[word]; bits != 0; bits &= bits - 1) listed_.push_back(members_[word * 64 + std::countr_zero(bits)]);
        return listed_;
    }

    // The last step where nothing is hidden: only numbers of people are wanted.
    void judge_numbers(std::span<const Holder> from, KnownSets& out) {
        Level& level = levels_[set_.size()];
        level.present.clear();
        const auto& items = data_.open.items;
        const bool alone = data_.owner.empty();
        if (last_of_.empty()) last_of_.assign(data_.item.size(), -1);
        for (const Holder& h : from) {
            work_.add(data_.open.start[h.record + 1] - h.behind);
            for (int64_t at = h.behind; at < data_.open.start[h.record + 1]; ++at) {
                const int32_t item = items[at];
                if (filled_[item] == 0) level.present.push_back(item);
                if (alone || filled_[item] == 0 || last_of_[item] != data_.owner[h.record]) ++filled_[item];
                if (!alone) last_of_[item] = data_.owner[h.record];
            }
        }
        std::ranges::sort(level.present);
        work_.add(8 * static_cast<int64_t>(level.present.size()));
        for (int32_t item : level.present) {
            set_.push_back(item);
            note_people(filled_[item], out);
            set_.pop_back();
            filled_[item] = 0;
        }
    }

    bool note_people(int64_t people, KnownSets& out) {
        ++out.counted;
        if (out.fewest < 0 || people < out.fewest) out.fewest = people;
        if (people >= limits_.k) return true;
        ++out.few;
        remember(people, -1, 0, 1, out);
        return false;
    }

    void judge(std::span<const Holder> holders, KnownSets& out) {
        int64_t people = static_cast<int64_t>(holders.size());
        if (!data_.owner.empty()) {
            people = 0;
            for (std::size_t i = 0; i < holders.size(); ++i)
                people += i == 0 || data_.owner[holders[i - 1].record] != data_.owner[holders[i].record];
        }
        if (note_people(people, out) && !data_.hidden.items.empty()) judge_hidden(holders, people, out);
    }

    // The share of each hidden item, among the records that hold the set and among the people behind them.
    void judge_hidden(std::span<const Holder> holders, int64_t people, KnownSets& out) {
        touched_.clear();
        for (const Holder& h : holders) {
            work_.add(1 + data_.hidden.start[h.record + 1] - data_.hidden.start[h.record]);
            const int64_t owner = data_.owner.empty() ? h.record : data_.owner[h.record];
            for (int64_t at = data_.hidden.start[h.record]; at < data_.hidden.start[h.record + 1]; ++at) {
                const int32_t item = data_.hidden.items[at];
                if (records_[item]++ == 0) touched_.push_back(item);
                if (records_[item] == 1 || last_[item] != owner) ++people_[item];
                last_[item] = owner;
            }
        }
        Worst worst;
        std::ranges::sort(touched_);
        for (int32_t item : touched_) {
            worst.take(item, records_[item], static_cast<int64_t>(holders.size()));
            worst.take(item, people_[item], people);
            records_[item] = people_[item] = 0;
        }
        note_hidden(worst, people, out);
    }

    void note_hidden(const Worst& worst, int64_t people, KnownSets& out) {
        if (greater(worst.holders, worst.cohort, out.holders, out.cohort)) out.holders = worst.holders, out.cohort = worst.cohort;
        if (!greater(worst.holders, worst.cohort, limits_.numerator, limits_.denominator)) return;
        ++out.telling;
        remember(people, worst.item, worst.holders, worst.cohort, out);
    }

    void remember(int64_t people, int32_t hidden, int64_t holders, int64_t cohort, KnownSets& out) {
        if (static_cast<int64_t>(out.examples.size()) >= most_examples_) return;
        UnsafeSet set{{}, people, hidden, holders, cohort};
        for (int32_t number : set_) set.items.push_back(data_.item[number]);
        std::ranges::sort(set.items);
        out.examples.push_back(std::move(set));
    }

    const NumberedRecords& data_;
    Work work_;
    int64_t size_;
    Limits limits_;
    int64_t most_examples_;
    std::vector<int32_t> set_;
    std::vector<Level> levels_;
    std::vector<int64_t> records_, people_, last_, last_of_;
    std::vector<int64_t> filled_;  // per item, zero between uses: a step of the search clears it before the next one begins
    std::vector<int32_t> touched_;
    std::span<const Holder> members_;
    std::size_t words_ = 0, offset_ = 0;
    std::vector<uint64_t> columns_, sets_, veils_;
    std::vector<int32_t> veiled_;  // hidden items of the members
    bool by_columns_ = false;
    std::vector<Holder> listed_;
};

}  // namespace

KnownSets known_sets(const Shown& shown, int64_t size, const Limits& limits, int64_t most_examples, int threads, Task& task) {
    const NumberedRecords data = numbered_records(shown);
    const auto items = static_cast<int64_t>(shown.open.size()), numbers = static_cast<int64_t>(data.item.size());
    KnownSets out;
    if (shown.row.empty()) return out;
    if (size == 0) {
        std::vector<Holder> everyone;
        for (int32_t i = 0; i < static_cast<int32_t>(shown.row.size()); ++i) everyone.push_back({i, data.open.start[i]});
        Counter(data, items, size, limits, most_examples, task).count(everyone, out);
        return out;
    }
    std::vector<std::vector<Holder>> holders(numbers);
    for (std::size_t i = 0; i + 1 < data.open.start.size(); ++i)
        for (int64_t at = data.open.start[i]; at < data.open.start[i + 1]; ++at)
            holders[data.open.items[at]].push_back({static_cast<int32_t>(i), at + 1});
    std::vector<KnownSets> parts(numbers);
    std::vector<std::unique_ptr<Counter>> workers(static_cast<std::size_t>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(numbers, 1))));
    task.begin(numbers);
    parallel_blocks(numbers, 1, threads, task, [&](int64_t first, int64_t, int worker) {
        if (!workers[worker]) workers[worker] = std::make_unique<Counter>(data, items, size, limits, most_examples, task);
        workers[worker]->count_from(static_cast<int32_t>(first), holders[first], parts[first]);
    });
    for (KnownSets& part : parts) take(out, std::move(part), most_examples);
    return out;
}

}  // namespace shoal
