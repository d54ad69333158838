// Where companies lie: sketches of their meets, to find those that are near each other, or near a record, without scoring all.
#pragma once

#include "company.hpp"
#include "sketch.hpp"
#include "task.hpp"

namespace shoal {

using Neighbours = std::vector<std::vector<int32_t>>;

class CompanyMap {
  public:
    CompanyMap(const Scored& data, const std::vector<Company>& companies);

    // The companies with the most similar meets, the most similar first.
    std::vector<int32_t> nearest(int32_t company, std::size_t most);
    Neighbours all_nearest(std::size_t most, const Task& task);

    // The companies that would gain most if the record joined them, by the look of it, and no less than `least`; the best first.
    std::vector<int32_t> homes(int64_t record, std::size_t most, int64_t least);
    // Nobody is sent there any more.
    void close(int64_t company);

  private:
    // What a search reads of every company, packed.
    struct Spot {
        Glimpse glimpse;
        int32_t weight, size;
    };
    struct Found {
        int64_t far;
        int32_t company;
        auto operator<=>(const Found&) const = default;
    };
    template <class Far>
    std::vector<int32_t> best(std::size_t most, const Sketch& sketch, int64_t limit, Far&& far);
    int64_t keep_best(std::size_t most);

    const Scored& data_;
    Sketcher sketcher_;
    std::vector<Sketch> sketches_;
    std::vector<Spot> spots_;
    std::vector<Found> found_;
};

}  // namespace shoal
