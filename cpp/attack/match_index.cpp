#include "attack/match_index.hpp"

#include <algorithm>
#include <limits>

#include "base/parallel.hpp"

namespace shoal {

// The scores of one person at a time. Marks are numbers that rise, so that nothing has to be cleared between people.
struct MatchIndex::Scratch {
    std::vector<int64_t> score;
    std::vector<uint32_t> scored, matched;  // the person who scored a row last, and the known item that it matched last
    std::vector<int32_t> touched;
    uint32_t person = 0, item = 0;

    explicit Scratch(int64_t rows) : score(rows), scored(rows, 0), matched(rows, 0) {}

    void next_person() {
        touched.clear();
        if (++person == 0) {
            std::fill(scored.begin(), scored.end(), 0);
            person = 1;
        }
    }
    void next_item() {
        if (++item == 0) {
            std::fill(matched.begin(), matched.end(), 0);
            item = 1;
        }
    }
    void add(int32_t row, int64_t weight) {
        if (scored[row] != person) {
            scored[row] = person;
            score[row] = 0;
            touched.push_back(row);
        }
        score[row] += weight;
    }
    int64_t of(int32_t row) const { return scored[row] == person ? score[row] : 0; }
};

MatchIndex::MatchIndex(const Rows& rows, std::span<const int32_t> parent, std::span<const int64_t> weights,
                       std::span<const int64_t> copies)
    : rows_(rows), parent_(parent), weights_(weights), copies_(copies), start_(parent.size() + 1, 0), holder_(rows.ids.size()),
      count_(rows.ids.size()) {
    for (int64_t n : copies) published_ += n;
    for (int32_t id : rows.ids) ++start_[id + 1];
    for (std::size_t node = 0; node < parent.size(); ++node) start_[node + 1] += start_[node];
    std::vector<int64_t> at(start_.begin(), start_.end() - 1);
    for (int64_t row = 0; row < rows.size(); ++row)
        for (int64_t i = rows.indptr[row]; i < rows.indptr[row + 1]; ++i) {
            const int64_t place = at[rows.ids[i]]++;
            holder_[place] = static_cast<int32_t>(row);
            count_[place] = rows.counts[i];
        }
}

void MatchIndex::score(const Knowledge& known, int64_t person, Scratch& scratch) const {
    scratch.next_person();
    for (int64_t i = known.items.indptr[person]; i < known.items.indptr[person + 1]; ++i) {
        const int32_t node = known.items.values[i], count = known.counts[i];
        const int64_t weight = weights_[node], own = known.own[i];
        scratch.next_item();
        each_holder(node, [&](int32_t row, int32_t held) {
            const int64_t told = count > 0 && held == count ? own : count > 0 && held > count ? 0 : weight;
            if (told == 0) return;
            scratch.matched[row] = scratch.item;
            scratch.add(row, told);
        });
        for (int32_t above = parent_[node]; above >= 0 && weights_[above] > 0; above = parent_[above])
            each_holder(above, [&](int32_t row, int32_t) {
                if (scratch.matched[row] == scratch.item) return;
                scratch.matched[row] = scratch.item;
                scratch.add(row, weights_[above]);
            });
    }
    for (int32_t node : known.absent.of(person))
        if (weights_[node] != 0) each_holder(node, [&](int32_t row, int32_t) { scratch.add(row, -weights_[node]); });
}

void MatchIndex::judge(const Knowledge& known, int64_t person, Scratch& scratch, bool with_rows, BestMatches& found,
                       std::vector<int32_t>& best) const {
    if (known.limited) {
        scratch.next_item();
        for (int32_t row : known.possible.of(person)) scratch.matched[row] = scratch.item;
    }
    const auto value = [&](int32_t row) -> int64_t {
        if (!known.limited) return scratch.of(row);
        return scratch.matched[row] == scratch.item ? scratch.of(row) + 1 : 0;
    };
    const std::span<const int32_t> listed = known.limited ? known.possible.of(person) : std::span<const int32_t>(scratch.touched);
    int64_t highest = std::numeric_limits<int64_t>::min(), stored = 0, stored_copies = 0;
    double sum = 0, square = 0;
    for (int32_t row : listed) {
        const int64_t v = value(row);
        if (v == 0) continue;
        ++stored;
        stored_copies += copies_[row];
        highest = std::max(highest, v);
        sum += static_cast<double>(v) * static_cast<double>(copies_[row]);
        square += static_cast<double>(v) * static_cast<double>(v) * static_cast<double>(copies_[row]);
    }
    const int64_t top = stored == rows_.size() && stored > 0 ? highest : std::max<int64_t>(highest, 0);
    int64_t second = 0, best_copies = 0;
    for (int32_t row : listed) {
        const int64_t v = value(row);
        if (v == 0) continue;
        if (v != top) {
            second = std::max(second, v);
        } else {
            best_copies += copies_[row];
            if (with_rows) best.push_back(row);
        }
    }
    int64_t among = 0;
    for (int32_t row : known.mine.of(person)) among += value(row) == top;  // if nothing matches, the rows without a score are best
    if (with_rows) std::sort(best.begin(), best.end());
    found.top[person] = top;
    found.second[person] = second;
    found.copies[person] = top == 0 ? published_ - stored_copies : best_copies;
    found.among[person] = among;
    found.sum[person] = sum;
    found.square[person] = square;
}

BestMatches MatchIndex::best(const Knowledge& known, bool with_rows, int threads, Task& task) const {
    const int64_t people = known.items.size();
    BestMatches found;
    for (auto* numbers : {&found.top, &found.second, &found.copies, &found.among}) numbers->resize(people);
    found.sum.resize(people);
    found.square.resize(people);
    std::vector<std::vector<int32_t>> best(people);
    std::vector<Scratch> scratch;
    for (int worker = 0; worker < std::max(1, threads); ++worker) scratch.emplace_back(worker < people ? rows() : 0);
    task.begin(people);
    parallel_blocks(people, 1, threads, task, [&](int64_t begin, int64_t end, int worker) {
        for (int64_t person = begin; person < end; ++person) {
            score(known, person, scratch[worker]);
            judge(known, person, scratch[worker], with_rows, found, best[person]);
        }
    });
    found.indptr.assign(1, 0);
    for (const auto& rows : best) {
        found.rows.insert(found.rows.end(), rows.begin(), rows.end());
        found.indptr.push_back(static_cast<int64_t>(found.rows.size()));
    }
    return found;
}

OwnedRows MatchIndex::possible(const Rows& records, int threads, Task& task) const {
    const int64_t people = records.size();
    std::vector<std::vector<int32_t>> found(people);
    std::vector<std::vector<uint8_t>> above(std::max(1, threads));
    task.begin(people);
    parallel_blocks(people, 1, threads, task, [&](int64_t begin, int64_t end, int worker) {
        auto& marked = above[worker];
        for (int64_t person = begin; person < end; ++person) {
            marked.assign(parent_.size(), 0);
            for (int32_t item : records.row_ids(person))
                for (int32_t node = item; node >= 0 && !marked[node]; node = parent_[node]) marked[node] = 1;
            for (int64_t row = 0; row < rows_.size(); ++row) {
                const auto ids = rows_.row_ids(row);
                if (std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return marked[id] != 0; }))
                    found[person].push_back(static_cast<int32_t>(row));
            }
        }
    });
    OwnedRows all;
    all.indptr.assign(1, 0);
    for (const auto& rows : found) {
        all.ids.insert(all.ids.end(), rows.begin(), rows.end());
        all.indptr.push_back(static_cast<int64_t>(all.ids.size()));
    }
    all.counts.assign(all.ids.size(), 1);
    return all;
}

}  // namespace shoal
