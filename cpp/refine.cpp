#include "refine.hpp"

#include <limits>

#include "sketch.hpp"

namespace shoal {

namespace {

using Meet = std::vector<Entry>;

Meet whole(const Scored& data, int64_t record) {
    Meet m;
    for (int64_t j = data.counts.indptr[record]; j < data.counts.indptr[record + 1]; ++j)
        m.push_back({data.counts.ids[j], data.counts.counts[j]});
    return m;
}

void intersect(const Meet& a, const Meet& b, Meet& out) {
    out.clear();
    std::size_t j = 0;
    for (const Entry& e : a) {
        while (j < b.size() && b[j].node < e.node) ++j;
        if (j == b.size()) return;
        if (b[j].node == e.node) out.push_back({e.node, std::min(e.count, b[j].count)});
    }
}

void intersect(Meet& a, const Scored& data, int64_t record) {
    int64_t j = data.counts.indptr[record];
    const int64_t end = data.counts.indptr[record + 1];
    std::size_t kept = 0;
    for (const Entry e : a) {
        while (j < end && data.counts.ids[j] < e.node) ++j;
        if (j == end) break;
        if (data.counts.ids[j] == e.node) a[kept++] = {e.node, std::min(e.count, data.counts.counts[j])};
    }
    a.resize(kept);
}

int64_t value_of(const Meet& meet, std::span<const int64_t> weight) {
    int64_t total = 0;
    for (const Entry& e : meet) total += weight[e.node] * e.count;
    return total;
}

// A group with its meet, and the meet of all but one for each of its members: what the group would like in that one's place.
struct Company {
    Group members;
    Meet meet;
    int64_t value = 0;
    std::vector<Meet> others;
    std::vector<int64_t> others_value;

    int64_t size() const { return static_cast<int64_t>(members.size()); }
    // What the group gains if the member's place is left open.
    int64_t slack(int64_t i) const { return size() * (others_value[i] - value); }
};

class Refiner {
  public:
    Refiner(const Scored& data, const RefineOptions& options, std::vector<Group>&& groups)
        : data_(data), options_(options), dense_(data.nodes()), companies_(groups.size()) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            companies_[g].members = std::move(groups[g]);
            refresh(companies_[g]);
        }
    }

    int64_t run(Task& task) {
        int64_t all = 0;
        for (int64_t pass = 0; pass < options_.passes; ++pass) {
            find_neighbours();
            int64_t improved = 0;
            for (std::size_t g = 0; g < companies_.size(); ++g) {
                task.check();
                for (int64_t i = 0; i < companies_[g].size(); ++i)
                    if (companies_[g].slack(i) > 0 && improve(static_cast<int64_t>(g), i)) ++improved;
            }
            all += improved;
            if (improved == 0) break;
        }
        return all;
    }

    const Group& group(int64_t g) const { return companies_[g].members; }

  private:
    struct Step {
        int64_t company, place;
    };

    // One chain that starts with member i of company `home` leaving. True if it was worth carrying out.
    bool improve(int64_t home, int64_t i) {
        const Company& start = companies_[home];
        const bool may_shrink = can_spare(start, i);
        // If the place stays empty, the others tell a little more each, but one record less is told of.
        const int64_t unfilled = may_shrink ? -start.others_value[i] : 0;
        int64_t gain = start.slack(i), best = 0, record = start.members[i], from = home;
        path_.clear(), chosen_.clear();
        bool joins = false;
        for (int64_t depth = 0; depth < options_.depth; ++depth) {
            dense_.spread(data_.counts, record);
            Step next = find_places(record, from, home, gain);
            if (may_shrink && try_joining(from, home, gain + unfilled, best)) joins = true;
            dense_.clear(data_.counts, record);
            if (next.company < 0) break;
            if (try_closing(home, i, gain, best)) joins = false;
            gain += places_[0].gain;
            path_.push_back(next);
            record = companies_[next.company].members[next.place], from = next.company;
            if (gain <= best) break;
        }
        if (best <= 0) return false;
        carry_out(home, i, joins);
        return true;
    }

    struct Place {
        int64_t gain;
        Step step;
        bool operator<(const Place& o) const {
            if (gain != o.gain) return gain > o.gain;
            return step.company != o.step.company ? step.company < o.step.company : step.place < o.step.place;
        }
    };

    // All places in neighbouring companies that the record might take without the chain turning into a loss, the best first.
    Step find_places(int64_t record, int64_t from, int64_t home, int64_t gain) {
        places_.clear();
        for (int64_t c : neighbours_[from]) {
            if (c == home || std::ranges::any_of(path_, [&](const Step& s) { return s.company == c; })) continue;
            const Company& there = companies_[c];
            for (int64_t p = 0; p < there.size(); ++p) {
                if (gain + there.slack(p) <= 0) continue;
                const int64_t change = there.size() * (dense_.against(there.others[p], data_.weight) - there.value);
                if (gain + change > 0 && fits(there, p, record)) places_.push_back({change, {c, p}});
            }
        }
        if (places_.empty()) return {-1, -1};
        const auto shown = std::min<std::size_t>(places_.size(), kClosings);
        std::partial_sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(shown), places_.end());
        places_.resize(shown);
        return places_[0].step;
    }

    // Ends the chain: somebody whose place was taken fills the first one.
    bool try_closing(int64_t home, int64_t i, int64_t gain, int64_t& best) {
        const Company& start = companies_[home];
        bool found = false;
        for (const Place& p : places_) {
            if (gain + p.gain <= best) break;
            const int64_t last = companies_[p.step.company].members[p.step.place];
            if (!fits(start, i, last)) continue;
            dense_.spread(data_.counts, last);
            const int64_t lost = start.size() * (dense_.against(start.others[i], data_.weight) - start.others_value[i]);
            dense_.clear(data_.counts, last);
            if (gain + p.gain + lost <= best) continue;
            best = gain + p.gain + lost;
            chosen_ = path_;
            chosen_.push_back(p.step);
            found = true;
        }
        return found;
    }

    // Ends the chain: the record in hand joins a company that has room, and the first place stays empty.
    bool try_joining(int64_t from, int64_t home, int64_t gain, int64_t& best) {
        bool found = false;
        for (int64_t c : neighbours_[from]) {
            if (c == home || std::ranges::any_of(path_, [&](const Step& s) { return s.company == c; })) continue;
            const Company& there = companies_[c];
            if (there.size() + 1 >= 2 * data_.k || gain + there.value <= best) continue;
            const int64_t after = (there.size() + 1) * dense_.against(there.meet, data_.weight);
            if (gain + after - there.size() * there.value <= best) continue;
            best = gain + after - there.size() * there.value;
            chosen_ = path_;
            chosen_.push_back({c, there.size()});
            found = true;
        }
        return found;
    }

    void carry_out(int64_t home, int64_t i, bool joins) {
        Company& start = companies_[home];
        int64_t record = start.members[i];
        if (joins) {
            companies_[chosen_.back().company].members.push_back(-1);
            start.members.erase(start.members.begin() + i);
        }
        for (const Step& s : chosen_) std::swap(record, companies_[s.company].members[s.place]);
        if (!joins) start.members[i] = record;
        refresh(start);
        for (const Step& s : chosen_) refresh(companies_[s.company]);
    }

    bool can_spare(const Company& c, int64_t i) const {
        if (c.size() <= data_.k) return false;
        if (!data_.owners_repeat) return true;
        Group rest = c.members;
        rest.erase(rest.begin() + i);
        return data_.people(rest) >= data_.k;
    }

    // A newcomer takes the place of one member: nobody else there may be the same person.
    bool fits(const Company& there, int64_t place, int64_t record) const {
        if (!data_.owners_repeat) return true;
        for (int64_t p = 0; p < there.size(); ++p)
            if (p != place && data_.owner[there.members[p]] == data_.owner[record]) return false;
        return true;
    }

    // Meets of all but one, by meets from the front and from the back.
    void refresh(Company& c) {
        const int64_t n = c.size();
        c.others.resize(n), c.others_value.resize(n);
        Meet running = whole(data_, c.members[n - 1]);
        for (int64_t i = n - 2; i >= 0; --i) {
            c.others[i] = running;
            intersect(running, data_, c.members[i]);
        }
        c.meet = running;
        c.value = value_of(running, data_.weight);
        running = whole(data_, c.members[0]);
        Meet both;
        for (int64_t i = 1; i < n; ++i) {
            if (i + 1 < n) {
                intersect(running, c.others[i], both);
                c.others[i].swap(both);
            } else {
                c.others[i] = running;
            }
            intersect(running, data_, c.members[i]);
        }
        for (int64_t i = 0; i < n; ++i) c.others_value[i] = value_of(c.others[i], data_.weight);
    }

    void find_neighbours() {
        const auto n = static_cast<int64_t>(companies_.size());
        const std::vector<Sketch> sketches = sketch_meets();
        neighbours_.assign(n, {});
        std::vector<std::pair<int32_t, int64_t>> near;
        for (int64_t g = 0; g < n; ++g) {
            near.clear();
            for (int64_t h = 0; h < n; ++h)
                if (h != g) near.emplace_back(distance(sketches[g], sketches[h]), h);
            const auto kept = std::min<int64_t>(options_.neighbours, static_cast<int64_t>(near.size()));
            std::ranges::nth_element(near, near.begin() + kept);
            near.resize(kept);
            std::ranges::sort(near);
            for (const auto& [far, h] : near) neighbours_[g].push_back(h);
        }
    }

    std::vector<Sketch> sketch_meets() const {
        std::vector<int64_t> mass(data_.nodes(), 0), flat;
        for (const Company& c : companies_)
            for (const Entry& e : c.meet) mass[e.node] += data_.weight[e.node] * e.count;
        Sketcher sketcher(data_.weight, mass);
        std::vector<Sketcher::Sums> sums(companies_.size());
        for (std::size_t g = 0; g < companies_.size(); ++g) {
            sums[g].fill(0);
            for (const Entry& e : companies_[g].meet) sketcher.add(sums[g], e.node, e.count);
            flat.insert(flat.end(), sums[g].begin(), sums[g].end());
        }
        sketcher.fit(flat);
        std::vector<Sketch> out;
        for (const auto& s : sums) out.push_back(sketcher.sketch(s));
        return out;
    }

    static constexpr std::size_t kClosings = 24;

    const Scored& data_;
    const RefineOptions& options_;
    Dense dense_;
    std::vector<Company> companies_;
    std::vector<std::vector<int64_t>> neighbours_;
    std::vector<Place> places_;
    std::vector<Step> path_, chosen_;
};

}  // namespace

std::vector<Entry> meet_of(const Scored& data, const Group& group) {
    Meet meet = whole(data, group[0]);
    for (std::size_t i = 1; i < group.size() && !meet.empty(); ++i) intersect(meet, data, group[i]);
    return meet;
}

int64_t refine_block(const Scored& data, std::vector<Group>& groups, std::span<const int64_t> chosen, const RefineOptions& options,
                  Task& task) {
    std::vector<Group> mine;
    for (int64_t g : chosen) mine.push_back(std::move(groups[g]));
    Refiner refiner(data, options, std::move(mine));
    const int64_t improved = refiner.run(task);
    for (std::size_t i = 0; i < chosen.size(); ++i) groups[chosen[i]] = refiner.group(static_cast<int64_t>(i));
    return improved;
}

}  // namespace shoal
