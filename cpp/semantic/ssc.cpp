#include "semantic/ssc.hpp"

#include <numeric>
#include <stdexcept>

#include "base/infeasible.hpp"
#include "semantic/leftovers.hpp"
#include "semantic/search.hpp"

namespace shoal {

namespace {

OwnedRows reordered(const Rows& rows, std::span<const int64_t> order) {
    OwnedRows out;
    out.indptr.push_back(0);
    for (int64_t row : order) {
        const auto ids = rows.row_ids(row), counts = rows.row_counts(row);
        out.ids.insert(out.ids.end(), ids.begin(), ids.end());
        out.counts.insert(out.counts.end(), counts.begin(), counts.end());
        out.indptr.push_back(static_cast<int64_t>(out.ids.size()));
    }
    return out;
}

// The term sets sorted by length, equals by rank; which of the given ones each is, and where each rank lies.
struct Sorted {
    std::vector<int64_t> given, rank, owner, at_rank;
    OwnedRows rows;

    Sorted(const Rows& term_sets, std::span<const int64_t> order, std::span<const int64_t> owner_of)
        : rank(order.size()), at_rank(order.size()) {
        std::iota(rank.begin(), rank.end(), int64_t{0});
        std::ranges::stable_sort(rank, {}, [&](int64_t r) { return term_sets.length(order[r]); });
        for (std::size_t row = 0; row < rank.size(); ++row) {
            at_rank[rank[row]] = static_cast<int64_t>(row);
            given.push_back(order[rank[row]]);
            owner.push_back(owner_of[given.back()]);
        }
        rows = reordered(term_sets, given);
    }
};

class Clustering {
public:
    Clustering(const Sorted& sorted, const TermDistance& terms, int64_t k, int64_t promising, bool matched_only, Task& task)
        : sorted_(sorted),
          rows_(sorted.rows.view()),
          terms_(terms),
          k_(k),
          promising_(promising),
          matched_only_(matched_only),
          task_(task),
          search_(rows_, sorted.rank, sorted.owner, terms, task),
          comparison_(terms, deepest_drop(terms)) {
        out_.group.assign(rows_.size(), -1);
    }

    Clusters run() {
        task_.begin(rows_.size());
        if (promising_ > 0) {
            const std::vector<int64_t> holders = rows_holding();
            grow_all([&](int64_t seed) { return may_promise(seed, holders); }, promising_);
            in_vain_ = 0;
        }
        grow_all([](int64_t) { return true; }, 0);
        if (out_.centres.empty()) throw Infeasible("no group of k owners can be formed");
        place_leftovers();
        out_.matched += search_.matched();
        return std::move(out_);
    }

private:
    // Groups around these seeds, in their order, where they keep at least so many percent of their words. Searches that end in no group are
    // limited to one a term set.
    template <class Wanted>
    void grow_all(Wanted&& wanted, int64_t least) {
        for (int64_t seed : sorted_.at_rank) {
            if (search_.owners_alive() < k_ || in_vain_ > rows_.size()) break;
            if (search_.alive(seed) && wanted(seed)) grow(seed, least);
        }
    }

    // Lines 2 to 7: a seed and the k-1 nearest of other people. Given up as soon as it keeps too few words: joining only loses some.
    void grow(int64_t seed, int64_t least) {
        Centre centre = Centre::of(term_set(rows_, seed));
        std::vector<int64_t> members{seed};
        search_.exclude(sorted_.owner[seed], true);
        bool worthwhile = true;
        while (worthwhile && static_cast<int64_t>(members.size()) < k_) {
            comparison_.aim(centre);
            members.push_back(matched_only_ ? least_matched() : search_.nearest(comparison_, centre));
            centre = comparison_.joined(term_set(rows_, members.back()));
            search_.exclude(sorted_.owner[members.back()], true);
            worthwhile = least == 0 || keeps(centre, members, least);
        }
        for (int64_t row : members) search_.exclude(sorted_.owner[row], false);
        if (worthwhile)
            enlist(std::move(centre), std::move(members));
        else
            in_vain_ += static_cast<int64_t>(members.size()) - 1;
    }

    void enlist(Centre centre, std::vector<int64_t> members) {
        for (int64_t row : members) {
            out_.group[row] = static_cast<int64_t>(out_.members.size());
            search_.remove(row);
        }
        out_.centres.push_back(std::move(centre));
        out_.members.push_back(std::move(members));
        task_.step(k_);
    }

    // Whether so many percent of the members' words could be published as they are: in each bag those of its most frequent term.
    bool keeps(const Centre& centre, const std::vector<int64_t>& members, int64_t least) {
        int64_t words = 0, kept = 0;
        for (int64_t row : members) words += rows_.length(row);
        for (const HyperTerm& bag : centre.bags) kept += bag.copies * most_alike(bag.terms);
        return 100 * kept >= least * words;
    }

    int64_t most_alike(const std::vector<int32_t>& terms) {
        sorted_terms_.assign(terms.begin(), terms.end());
        std::ranges::sort(sorted_terms_);
        int64_t most = 0, run = 0;
        for (std::size_t i = 0; i < sorted_terms_.size(); ++i) {
            run = i > 0 && sorted_terms_[i] == sorted_terms_[i - 1] ? run + 1 : 1;
            most = std::max(most, run);
        }
        return most;
    }

    std::vector<int64_t> rows_holding() const {
        std::vector<int64_t> holders(terms_.parent.size(), 0);
        for (int32_t term : rows_.ids) ++holders[term];
        return holders;
    }

    // Whether enough of a seed's words are in k term sets at all; most of a sparse log need not be searched for.
    bool may_promise(int64_t seed, const std::vector<int64_t>& holders) const {
        int64_t common = 0;
        const auto ids = rows_.row_ids(seed), counts = rows_.row_counts(seed);
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (holders[ids[i]] >= k_) common += counts[i];
        return 100 * common >= promising_ * rows_.length(seed);
    }

    // The sum of the distances of matched terms: a term without a partner costs a multiple of the price, and all others less than it.
    int64_t matched_part(int64_t row) {
        ++out_.matched;
        return comparison_.distance(term_set(rows_, row), kUnrelated) % comparison_.price();
    }

    // The first model, without an index: term sets that share nothing are at distance 0, so no bound excludes any.
    int64_t least_matched() {
        int64_t best = -1, least = kUnrelated;
        for (int64_t row = 0; row < rows_.size(); ++row) {
            if (!search_.eligible(row)) continue;
            task_.check();
            const int64_t distance = matched_part(row);
            const bool first = best < 0 || distance < least || (distance == least && sorted_.rank[row] < sorted_.rank[best]);
            if (first) best = row, least = distance;
        }
        return best;
    }

    // The centre with the least matched distance per member, the first in case of ties; the comparison is left aimed at it.
    int64_t least_matched_centre(int64_t row) {
        __extension__ using Wide = __int128;
        int64_t best = 0, least = kUnrelated, members = 1;
        for (std::size_t c = 0; c < out_.centres.size(); ++c) {
            task_.check();
            comparison_.aim(out_.centres[c]);
            const int64_t distance = matched_part(row), many = out_.centres[c].members;
            if (static_cast<Wide>(distance) * members < static_cast<Wide>(least) * many)
                best = static_cast<int64_t>(c), least = distance, members = many;
        }
        comparison_.aim(out_.centres[best]);
        return best;
    }

    // Lines 8 to 10: whoever remains joins the nearest centre.
    void place_leftovers() {
        Leftovers leftovers(out_.centres, terms_, task_);
        for (int64_t row : sorted_.at_rank) {
            if (!search_.alive(row)) continue;
            const int64_t cluster = matched_only_ ? least_matched_centre(row) : leftovers.nearest(term_set(rows_, row), comparison_);
            out_.centres[cluster] = comparison_.joined(term_set(rows_, row));
            leftovers.changed(cluster);
            out_.group[row] = cluster;
            out_.members[cluster].push_back(row);
            task_.step();
        }
        out_.matched += leftovers.matched();
    }

    const Sorted& sorted_;
    const Rows rows_;
    const TermDistance& terms_;
    int64_t k_, promising_, in_vain_ = 0;
    bool matched_only_;
    std::vector<int32_t> sorted_terms_;
    Task& task_;
    Search search_;
    Comparison comparison_;
    Clusters out_;
};

Clusters clustered(const Sorted& sorted, const TermDistance& terms, int64_t k, int64_t promising, bool matched_only, Task& task) {
    Clusters found = Clustering(sorted, terms, k, promising, matched_only, task).run();
    std::vector<int64_t> group(found.group.size());
    for (std::size_t row = 0; row < group.size(); ++row) group[sorted.given[row]] = found.group[row];
    found.group = std::move(group);
    for (auto& members : found.members)
        for (int64_t& row : members) row = sorted.given[row];
    return found;
}

}  // namespace

Clusters cluster_term_sets(const Rows& term_sets, std::span<const int64_t> order, std::span<const int64_t> owner, const TermDistance& terms,
                           int64_t k, int64_t promising, Task& task) {
    return clustered(Sorted(term_sets, order, owner), terms, k, promising, false, task);
}

Clusters cluster_by_matched_terms(const Rows& term_sets, std::span<const int64_t> order, std::span<const int64_t> owner,
                                  const TermDistance& terms, int64_t k, int64_t promising, Task& task) {
    if (terms.omega <= 0) throw std::invalid_argument("a price above all matched distances is needed");
    return clustered(Sorted(term_sets, order, owner), terms, k, promising, true, task);
}

Centre joined_centre(const Rows& term_sets, std::span<const int64_t> members, const TermDistance& terms, std::vector<int64_t>& distances) {
    Comparison comparison(terms, deepest_drop(terms));
    Centre centre = Centre::of(term_set(term_sets, members.front()));
    for (int64_t member : members.subspan(1)) {
        comparison.aim(centre);
        distances.push_back(comparison.distance(term_set(term_sets, member), kUnrelated));
        centre = comparison.joined(term_set(term_sets, member));
    }
    return centre;
}

std::vector<int64_t> nearest_term_sets(const Rows& term_sets, std::span<const int64_t> wanted, const TermDistance& terms, Task& task) {
    std::vector<int64_t> all(term_sets.size()), out;
    std::iota(all.begin(), all.end(), int64_t{0});
    const Sorted sorted(term_sets, all, all);
    const Rows rows = sorted.rows.view();
    Search search(rows, sorted.rank, sorted.owner, terms, task);
    Comparison comparison(terms, deepest_drop(terms));
    task.begin(static_cast<int64_t>(wanted.size()));
    for (int64_t row : wanted) {
        const Centre centre = Centre::of(term_set(term_sets, row));
        comparison.aim(centre);
        search.exclude(row, true);
        const int64_t found = search.nearest(comparison, centre);
        out.push_back(found < 0 ? -1 : sorted.given[found]);
        search.exclude(row, false);
        task.step();
    }
    return out;
}

}  // namespace shoal
