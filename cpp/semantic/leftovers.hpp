// The cluster whose centre is nearest to a term set that was left over. Distances are compared per member, as a centre of more
// members measures on a larger scale.
#pragma once

#include "semantic/centre.hpp"
#include "semantic/credits.hpp"

namespace shoal {

class Leftovers {
public:
    Leftovers(const std::vector<Centre>& centres, const TermDistance& terms, Task& task);

    // The nearest centre, the first in case of ties; the comparison is left aimed at it.
    int64_t nearest(const TermSet& v, Comparison& comparison);
    void changed(int64_t centre);

    int64_t matched() const { return matched_; }

private:
    struct Candidate {
        int64_t least;
        int64_t centre;
        auto operator<=>(const Candidate&) const = default;
    };

    void collect(const TermSet& v);

    const std::vector<Centre>& centres_;
    const TermDistance& terms_;
    int32_t deepest_;
    Index index_;  // of the first term of each bag; bags that were dropped since only make it too hopeful
    Credits credits_;
    std::vector<int64_t> size_;
    int64_t most_members_ = 0, matched_ = 0;
    std::vector<Reach> reach_;
    std::vector<Candidate> candidates_;
};

}  // namespace shoal
