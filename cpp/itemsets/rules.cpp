#include "itemsets/rules.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>

#include "base/parallel.hpp"

namespace shoal {

namespace {

// Records and people that hold all of a record but the hidden item: records without the item, and people who hold it in no record.
struct Chance {
    int64_t records, people;
};

// Items renumbered: those that X must hold one of come first, then by rising frequency. Hidden items have places of their own.
struct Numbered {
    std::vector<int32_t> item;         // of each number
    int64_t starts = 0;                // numbers that X may begin with
    Lists rows;                        // numbers of each record, rising
    Lists holders;                     // records of each number
    std::vector<int32_t> hidden_item;  // of each place
    std::vector<int32_t> place;        // of each number, -1 where it is not hidden
    Lists hidden;                      // places of each record's hidden items
    std::vector<Chance> chance;        // of each of those
    std::span<const int64_t> owners;

    int64_t people(std::span<const int32_t> records) const {
        int64_t n = 0;
        for (std::size_t i = 0; i < records.size(); ++i) n += i == 0 || owners[records[i - 1]] != owners[records[i]];
        return n;
    }
};

void number_items(const RuleRecords& in, Numbered& out) {
    std::vector<int64_t> frequency(in.hidden.size(), 0);
    for (int32_t id : in.rows.ids) ++frequency[id];
    const auto begins = [&](int32_t id) { return in.first.empty() || in.first[id] != 0; };
    for (std::size_t id = 0; id < frequency.size(); ++id)
        if (frequency[id] > 0) out.item.push_back(static_cast<int32_t>(id));
    std::ranges::stable_sort(out.item, {}, [&](int32_t id) { return std::pair(!begins(id), frequency[id]); });
    out.starts = std::ranges::count_if(out.item, begins);
    out.place.assign(out.item.size(), -1);
    for (std::size_t i = 0; i < out.item.size(); ++i)
        if (in.hidden[out.item[i]]) {
            out.place[i] = static_cast<int32_t>(out.hidden_item.size());
            out.hidden_item.push_back(out.item[i]);
        }
}

void number_rows(const RuleRecords& in, Numbered& out) {
    std::vector<int32_t> number(in.hidden.size(), -1);
    for (std::size_t i = 0; i < out.item.size(); ++i) number[out.item[i]] = static_cast<int32_t>(i);
    for (int64_t row = 0; row < in.rows.size(); ++row) {
        for (int32_t id : in.rows.row_ids(row)) out.rows.values.push_back(number[id]);
        std::sort(out.rows.values.begin() + out.rows.start.back(), out.rows.values.end());
        out.rows.close();
    }
    out.holders = transpose(out.rows, static_cast<int64_t>(out.item.size()));
}

// Who holds all numbers of a row but one, which is hidden; `having` are the people who hold that one, rising.
Chance chance_of(const Numbered& data, std::span<const int32_t> row, int32_t itself, const std::vector<int64_t>& having) {
    std::vector<int32_t> others, all, narrowed;
    std::ranges::remove_copy(row, std::back_inserter(others), itself);
    std::ranges::sort(others, {}, [&](int32_t number) { return data.holders.length(number); });  // what narrows most first
    for (int32_t number : others) {
        const auto holders = data.holders[number];
        if (number == others.front()) {
            all.assign(holders.begin(), holders.end());
        } else {
            intersect(all, holders, narrowed);
            std::swap(all, narrowed);
        }
    }
    if (others.empty())
        for (int32_t record = 0; record < data.rows.size(); ++record) all.push_back(record);
    const auto with = data.holders[itself];
    narrowed.clear();
    std::ranges::set_difference(all, with, std::back_inserter(narrowed));
    const auto records = static_cast<int64_t>(narrowed.size());
    if (data.owners.empty()) return {records, 0};
    std::erase_if(narrowed, [&](int32_t record) { return std::ranges::binary_search(having, data.owners[record]); });
    return {records, data.people(narrowed)};
}

// The people who hold each hidden item, rising; nothing where everybody owns one record.
std::vector<std::vector<int64_t>> people_with_hidden(const Numbered& data) {
    std::vector<std::vector<int64_t>> having(data.hidden_item.size());
    for (std::size_t i = 0; i < data.item.size() && !data.owners.empty(); ++i)
        if (data.place[i] >= 0)
            for (int32_t record : data.holders[static_cast<int64_t>(i)]) having[data.place[i]].push_back(data.owners[record]);
    return having;
}

// Records that X may be part of and that hold something hidden; identical ones follow one another.
std::vector<int32_t> asked_records(const Numbered& data) {
    std::vector<int32_t> out;
    for (int32_t record = 0; record < data.rows.size(); ++record) {
        const auto row = data.rows[record];
        const bool wanted = data.starts == static_cast<int64_t>(data.item.size()) || (!row.empty() && row.front() < data.starts);
        if (wanted && std::ranges::any_of(row, [&](int32_t number) { return data.place[number] >= 0; })) out.push_back(record);
    }
    std::ranges::sort(out, [&](int32_t a, int32_t b) { return std::ranges::lexicographical_compare(data.rows[a], data.rows[b]); });
    return out;
}

// The chances of all hidden items in all records that X may be part of; identical records have the same.
void find_chances(Numbered& data, int threads, Task& task) {
    const auto having = people_with_hidden(data);
    const std::vector<int32_t> asked = asked_records(data);
    data.hidden.start.assign(static_cast<std::size_t>(data.rows.size()) + 1, 0);
    for (int32_t record : asked)
        data.hidden.start[record + 1] = std::ranges::count_if(data.rows[record], [&](int32_t number) { return data.place[number] >= 0; });
    std::partial_sum(data.hidden.start.begin(), data.hidden.start.end(), data.hidden.start.begin());
    data.hidden.values.resize(static_cast<std::size_t>(data.hidden.start.back()));
    data.chance.resize(data.hidden.values.size());
    const auto same = [&](std::size_t i) { return i > 0 && std::ranges::equal(data.rows[asked[i - 1]], data.rows[asked[i]]); };
    task.begin(static_cast<int64_t>(asked.size()));
    parallel_blocks(static_cast<int64_t>(asked.size()), 64, threads, task, [&](int64_t begin, int64_t end, int) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const auto row = data.rows[asked[i]];
            int64_t at = data.hidden.start[asked[i]];
            const bool known = static_cast<int64_t>(i) > begin && same(i);
            int64_t like = known ? data.hidden.start[asked[i - 1]] : 0;
            for (int32_t number : row) {
                if (data.place[number] < 0) continue;
                data.hidden.values[at] = data.place[number];
                data.chance[at++] = known ? data.chance[like++] : chance_of(data, row, number, having[data.place[number]]);
            }
        }
    });
}

// A record that holds a set, and where its numbers behind the set's last one begin.
struct Holder {
    int32_t record;
    int64_t behind;
};

using Holders = std::vector<Holder>;

// Records that were looked at, over all sets, sizes and threads. The sum decides whether the search ends, so threads make no difference.
class Work {
public:
    explicit Work(int64_t most) : most_(most) {}
    void add(int64_t records) {
        if (done_.fetch_add(records, std::memory_order_relaxed) + records > most_) throw OutOfPatience("sets of items");
    }

private:
    const int64_t most_;
    std::atomic<int64_t> done_{0};
};

// Looks at sets for one thread.
class Finder {
public:
    Finder(const Numbered& data, const RuleQuestion& question, Work& work)
        : data_(data),
          question_(question),
          work_(work),
          filled_(data.item.size(), 0),
          tally_(data.hidden_item.size()),
          inside_(data.hidden_item.size(), 0) {}

    void find(std::span<const int32_t> begin, const Holders& holders, Rules& out, Task& task) {
        set_.assign(begin.begin(), begin.end());
        for (int32_t number : set_) mark(number, 1);
        visit(holders, out, task);
        for (int32_t number : set_) mark(number, 0);
    }

private:
    // How many of the holders of a set hold one hidden item, and the least chance that any of their records leaves.
    struct Tally {
        int64_t records = 0, people = 0;
        Chance least{};
        int64_t last_owner = -1;
    };

    void mark(int32_t number, char inside) {
        if (data_.place[number] >= 0) inside_[data_.place[number]] = inside;
    }

    void visit(const Holders& holders, Rules& out, Task& task) {
        task.check();
        if (!out.complete) return;
        work_.add(static_cast<int64_t>(holders.size()));
        count(holders);
        if (static_cast<int64_t>(set_.size()) == question_.size) return judge(holders, out);
        if (!std::ranges::any_of(counted_, [&](const Tally& tally) { return may_breach(tally); })) return;
        extend(holders, out, task);
    }

    void count(const Holders& holders) {
        touched_.clear();
        for (const Holder& h : holders)
            for (int64_t at = data_.hidden.start[h.record]; at < data_.hidden.start[h.record + 1]; ++at) {
                const int32_t place = data_.hidden.values[at];
                if (inside_[place]) continue;
                Tally& tally = tally_[place];
                const Chance& chance = data_.chance[at];
                if (tally.records == 0) touched_.push_back(place), tally.least = chance;
                ++tally.records;
                tally.least = {std::min(tally.least.records, chance.records), std::min(tally.least.people, chance.people)};
                if (data_.owners.empty()) continue;
                tally.people += tally.people == 0 || tally.last_owner != data_.owners[h.record];
                tally.last_owner = data_.owners[h.record];
            }
        counted_.clear();
        std::ranges::sort(touched_);
        for (int32_t place : touched_) counted_.push_back(tally_[place]);
        for (int32_t place : touched_) tally_[place] = Tally{};
    }

    bool above(int64_t holders, int64_t cohort) const { return holders > question_.limit.of(cohort); }

    bool may_breach(const Tally& tally) const {
        if (above(tally.records, tally.records + tally.least.records)) return true;
        return !data_.owners.empty() && above(tally.people, tally.people + tally.least.people);
    }

    int64_t people(const Holders& holders) const {
        int64_t n = 0;
        for (std::size_t i = 0; i < holders.size(); ++i)
            n += i == 0 || data_.owners[holders[i - 1].record] != data_.owners[holders[i].record];
        return n;
    }

    void judge(const Holders& holders, Rules& out) {
        const auto records = static_cast<int64_t>(holders.size());
        const int64_t owners = data_.owners.empty() ? 0 : people(holders);
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            const Tally& tally = counted_[i];
            if (above(tally.records, records) || (owners > 0 && above(tally.people, owners)))
                remember(data_.hidden_item[touched_[i]], out);
            else
                out.may_be_longer = out.may_be_longer || may_breach(tally);
        }
    }

    void remember(int32_t hidden, Rules& out) {
        if (static_cast<int64_t>(out.hidden.size()) == question_.most) {
            out.complete = false;
            return;
        }
        for (int32_t number : set_) out.sets.values.push_back(data_.item[number]);
        out.sets.values.push_back(hidden);
        std::sort(out.sets.values.begin() + out.sets.start.back(), out.sets.values.end());
        out.sets.close();
        out.hidden.push_back(hidden);
    }

    void extend(const Holders& holders, Rules& out, Task& task) {
        std::vector<int32_t> present;
        const auto each = [&](auto&& body) {
            for (const Holder& h : holders)
                for (int64_t at = h.behind; at < data_.rows.start[h.record + 1]; ++at)
                    body(data_.rows.values[at], Holder{h.record, at + 1});
        };
        each([&](int32_t number, const Holder&) {
            if (filled_[number]++ == 0) present.push_back(number);
        });
        std::ranges::sort(present);
        std::vector<Holders> parts(present.size());
        for (std::size_t i = 0; i < present.size(); ++i) {
            parts[i].reserve(filled_[present[i]]);
            filled_[present[i]] = static_cast<int64_t>(i);
        }
        each([&](int32_t number, const Holder& further) { parts[filled_[number]].push_back(further); });
        for (int32_t number : present) filled_[number] = 0;
        for (std::size_t i = 0; i < present.size(); ++i) {
            set_.push_back(present[i]);
            mark(present[i], 1);
            visit(parts[i], out, task);
            mark(present[i], 0);
            set_.pop_back();
        }
    }

    const Numbered& data_;
    const RuleQuestion& question_;
    Work& work_;
    std::vector<int64_t> filled_;
    std::vector<Tally> tally_, counted_;
    std::vector<char> inside_;
    std::vector<int32_t> touched_, set_;
};

void take(Rules& all, const Rules& part) {
    for (int64_t i = 0; i < part.sets.size(); ++i) {
        all.sets.values.insert(all.sets.values.end(), part.sets[i].begin(), part.sets[i].end());
        all.sets.close();
    }
    all.hidden.insert(all.hidden.end(), part.hidden.begin(), part.hidden.end());
    all.complete = all.complete && part.complete;
    all.may_be_longer = all.may_be_longer || part.may_be_longer;
}

// Rules from sets of one size.
Rules rules_of_one_size(const Numbered& data, const RuleQuestion& question, Work& work, int threads, Task& task) {
    Rules out;
    if (question.size == 0) {
        Holders everyone;
        for (int32_t i = 0; i < data.rows.size(); ++i) everyone.push_back({i, data.rows.start[i]});
        if (!everyone.empty()) Finder(data, question, work).find({}, everyone, out, task);
        return out;
    }
    std::vector<Rules> parts(data.starts);
    std::vector<std::unique_ptr<Finder>> workers(
        static_cast<std::size_t>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(data.starts, 1))));
    task.begin(data.starts);
    parallel_blocks(data.starts, 1, threads, task, [&](int64_t first, int64_t, int worker) {
        if (!workers[worker]) workers[worker] = std::make_unique<Finder>(data, question, work);
        Holders holders;
        for (int32_t record : data.holders[first]) {
            const auto row = data.rows[record];
            const auto at = std::ranges::lower_bound(row, static_cast<int32_t>(first)) - row.begin();
            holders.push_back({record, data.rows.start[record] + at + 1});
        }
        const auto number = static_cast<int32_t>(first);
        workers[worker]->find({&number, 1}, holders, parts[first], task);
    });
    for (const Rules& part : parts) take(out, part);
    return out;
}

}  // namespace

Rules breaching_rules(const RuleRecords& records, const RuleQuestion& question, int threads, Task& task) {
    Numbered data;
    data.owners = records.owners;
    number_items(records, data);
    number_rows(records, data);
    find_chances(data, threads, task);
    RuleQuestion now = question;
    Work work(question.work);
    for (;; ++now.size) {
        Rules out = rules_of_one_size(data, now, work, threads, task);
        out.size = now.size;
        if (!out.hidden.empty() || !out.complete || !out.may_be_longer || now.size >= question.largest) return out;
    }
}

}  // namespace shoal
