// Disbanding: a group gives up, and each of its members joins the group that it harms least. So groups need not all have k members.
#pragma once

#include <optional>

#include "company_map.hpp"

namespace shoal {

class Disbander {
  public:
    // `homes` is how many companies each member looks at.
    Disbander(const Scored& data, std::span<const int64_t> values, std::vector<Company>& companies, CompanyMap& map, int64_t homes)
        : data_(data), values_(values), companies_(companies), map_(map), homes_(static_cast<std::size_t>(homes)), record_(data.nodes()),
          musterer_(data) {}

    // True if all tell more without the company, which is empty then.
    bool improve(int64_t company);

  private:
    // A company with its newcomers.
    struct Home {
        int64_t company;
        Company after;
    };

    bool find_homes(int64_t company);
    std::optional<int64_t> join_best(int64_t record, int64_t from, int64_t least);
    const Group& members_by_now(int64_t company) const;
    void join(int64_t record, int64_t company);

    const Scored& data_;
    std::span<const int64_t> values_;  // of the records: they gain no group more than that
    std::vector<Company>& companies_;
    CompanyMap& map_;
    std::size_t homes_;
    Dense record_;
    Musterer musterer_;
    std::vector<Home> found_;
};

}  // namespace shoal
