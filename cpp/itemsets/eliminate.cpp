#include "itemsets/eliminate.hpp"

namespace shoal {

bool SuppressedLater::operator()(const ScoredItem& a, const ScoredItem& b) const {
    if (score == MoleScore::per_loss) {
        const auto x = static_cast<Wide>(a.moles) * b.loss, y = static_cast<Wide>(b.moles) * a.loss;
        if (x != y) return x < y;
    }
    if (score == MoleScore::least_loss && a.loss != b.loss) return a.loss > b.loss;
    if (a.moles != b.moles) return a.moles < b.moles;
    if (a.loss != b.loss) return a.loss > b.loss;
    return a.item > b.item;
}

}  // namespace shoal
