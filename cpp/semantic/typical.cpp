#include "semantic/typical.hpp"

#include <map>

namespace shoal {

namespace {

int32_t common_ancestor(const std::vector<int32_t>& bag, const TermDistance& terms) {
    int32_t node = bag.front();
    for (int32_t term : bag) node = terms.ancestor(node, term);
    return node;
}

class Publisher {
public:
    Publisher(const Rows& term_sets, std::span<const int64_t> owner, const TermDistance& terms, const TypicalOptions& options,
              std::span<const uint8_t> publishable)
        : term_sets_(term_sets), owner_(owner), terms_(terms), options_(options), publishable_(publishable) {}

    void publish(const Centre& centre, const std::vector<int64_t>& members, TypicalTermSets& out) {
        members_ = &members;
        known_.clear();
        copies_.clear();
        for (const HyperTerm& bag : centre.bags) {
            if (options_.typical == Typical::members)
                publish_all(bag, out);
            else
                publish_one(bag, options_.typical == Typical::vote ? elected(bag.terms) : ancestor(bag.terms), out);
        }
        for (const auto& [node, copies] : copies_) {
            out.rows.ids.push_back(node);
            out.rows.counts.push_back(copies);
        }
        out.rows.indptr.push_back(static_cast<int64_t>(out.rows.ids.size()));
    }

private:
    // Majority vote: of the terms that enough people hold, the one nearest to all of the bag, the earliest member's on ties.
    int32_t elected(const std::vector<int32_t>& bag) {
        int64_t least = kUnrelated;
        int32_t winner = -1;
        for (int32_t candidate : bag) {
            int64_t sum = 0;
            for (int32_t term : bag) sum += terms_.between(candidate, term);
            if (sum < least && shared(candidate)) least = sum, winner = candidate;
        }
        return winner >= 0 ? winner : substitute(bag);
    }

    int32_t substitute(const std::vector<int32_t>& bag) const { return options_.generalize_rare ? ancestor(bag) : -1; }

    // Below 0 where it may not be published; then nothing above it may be.
    int32_t ancestor(const std::vector<int32_t>& bag) const {
        const int32_t node = common_ancestor(bag, terms_);
        return publishable_[node] ? node : -1;
    }

    void publish_one(const HyperTerm& bag, int32_t node, TypicalTermSets& out) {
        if (node < 0) return;
        copies_[node] += bag.copies;
        for (int32_t term : bag.terms) {
            int64_t& fate = term == node ? out.kept : terms_.covers(node, term) ? out.generalized : out.replaced;
            fate += bag.copies;
        }
    }

    void publish_all(const HyperTerm& bag, TypicalTermSets& out) {
        for (int32_t term : bag.terms) {
            const bool plain = shared(term);
            const int32_t node = plain ? term : substitute(bag.terms);
            if (node < 0) continue;
            copies_[node] += bag.copies;
            (plain ? out.kept : out.generalized) += bag.copies;
        }
    }

    // Do the term sets of enough people in the cluster hold the term, or something below it, and may it be published?
    bool shared(int32_t term) {
        const auto [at, fresh] = known_.try_emplace(term, false);
        if (fresh) at->second = publishable_[term] && holders(term) >= options_.min_owners;
        return at->second;
    }

    int64_t holders(int32_t term) {
        people_.clear();
        for (int64_t member : *members_) {
            const auto nodes = term_sets_.row_ids(member);
            const auto at = std::ranges::lower_bound(nodes, term);
            if (at != nodes.end() && *at < terms_.end[term]) people_.push_back(owner_[member]);
        }
        std::ranges::sort(people_);
        return std::ranges::unique(people_).begin() - people_.begin();
    }

    const Rows& term_sets_;
    std::span<const int64_t> owner_;
    const TermDistance& terms_;
    const TypicalOptions& options_;
    std::span<const uint8_t> publishable_;
    const std::vector<int64_t>* members_ = nullptr;
    std::map<int32_t, bool> known_;
    std::map<int32_t, int32_t> copies_;
    std::vector<int64_t> people_;
};

}  // namespace

TypicalTermSets typical_term_sets(const Clusters& clusters, const Rows& term_sets, std::span<const int64_t> owner,
                                  const TermDistance& terms, const TypicalOptions& options, std::span<const uint8_t> publishable,
                                  Task& task) {
    TypicalTermSets out;
    out.rows.indptr.push_back(0);
    Publisher publisher(term_sets, owner, terms, options, publishable);
    for (std::size_t c = 0; c < clusters.centres.size(); ++c) {
        if (c % 256 == 0) task.check();
        publisher.publish(clusters.centres[c], clusters.members[c], out);
    }
    return out;
}

}  // namespace shoal
