#include "ssc.hpp"

#include <numeric>
#include <stdexcept>

#include "leftovers.hpp"
#include "search.hpp"

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

class Clustering {
  public:
    Clustering(const Rows& rows, std::span<const int64_t> owner, const Terms& terms, int64_t k, Task& task)
        : rows_(rows), owner_(owner), terms_(terms), k_(k), task_(task), search_(rows, owner, terms, task),
          comparison_(terms, deepest_drop(terms)) {
        out_.group.assign(rows.size(), -1);
    }

    Clusters run() {
        task_.begin(rows_.size());
        for (int64_t seed = 0; seed < rows_.size() && search_.owners_alive() >= k_; ++seed)
            if (search_.alive(seed)) grow(seed);
        if (out_.centres.empty()) throw std::domain_error("no group of k owners can be formed");
        place_leftovers();
        out_.matched += search_.matched();
        return std::move(out_);
    }

  private:
    // Lines 2 to 7: a seed and the k-1 nearest of other people.
    void grow(int64_t seed) {
        out_.centres.push_back(Centre::of(vocabulary(rows_, seed)));
        out_.members.emplace_back();
        enlist(seed);
        for (int64_t l = 1; l < k_; ++l) {
            comparison_.aim(out_.centres.back());
            const int64_t row = search_.nearest(comparison_, out_.centres.back());
            out_.centres.back() = comparison_.joined(vocabulary(rows_, row));
            enlist(row);
        }
        for (int64_t row : out_.members.back()) search_.exclude(owner_[row], false);
        task_.step(k_);
    }

    void enlist(int64_t row) {
        out_.group[row] = static_cast<int64_t>(out_.members.size()) - 1;
        out_.members.back().push_back(row);
        search_.exclude(owner_[row], true);
        search_.remove(row);
    }

    // Lines 8 to 10: whoever remains joins the nearest centre.
    void place_leftovers() {
        Leftovers leftovers(out_.centres, terms_, task_);
        for (int64_t row = 0; row < rows_.size(); ++row) {
            if (!search_.alive(row)) continue;
            const int64_t cluster = leftovers.nearest(vocabulary(rows_, row), comparison_);
            out_.centres[cluster] = comparison_.joined(vocabulary(rows_, row));
            leftovers.changed(cluster);
            out_.group[row] = cluster;
            out_.members[cluster].push_back(row);
            task_.step();
        }
        out_.matched += leftovers.matched();
    }

    const Rows& rows_;
    std::span<const int64_t> owner_;
    const Terms& terms_;
    int64_t k_;
    Task& task_;
    Search search_;
    Comparison comparison_;
    Clusters out_;
};

}  // namespace

Clusters cluster_vocabularies(const Rows& vocabularies, std::span<const int64_t> order, std::span<const int64_t> owner, const Terms& terms,
                              int64_t k, Task& task) {
    const OwnedRows sorted = reordered(vocabularies, order);
    const Rows rows = sorted.view();
    std::vector<int64_t> owners;
    for (int64_t row : order) owners.push_back(owner[row]);
    Clusters found = Clustering(rows, owners, terms, k, task).run();
    std::vector<int64_t> group(found.group.size());
    for (std::size_t i = 0; i < order.size(); ++i) group[order[i]] = found.group[i];
    found.group = std::move(group);
    for (auto& members : found.members)
        for (int64_t& row : members) row = order[row];
    return found;
}

std::vector<int64_t> nearest_vocabularies(const Rows& vocabularies, std::span<const int64_t> wanted, const Terms& terms, Task& task) {
    std::vector<int64_t> owner(vocabularies.size()), out;
    std::iota(owner.begin(), owner.end(), int64_t{0});
    Search search(vocabularies, owner, terms, task);
    Comparison comparison(terms, deepest_drop(terms));
    task.begin(static_cast<int64_t>(wanted.size()));
    for (int64_t row : wanted) {
        const Centre centre = Centre::of(vocabulary(vocabularies, row));
        comparison.aim(centre);
        search.exclude(row, true);
        out.push_back(search.nearest(comparison, centre));
        search.exclude(row, false);
        task.step();
    }
    return out;
}

}  // namespace shoal
