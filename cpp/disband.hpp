// Disbanding: a group gives up, and each of its members joins the group that it harms least. So groups need not all have k members.
#pragma once

#include "company_map.hpp"

namespace shoal {

class Disbander {
  public:
    // `homes` is how many companies each member looks at.
    Disbander(const Scored& data, std::vector<Company>& companies, CompanyMap& map, int64_t homes)
        : data_(data), companies_(companies), map_(map), homes_(static_cast<std::size_t>(homes)), record_(data.nodes()), musterer_(data) {
        for (int64_t r = 0; r < data.size(); ++r) value_.push_back(data.value(r));
    }

    // True if all tell more without the company, which is empty then.
    bool improve(int64_t company);

  private:
    // A company with its newcomers.
    struct Home {
        int64_t company;
        Company after;
    };

    bool find_homes(int64_t company);
    bool join_best(int64_t record, int64_t from, int64_t least, int64_t& gain);
    const Group& members_by_now(int64_t company) const;
    void join(int64_t record, int64_t company);

    const Scored& data_;
    std::vector<Company>& companies_;
    CompanyMap& map_;
    std::size_t homes_;
    std::vector<int64_t> value_;  // of each record: it gains no group more than that
    Dense record_;
    Musterer musterer_;
    std::vector<Home> found_;
};

}  // namespace shoal
