#include "itemsets/extender.hpp"

namespace shoal {

namespace {

// Records are projected on the first items of a prefix, so that one projection serves many classes.
constexpr std::size_t projected = 2;

std::size_t depth_of_base(std::size_t prefix) { return prefix <= projected ? prefix : std::max(projected, prefix - 2); }

}  // namespace

bool SearchData::dense(int64_t columns) const {
    return !data.owners_repeat() && Projection::suits(static_cast<int64_t>(ranked.values.size()), ranked.size(), columns);
}

void Extract::seen(int64_t n) {
    ++counted;
    if (fewest < 0 || n < fewest) fewest = n;
}

void Extract::note_mole(std::span<const int32_t> set, int64_t n, const Breach& breach) {
    const auto begin = static_cast<int64_t>(moles.values.size());
    moles.values.insert(moles.values.end(), set.begin(), set.end());
    std::sort(moles.values.begin() + begin, moles.values.end());
    if (breach.item >= 0) breaches.emplace_back(moles.size(), breach);
    moles.close();
    people.push_back(static_cast<int32_t>(n));
}

bool Extract::admits(std::span<const int32_t> set, int64_t n, const Breach& worst, const MoleQuestion& ask) {
    seen(n);
    if (n >= ask.k && worst.exceeds(greatest)) greatest = worst;
    if (n >= ask.k && worst.holders <= ask.h.of(worst.cohort)) return true;
    note_mole(set, n, n >= ask.k ? worst : Breach{});
    return false;
}

void Extract::take(Extract&& other) {
    const auto shift = static_cast<int64_t>(moles.values.size());
    for (const auto& [mole, breach] : other.breaches) breaches.emplace_back(mole + moles.size(), breach);
    moles.values.insert(moles.values.end(), other.moles.values.begin(), other.moles.values.end());
    for (std::size_t i = 1; i < other.moles.start.size(); ++i) moles.start.push_back(other.moles.start[i] + shift);
    people.insert(people.end(), other.people.begin(), other.people.end());
    if (other.fewest >= 0 && (fewest < 0 || other.fewest < fewest)) fewest = other.fewest;
    counted += other.counted;
    if (other.greatest.exceeds(greatest)) greatest = other.greatest;
    other = Extract{};
}

Extender::Extender(const SearchData& search_data, const SetTree& set_tree, bool keep)
    : shared_(search_data), sets_so_far_(set_tree), keep_(keep), counter_(search_data.data), slot_(search_data.items.size(), -1) {}

// The items after the set's last one with which all its subsets are non-moles too, each with the least of the subsets' bounds.
void Extender::gather_candidates(int64_t member, int64_t end) {
    const int64_t size = sets_so_far_.depth();
    const Level& level = sets_so_far_.deepest();
    candidates_.clear();
    for (int64_t m = member + 1; m < end; ++m) candidates_.push_back({level.item[m], std::min(level.bound[m], level.bound[member])});
    for (std::size_t left_out = 0; left_out < prefix_.size() && !candidates_.empty(); ++left_out) {
        subset_.clear();
        for (std::size_t j = 0; j < prefix_.size(); ++j)
            if (j != left_out) subset_.push_back(prefix_[j]);
        subset_.push_back(last_);
        auto [at, stop] = sets_so_far_.extensions(size - 1, sets_so_far_.find(subset_));
        std::size_t kept = 0;
        for (const Candidate c : candidates_) {
            while (at < stop && level.item[at] < c.item) ++at;
            if (at == stop) break;
            if (level.item[at] == c.item) candidates_[kept++] = {c.item, std::min(c.bound, level.bound[at])};
        }
        candidates_.resize(kept);
    }
}

template <class Worst>
void Extender::judge(const Candidate& candidate, int64_t people, Extract& out, Worst&& worst) {
    if (people == 0) return;
    out.seen(people);
    const MoleQuestion& ask = shared_.ask;
    Breach breach;
    int32_t bound = candidate.bound;
    if (people >= ask.k) {
        const int64_t allowed = ask.h.of(people);
        const bool doubtful = bound > allowed || (ask.achieved && Breach{0, bound, people}.exceeds(out.greatest));
        if (doubtful) {
            breach = worst(ask.achieved ? std::min(allowed, Share{out.greatest.holders, out.greatest.cohort}.of(people)) : allowed);
            if (breach.item >= 0 && breach.exceeds(out.greatest)) out.greatest = breach;
            if (!shared_.data.owners_repeat()) bound = static_cast<int32_t>(breach.holders);
        }
        if (breach.holders <= ask.h.of(breach.cohort)) {
            if (keep_) {
                if ((out.level.item.size() & 0xffff) == 0xffff) shared_.keep(0x10000);
                out.level.item.push_back(candidate.item);
                out.level.bound.push_back(bound);
                ++out.children.back();
            }
            return;
        }
    }
    set_.clear();
    for (int32_t rank : prefix_) set_.push_back(shared_.items[rank]);
    set_.push_back(shared_.items[last_]);
    set_.push_back(shared_.items[candidate.item]);
    out.note_mole(set_, people, breach);
}

// -- on lists: every record hands its number to the buckets of its items

void Extender::extend_by_lists(std::span<const int32_t> tids, Extract& out) {
    if (candidates_.empty()) return;
    if (buckets_.size() < candidates_.size()) buckets_.resize(candidates_.size());
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
        slot_[candidates_[c].item] = static_cast<int32_t>(c);
        buckets_[c].clear();
    }
    for (int32_t t : tids) {
        const auto row = shared_.ranked[t];
        for (std::size_t j = row.size(); j-- > 0 && row[j] > last_;)
            if (slot_[row[j]] >= 0) buckets_[slot_[row[j]]].push_back(t);
    }
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
        slot_[candidates_[c].item] = -1;
        const int64_t people = shared_.data.people(buckets_[c]);
        judge(candidates_[c], people, out, [&](int64_t) { return counter_.worst(buckets_[c], people); });
    }
}

void Extender::extend_item(int64_t item, Extract& out, const Task& task) {
    if (sets_so_far_.depth() == 1) return extend_single(item, out);
    int64_t begin = item, end = item + 1;
    for (int64_t level = 1; level + 1 < sets_so_far_.depth(); ++level) {
        begin = sets_so_far_.level(level).first[begin];
        end = sets_so_far_.level(level).first[end];
    }
    for (int64_t prefix = begin; prefix < end; ++prefix) {
        if (prefix % 64 == 0) task.check();
        extend_class(prefix, out);
    }
}

void Extender::extend_single(int64_t member, Extract& out) {
    last_ = sets_so_far_.deepest().item[member];
    out.children.push_back(0);
    prefix_ = {last_};
    Base& alone = base(1);
    prefix_.clear();
    gather_candidates(member, sets_so_far_.deepest().size());
    if (!alone.dense) return extend_by_lists(shared_.columns[last_], out);
    prefix_bits_.assign(alone.records.words(), ~uint64_t{0});
    extend_by_bits(alone.records, prefix_bits_.data(), out);
}

// The tids of the first `depth` items of the prefix; what the class before shared with it is not found again.
std::span<const int32_t> Extender::cohort(std::size_t depth) {
    std::size_t shared = 0;
    while (shared < std::min(stack_items_.size(), depth) && stack_items_[shared] == prefix_[shared]) ++shared;
    if (shared < depth) {
        stack_items_.assign(prefix_.begin(), prefix_.begin() + static_cast<std::ptrdiff_t>(depth));
        if (stack_.size() < depth) stack_.resize(depth);
        for (std::size_t d = std::max<std::size_t>(shared, 1); d < depth; ++d) {
            const auto above = d == 1 ? shared_.columns[prefix_[0]] : std::span<const int32_t>(stack_[d - 1]);
            intersect(above, shared_.columns[prefix_[d]], stack_[d]);
        }
    }
    return depth == 1 ? shared_.columns[prefix_[0]] : std::span<const int32_t>(stack_[depth - 1]);
}

void Extender::extend_class_by_lists(int64_t begin, int64_t end, Extract& out) {
    const auto n = static_cast<std::size_t>(end - begin);
    const auto& item = sets_so_far_.deepest().item;
    if (class_buckets_.size() < n) class_buckets_.resize(n);
    for (std::size_t m = 0; m < n; ++m) {
        slot_[item[begin + static_cast<int64_t>(m)]] = static_cast<int32_t>(m);
        class_buckets_[m].clear();
    }
    for (int32_t t : cohort(prefix_.size())) {
        const auto row = shared_.ranked[t];
        for (std::size_t j = row.size(); j-- > 0 && row[j] > prefix_.back();)
            if (slot_[row[j]] >= 0) class_buckets_[slot_[row[j]]].push_back(t);
    }
    for (int64_t m = begin; m < end; ++m) slot_[item[m]] = -1;
    for (int64_t m = begin; m < end; ++m) {
        last_ = item[m];
        out.children.push_back(0);
        gather_candidates(m, end);
        extend_by_lists(class_buckets_[static_cast<std::size_t>(m - begin)], out);
    }
}

void Extender::extend_class(int64_t prefix, Extract& out) {
    const int64_t size = sets_so_far_.depth();
    const auto [begin, end] = sets_so_far_.extensions(size - 1, prefix);
    if (begin == end) return;
    sets_so_far_.path(size - 1, prefix, prefix_);
    if (end - begin == 1) {
        out.children.push_back(0);
        return;
    }
    const std::size_t depth = depth_of_base(prefix_.size());
    if (Base& first = base(depth); first.dense)
        extend_class_by_bits(first.records, depth, begin, end, out);
    else
        extend_class_by_lists(begin, end, out);
}

// -- on bitsets of the records that hold the prefix's first items

Extender::Base& Extender::base(std::size_t depth) {
    bases_.reserve(std::max(depth, static_cast<std::size_t>(shared_.ask.p)));  // projections point to one another
    while (bases_.size() < depth) bases_.push_back({{}, false, false, Projection(shared_.data, shared_.ranked, shared_.items.size())});
    Base& here = bases_[depth - 1];
    const std::span<const int32_t> wanted(prefix_.data(), depth);
    if (here.ready && std::ranges::equal(here.prefix, wanted)) return here;
    here.ready = true;
    here.prefix.assign(wanted.begin(), wanted.end());
    // What may be added to the prefix is known but for the first level, where it is every later item.
    const bool extended = static_cast<int64_t>(depth) < sets_so_far_.depth();
    const auto [begin, end] = extended ? sets_so_far_.extensions(static_cast<int64_t>(depth), sets_so_far_.find(wanted))
                                       : std::pair<int64_t, int64_t>{wanted.back() + 1, sets_so_far_.deepest().size()};
    here.dense = begin < end && shared_.dense(end - begin);
    if (here.dense)
        fill(here, depth, std::span(sets_so_far_.level(extended ? static_cast<int64_t>(depth) + 1 : 1).item).subspan(begin, end - begin));
    return here;
}

void Extender::fill(Base& here, std::size_t depth, std::span<const int32_t> items) {
    const int32_t last = prefix_[depth - 1];
    if (depth == 1 && shared_.whole) return here.records.narrow(*shared_.whole, shared_.whole->column(last), items);
    if (depth > 1)
        if (Base& above = base(depth - 1); above.dense) return here.records.narrow(above.records, above.records.column(last), items);
    here.records.read(cohort(depth), items);
}

void Extender::extend_class_by_bits(Projection& records, std::size_t depth, int64_t begin, int64_t end, Extract& out) {
    const auto& item = sets_so_far_.deepest().item;
    prefix_bits_.assign(records.words(), ~uint64_t{0});
    set_bits_.resize(records.words());
    for (std::size_t d = depth; d < prefix_.size(); ++d)
        and_into(prefix_bits_.data(), prefix_bits_.data(), records.column(prefix_[d]), records.words());
    for (int64_t m = begin; m < end; ++m) {
        last_ = item[m];
        out.children.push_back(0);
        gather_candidates(m, end);
        if (candidates_.empty()) continue;
        and_into(set_bits_.data(), prefix_bits_.data(), records.column(last_), records.words());
        extend_by_bits(records, set_bits_.data(), out);
    }
}

void Extender::extend_by_bits(Projection& records, const uint64_t* cohort, Extract& out) {
    pair_bits_.resize(records.words());
    for (const Candidate& c : candidates_) {
        const uint64_t* added = records.column(c.item);
        const int64_t people = count_and(cohort, added, records.words());
        judge(c, people, out, [&](int64_t limit) {
            and_into(pair_bits_.data(), cohort, added, records.words());
            return records.worst(pair_bits_.data(), people, limit, counter_);
        });
    }
}

}  // namespace shoal
