#include "neighbours.hpp"

#include <limits>

#include "sketch.hpp"

namespace shoal {

namespace {

std::vector<Sketch> sketch_meets(const Scored& data, const std::vector<Company>& companies) {
    std::vector<int64_t> mass(data.nodes(), 0), flat;
    for (const Company& c : companies)
        for (const auto& s : c.meet) mass[s.node] += s.weight * s.count;
    Sketcher sketcher(data.weight, mass);
    std::vector<Sketcher::Sums> sums(companies.size());
    for (std::size_t g = 0; g < companies.size(); ++g) {
        sums[g].fill(0);
        for (const auto& s : companies[g].meet) sketcher.add(sums[g], s.node, s.count);
        flat.insert(flat.end(), sums[g].begin(), sums[g].end());
    }
    sketcher.fit(flat);
    std::vector<Sketch> out;
    for (const auto& s : sums) out.push_back(sketcher.sketch(s));
    return out;
}

// The nearest few of one company after the other.
class Search {
  public:
    Search(std::vector<Sketch>&& sketches, std::size_t most) : sketches_(std::move(sketches)), most_(most) {
        for (const Sketch& s : sketches_) glimpses_.push_back(glimpse_of(s));
    }

    std::vector<int32_t> nearest(int32_t company) {
        near_.clear();
        int32_t limit = std::numeric_limits<int32_t>::max();
        for (int32_t other = 0; other < static_cast<int32_t>(sketches_.size()); ++other) {
            if (least_distance(glimpses_[company], glimpses_[other]) >= limit || other == company) continue;
            near_.emplace_back(distance(sketches_[company], sketches_[other]), other);
            if (near_.size() == 4 * most_) limit = keep_nearest();
        }
        if (near_.size() > most_) keep_nearest();
        std::ranges::sort(near_);
        std::vector<int32_t> found;
        for (const auto& [far, other] : near_) found.push_back(other);
        return found;
    }

  private:
    // Returns the distance that a newcomer must be below; those met later have higher numbers, so equals are no nearer.
    int32_t keep_nearest() {
        const auto last = near_.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
        std::ranges::nth_element(near_, last);
        near_.resize(most_);
        return near_.back().first;
    }

    std::vector<Sketch> sketches_;
    std::vector<Glimpse> glimpses_;
    std::size_t most_;
    std::vector<std::pair<int32_t, int32_t>> near_;
};

}  // namespace

std::vector<std::vector<int32_t>> nearest_companies(const Scored& data, const std::vector<Company>& companies, int64_t most) {
    std::vector<std::vector<int32_t>> nearest;
    Search search(sketch_meets(data, companies), static_cast<std::size_t>(most));
    for (std::size_t g = 0; g < companies.size(); ++g) nearest.push_back(search.nearest(static_cast<int32_t>(g)));
    return nearest;
}

}  // namespace shoal
