#include "judge/certainty.hpp"

#include <algorithm>
#include <memory>

#include "base/parallel.hpp"
#include "judge/work.hpp"

namespace shoal {

namespace {

__extension__ typedef __int128 Wide;

using Records = std::vector<int32_t>;  // rising numbers of records

// Items numbered by rising frequency: the records' open items, and the records of each item.
struct NumberedItems {
    std::vector<int32_t> item;               // of each number
    std::vector<std::vector<int32_t>> rows;  // numbers of each record, rising
    std::vector<Records> holders;            // of each number
    std::vector<Records> hidden;             // records of each hidden item, by item
    std::vector<int32_t> number;             // of each item, -1 where it is not open
    std::span<const int64_t> owner;
};

NumberedItems numbered_items(const Shown& shown) {
    const auto items = static_cast<int32_t>(shown.open.size());
    std::vector<int64_t> frequency(items, 0);
    for (int64_t row : shown.row)
        for (int32_t id : shown.rows.row_ids(row)) ++frequency[id];
    NumberedItems out;
    out.owner = shown.owner;
    for (int32_t id = 0; id < items; ++id)
        if (shown.open[id] && frequency[id] > 0) out.item.push_back(id);
    std::ranges::stable_sort(out.item, {}, [&](int32_t id) { return frequency[id]; });
    out.number.assign(items, -1);
    for (std::size_t i = 0; i < out.item.size(); ++i) out.number[out.item[i]] = static_cast<int32_t>(i);
    out.rows.resize(shown.row.size());
    out.holders.resize(out.item.size());
    out.hidden.resize(items);
    for (std::size_t i = 0; i < shown.row.size(); ++i) {
        for (int32_t id : shown.rows.row_ids(shown.row[i])) {
            if (out.number[id] >= 0) out.rows[i].push_back(out.number[id]);
            if (shown.hidden[id]) out.hidden[id].push_back(static_cast<int32_t>(i));
        }
        std::ranges::sort(out.rows[i]);
        for (int32_t number : out.rows[i]) out.holders[number].push_back(static_cast<int32_t>(i));
    }
    return out;
}

constexpr int64_t kMostHeld = int64_t{512} << 20;  // bytes that the open branches of one search may hold

// How many steps `common` takes.
int64_t steps_of_common(const Records& some, const Records& others) {
    const auto fewer = static_cast<int64_t>(some.size()), more = static_cast<int64_t>(others.size());
    return 16 + (fewer * 16 > more ? fewer + more : fewer * 16);
}

// The records of `some` that are among the others too; those are many more, as a rule.
Records common(const Records& some, const Records& others) {
    Records out;
    if (some.size() * 16 > others.size()) {
        std::ranges::set_intersection(some, others, std::back_inserter(out));
        return out;
    }
    auto from = others.begin();
    for (int32_t record : some) {
        from = std::lower_bound(from, others.end(), record);
        if (from == others.end()) break;
        if (*from == record) out.push_back(record);
    }
    return out;
}

bool more(int64_t a, int64_t of, int64_t b, int64_t other) { return static_cast<Wide>(a) * other > static_cast<Wide>(b) * of; }

// What a record with the hidden item leaves to chance: records that hold all else of it without the item, and people who never hold it.
struct Without {
    int64_t records, people;
};

// The search for one hidden item at a time.
class Searcher {
public:
    Searcher(const NumberedItems& data, int64_t most, Task& task)
        : data_(data), work_(task), most_(most), having_(data.rows.size(), 0), known_(data.item.size(), 0), filled_(data.item.size(), 0) {}

    TellingRule search(int32_t hidden, int64_t& searched) {
        best_ = {{}, hidden, 0, 1};
        itself_ = data_.number[hidden];
        const Records& with = data_.hidden[hidden];
        for (int32_t record : with) having_[record] = 1;
        note_owners(with);
        find_without(with);
        begin(with, searched);
        work_.flush();
        for (int32_t record : with) having_[record] = 0;
        std::ranges::sort(best_.known);
        return std::move(best_);
    }

private:
    bool limited() const { return most_ >= 0; }

    bool owned() const { return !data_.owner.empty(); }

    int64_t people(const Records& records) const {
        int64_t n = 0;
        for (std::size_t i = 0; i < records.size(); ++i) n += i == 0 || data_.owner[records[i - 1]] != data_.owner[records[i]];
        return n;
    }

    void note_owners(const Records& with) {
        having_owner_.clear();
        if (!owned()) return;
        for (int32_t record : with) having_owner_.push_back(data_.owner[record]);  // rises with the records
    }

    bool never_has(int64_t owner) const { return !std::ranges::binary_search(having_owner_, owner); }

    Records everyone() const {
        Records all(data_.rows.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
        return all;
    }

    // For each record with the item, who holds all else of it; this is also the rule of that record's largest set.
    void find_without(const Records& with) {
        without_.clear();
        for (int32_t record : with) {
            std::vector<int32_t> rest;
            for (int32_t number : data_.rows[record])
                if (number != itself_) rest.push_back(number);
            Records all = rest.empty() ? everyone() : data_.holders[rest.front()];
            work_.add(static_cast<int64_t>(rest.size() + all.size()));
            for (std::size_t i = 1; i < rest.size(); ++i) {
                work_.add(steps_of_common(all, data_.holders[rest[i]]));
                all = common(all, data_.holders[rest[i]]);
            }
            Records both, lacking, never;
            for (int32_t other : all) {
                (having_[other] ? both : lacking).push_back(other);
                if (owned() && never_has(data_.owner[other])) never.push_back(other);
            }
            without_.push_back({static_cast<int64_t>(lacking.size()), owned() ? people(never) : 0});
            if (!limited() || static_cast<int64_t>(rest.size()) <= most_) judge(rest, both, all);
        }
    }

    void judge(const std::vector<int32_t>& known, const Records& both, const Records& all) {
        take(known, static_cast<int64_t>(both.size()), static_cast<int64_t>(all.size()));
        if (owned()) take(known, people(both), people(all));
    }

    void take(const std::vector<int32_t>& known, int64_t holders, int64_t cohort) {
        if (!more(holders, cohort, best_.holders, best_.cohort)) return;
        best_.holders = holders;
        best_.cohort = cohort;
        best_.known.clear();
        for (int32_t number : known) best_.known.push_back(data_.item[number]);
    }

    // A branch: places in the list of records with the item, and all records that hold the set.
    struct Branch {
        std::vector<int32_t> with;
        Records all;
    };

    void begin(const Records& with, int64_t& searched) {
        list_ = &with;
        Branch root{{}, everyone()};
        for (std::size_t place = 0; place < with.size(); ++place) root.with.push_back(static_cast<int32_t>(place));
        set_.clear();
        if (!limited()) root.all = add(closure(root.with, -1), root.all);
        judge_branch(root);
        ++searched;
        if (most_ != 0) extend(root, -1, searched);
        forget(0);
    }

    void judge_branch(const Branch& branch) {
        work_.add(static_cast<int64_t>(2 * branch.with.size() + (owned() ? branch.all.size() : 0)));
        Records both;
        for (int32_t place : branch.with) both.push_back((*list_)[place]);
        judge(set_, both, branch.all);
    }

    // Whether a set of the branch could be more certain than the best that was found.
    bool matters(const std::vector<int32_t>& with) const {
        const auto records = static_cast<int64_t>(with.size());
        int64_t fewest = without_[with.front()].records, fewest_people = without_[with.front()].people, holders = 0;
        for (std::size_t i = 0; i < with.size(); ++i) {
            fewest = std::min(fewest, without_[with[i]].records);
            fewest_people = std::min(fewest_people, without_[with[i]].people);
            holders += owned() && (i == 0 || having_owner_[with[i - 1]] != having_owner_[with[i]]);
        }
        if (more(records, records + fewest, best_.holders, best_.cohort)) return true;
        return owned() && more(holders, holders + fewest_people, best_.holders, best_.cohort);
    }

    // The numbers that all these records hold, but for the item itself, those of the set, and `core`.
    std::vector<int32_t> closure(const std::vector<int32_t>& with, int32_t core) {
        std::vector<int32_t> shared;
        const auto& first = data_.rows[(*list_)[with.front()]];
        work_.add(static_cast<int64_t>(first.size()));
        for (int32_t number : first)
            if (number != itself_ && number != core && !known_[number]) shared.push_back(number);
        for (std::size_t i = 1; i < with.size() && !shared.empty(); ++i) {
            const auto& row = data_.rows[(*list_)[with[i]]];
            work_.add(8 * static_cast<int64_t>(shared.size()));
            std::erase_if(shared, [&](int32_t number) { return !std::ranges::binary_search(row, number); });
        }
        return shared;
    }

    // Adds numbers to the set; of the records that held it before, those that hold it now.
    Records add(const std::vector<int32_t>& numbers, const Records& before) {
        Records all;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            known_[numbers[i]] = 1;
            set_.push_back(numbers[i]);
            const Records& holders = data_.holders[numbers[i]];
            work_.add(set_.size() == 1 ? static_cast<int64_t>(holders.size()) : steps_of_common(i == 0 ? before : all, holders));
            all = set_.size() == 1 ? holders : common(i == 0 ? before : all, holders);
        }
        return numbers.empty() ? before : all;
    }

    void forget(std::size_t size) {
        for (; set_.size() > size; set_.pop_back()) known_[set_.back()] = 0;
    }

    // Open branches hold memory, most where sets may be long: beyond a limit the search ends.
    void hold(int64_t bytes) {
        held_ += bytes;
        if (held_ > kMostHeld) throw OutOfPatience("memory");
    }

    void extend(const Branch& from, int32_t core, int64_t& searched) {
        std::vector<int32_t> present;
        int64_t entries = 0;
        for (int32_t place : from.with) entries += static_cast<int64_t>(data_.rows[(*list_)[place]].size());
        work_.add(16 + 4 * entries);
        for (int32_t place : from.with)
            for (int32_t number : data_.rows[(*list_)[place]])
                if (number > core && number != itself_ && !known_[number] && filled_[number]++ == 0) present.push_back(number);
        std::ranges::sort(present);
        std::vector<std::vector<int32_t>> places(present.size());
        int64_t bytes = static_cast<int64_t>(present.size() * 64 + (from.with.size() + from.all.size()) * sizeof(int32_t));
        for (int32_t number : present) bytes += filled_[number] * static_cast<int64_t>(sizeof(int32_t));
        hold(bytes);
        for (std::size_t i = 0; i < present.size(); ++i) places[i].reserve(filled_[present[i]]);
        for (std::size_t i = 0; i < present.size(); ++i) filled_[present[i]] = static_cast<int64_t>(i) + 1;
        for (int32_t place : from.with)
            for (int32_t number : data_.rows[(*list_)[place]])
                if (filled_[number] > 0) places[filled_[number] - 1].push_back(place);
        for (int32_t number : present) filled_[number] = 0;
        for (std::size_t i = 0; i < present.size(); ++i) branch_off(from, present[i], std::move(places[i]), searched);
        held_ -= bytes;
    }

    void branch_off(const Branch& from, int32_t number, std::vector<int32_t>&& with, int64_t& searched) {
        work_.add(8 + 2 * static_cast<int64_t>(with.size()));
        if (!matters(with)) return;
        std::vector<int32_t> further;
        if (!limited()) {
            further = closure(with, number);  // where it has lower numbers, the same set is reached from those
            if (std::ranges::any_of(further, [&](int32_t other) { return other < number; })) return;
        }
        const std::size_t size = set_.size();
        further.insert(further.begin(), number);
        const Branch branch{std::move(with), add(further, from.all)};
        ++searched;
        judge_branch(branch);
        if (!limited() || static_cast<int64_t>(set_.size()) < most_) extend(branch, number, searched);
        forget(size);
    }

    const NumberedItems& data_;
    Work work_;
    int64_t most_, held_ = 0;
    int32_t itself_ = -1;
    const Records* list_ = nullptr;
    std::vector<char> having_, known_;
    std::vector<int64_t> filled_, having_owner_;
    std::vector<Without> without_;
    std::vector<int32_t> set_;
    TellingRule best_;
};

}  // namespace

Certainty greatest_certainty(const Shown& shown, int64_t most, int threads, Task& task) {
    const NumberedItems data = numbered_items(shown);
    std::vector<int32_t> hidden;
    for (std::size_t id = 0; id < data.hidden.size(); ++id)
        if (!data.hidden[id].empty()) hidden.push_back(static_cast<int32_t>(id));
    const auto n = static_cast<int64_t>(hidden.size());
    Certainty out;
    out.rules.resize(n);
    std::vector<int64_t> searched(n, 0);
    std::vector<std::unique_ptr<Searcher>> workers(static_cast<std::size_t>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(n, 1))));
    task.begin(n);
    parallel_blocks(n, 1, threads, task, [&](int64_t i, int64_t, int worker) {
        if (!workers[worker]) workers[worker] = std::make_unique<Searcher>(data, most, task);
        out.rules[i] = workers[worker]->search(hidden[i], searched[i]);
    });
    for (int64_t count : searched) out.searched += count;
    return out;
}

}  // namespace shoal
