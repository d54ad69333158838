#include "chunks/chunks.hpp"

#include <algorithm>
#include <compare>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "chunks/rare_terms.hpp"

namespace shoal {
namespace {

// Forms the chunks of one cluster after the other. Terms are numbered as in the data; vectors by term are reset after each cluster.
class ChunkMaker {
public:
    ChunkMaker(const OwnedSets& sets, const ChunkPlan& plan)
        : sets_(sets), plan_(plan), holders_(sets.terms), people_(sets.terms, 0), chunk_(sets.terms, term_chunk) {
        pair_.assign(sets.terms, 0);
        score_.assign(sets.terms, 0);
        blocked_.assign(sets.terms, -1);
        last_owner_.assign(sets.terms, -1);
        left_out_.assign(sets.terms, false);
    }

    // The chunks of these records' terms, written to the places of the records.
    void form(std::span<const int64_t> records, std::vector<int32_t>& out) {
        gather(records);
        size_ = static_cast<int64_t>(records.size());
        const Kept first = attempt(size_);
        if (std::ranges::any_of(frequent_, [&](int32_t term) { return chunk_[term] == term_chunk; })) {
            const std::vector<int32_t> found = chunks_of_all();
            if (attempt(size_ / 2) <= first) restore(found);
        }
        for (int64_t r : records)
            for (int64_t p = sets_.rows.indptr[r]; p < sets_.rows.indptr[r + 1]; ++p) out[p] = chunk_[sets_.rows.ids[p]];
        reset();
    }

private:
    using Terms = std::vector<int32_t>;

    // Occurrences beside others of their record, and those in chunks at all.
    struct Kept {
        int64_t together = 0, inside = 0;
        auto operator<=>(const Kept&) const = default;
    };

    // Chunks of the terms that at most so many records hold: a term of nearly all of them is tied to most others.
    Kept attempt(int64_t most) {
        largest_ = 0;
        chunks_.clear();
        for (int32_t term : all_) chunk_[term] = term_chunk;
        for (int32_t term : all_) left_out_[term] = support(term) > most;
        for (int32_t seed : frequent_)
            if (!left_out_[seed] && chunk_[seed] == term_chunk && fits_beside_others(seed, -1)) grow(seed);
        settle();
        return kept();
    }

    Kept kept() const {
        Kept found;
        for_each_part([&](int64_t length) {
            found.inside += length;
            if (length > 1) found.together += length;
        });
        return found;
    }

    // Calls with the number of terms of each record in each chunk.
    template <class Call>
    void for_each_part(const Call& call) const {
        std::vector<int32_t> seen;
        for (int64_t r : records_) {
            seen.clear();
            for (int32_t term : sets_.rows.row_ids(r))
                if (chunk_[term] != term_chunk) seen.push_back(chunk_[term]);
            std::ranges::sort(seen);
            for (auto from = seen.begin(); from != seen.end();) {
                const auto to = std::upper_bound(from, seen.end(), *from);
                call(to - from);
                from = to;
            }
        }
    }

    std::vector<int32_t> chunks_of_all() const {
        std::vector<int32_t> found;
        for (int32_t term : all_) found.push_back(chunk_[term]);
        return found;
    }

    void restore(const std::vector<int32_t>& found) {
        for (std::size_t i = 0; i < all_.size(); ++i) chunk_[all_[i]] = found[i];
    }

    void gather(std::span<const int64_t> records) {
        records_ = records;
        for (int64_t r : records)
            for (int32_t term : sets_.rows.row_ids(r)) {
                if (holders_[term].empty()) all_.push_back(term);
                holders_[term].push_back(r);
                people_[term] += last_owner_[term] != sets_.owners[r];
                last_owner_[term] = sets_.owners[r];
            }
        for (int32_t term : all_)
            if (people_[term] >= plan_.k) frequent_.push_back(term);
        std::ranges::sort(frequent_, [&](int32_t a, int32_t b) { return support(a) != support(b) ? support(a) > support(b) : a < b; });
        for (int32_t term : all_) last_owner_[term] = -1;
    }

    void reset() {
        for (int32_t term : all_) {
            holders_[term].clear();
            people_[term] = 0;
            chunk_[term] = term_chunk;
        }
        all_.clear();
        frequent_.clear();
    }

    int64_t support(int32_t term) const { return static_cast<int64_t>(holders_[term].size()); }

    struct Candidate {
        int64_t score, support;
        int32_t term;
        bool operator<(const Candidate& other) const {
            if (score != other.score) return score < other.score;
            return support != other.support ? support < other.support : term > other.term;
        }
    };

    void grow(int32_t seed) {
        const auto number = static_cast<int32_t>(chunks_.size());
        chunks_.emplace_back();
        std::priority_queue<Candidate> queue;
        Terms touched;
        put(seed, number, queue, touched);
        while (!queue.empty()) {
            const Candidate best = queue.top();
            queue.pop();
            const int32_t term = best.term;
            if (best.score != score_[term] || chunk_[term] != term_chunk || blocked_[term] == number) continue;
            if (!fits_beside_others(term, number) || has_rare_set(term, number))
                blocked_[term] = number;
            else
                put(term, number, queue, touched);
        }
        for (int32_t term : touched) {
            score_[term] = 0;
            blocked_[term] = -1;
        }
    }

    // Puts a term into a chunk, and counts the people who hold each free term beside it: too few block that term.
    void put(int32_t term, int32_t number, std::priority_queue<Candidate>& queue, Terms& touched) {
        chunk_[term] = number;
        chunks_[number].push_back(term);
        largest_ = std::max(largest_, support(term));
        Terms beside = count_beside(term);
        for (int32_t other : beside) {
            const int64_t people = std::exchange(pair_[other], 0);
            last_owner_[other] = -1;
            touched.push_back(other);
            if (plan_.m >= 2 && people < plan_.k) blocked_[other] = number;
            if (blocked_[other] == number) continue;
            score_[other] += people;
            queue.push({score_[other], support(other), other});
        }
    }

    Terms count_beside(int32_t term) {
        Terms beside;
        for (int64_t r : holders_[term])
            for (int32_t other : sets_.rows.row_ids(r)) {
                if (chunk_[other] != term_chunk || left_out_[other] || people_[other] < plan_.k || last_owner_[other] == sets_.owners[r])
                    continue;
                last_owner_[other] = sets_.owners[r];
                if (pair_[other]++ == 0) beside.push_back(other);
            }
        return beside;
    }

    bool has_rare_set(int32_t term, int32_t number) const {
        if (plan_.m < 3) return false;
        return any_rare_set(sets_, holders_[term], plan_.k, plan_.m - 1, [&](int32_t other) { return chunk_[other] == number; });
    }

    // Whether a term of this chunk, a new one below 0, goes with those of other chunks by numbers alone in no record, or in k people's.
    bool fits_beside_others(int32_t term, int32_t number) const {
        if (plan_.m < 2 || support(term) + largest_ <= size_) return true;
        for (std::size_t c = 0; c < chunks_.size(); ++c)
            for (int32_t other : chunks_[c])
                if (static_cast<int32_t>(c) != number && gives_away(support(term) + support(other) - size_)) return false;
        return true;
    }

    bool gives_away(int64_t certain) const { return certain > 0 && (plan_.m > 2 || fewest_people(certain) < plan_.k); }

    // The fewest people who own so many of the records.
    int64_t fewest_people(int64_t n) const {
        std::vector<int64_t> owned;
        for (std::size_t i = 0; i < records_.size(); ++i) {
            if (i == 0 || sets_.owners[records_[i]] != sets_.owners[records_[i - 1]]) owned.push_back(0);
            ++owned.back();
        }
        std::ranges::sort(owned, std::greater{});
        int64_t people = 0;
        for (; n > 0; n -= owned[people++]) {}
        return people;
    }

    // Sees to the term chunk: either it holds something, and then no term is in all records, or chunks fill all records without it.
    void settle() {
        const bool some_left = std::ranges::any_of(all_, [&](int32_t term) { return chunk_[term] == term_chunk; });
        if (!some_left && filled()) return;
        if (!some_left) chunk_[frequent_.back()] = term_chunk;
        if (plan_.m < 2) return;
        for (int32_t term : all_)
            if (support(term) == size_) chunk_[term] = term_chunk;
    }

    bool filled() const {
        const auto together = std::min<int64_t>(plan_.m, static_cast<int64_t>(chunks_.size()));
        int64_t parts = 0;
        for_each_part([&](int64_t) { ++parts; });
        return parts >= size_ + plan_.k * (together - 1);
    }

    const OwnedSets& sets_;
    const ChunkPlan plan_;
    std::span<const int64_t> records_;
    int64_t size_ = 0, largest_ = 0;             // records of the cluster; those of its most frequent term in a chunk
    std::vector<std::vector<int64_t>> holders_;  // records of the cluster that hold a term, by owner
    std::vector<int64_t> people_, pair_, score_, last_owner_;
    std::vector<int32_t> chunk_, blocked_;  // of each term; the chunk that it must not join
    std::vector<bool> left_out_;            // terms that no chunk may have in this attempt
    Terms all_, frequent_;                  // terms of the cluster; those of k people, the most frequent ones first
    std::vector<Terms> chunks_;
};

}  // namespace

std::vector<int32_t> chunks_of_terms(const OwnedSets& sets, std::span<const int64_t> cluster, const ChunkPlan& plan, Task& task) {
    std::vector<int32_t> out(sets.rows.ids.size(), term_chunk);
    std::vector<int64_t> order(cluster.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int64_t r) { return cluster[r]; });
    ChunkMaker maker(sets, plan);
    task.begin(static_cast<int64_t>(order.size()));
    for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
        while (to < order.size() && cluster[order[to]] == cluster[order[from]]) ++to;
        maker.form(std::span(order).subspan(from, to - from), out);
        task.step(static_cast<int64_t>(to - from));
    }
    return out;
}

}  // namespace shoal
