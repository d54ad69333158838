// Itemset kernels for Python: supports, minimal moles, their greedy elimination and its improvement, rules.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <string>

#include "bind/values.hpp"
#include "itemsets/eliminate.hpp"
#include "itemsets/itemsets.hpp"
#include "itemsets/moles.hpp"
#include "itemsets/rare_pairs_hit.hpp"
#include "itemsets/restore.hpp"
#include "itemsets/rules.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

Lists lists(const I64& start, const I32& values, int64_t below) {
    need(start.shape(0) >= 1 && start.data()[0] == 0, "list starts that begin at 0");
    need(start.data()[start.shape(0) - 1] == static_cast<int64_t>(values.shape(0)), "list starts that span all values");
    for (std::size_t i = 1; i < start.shape(0); ++i) need(start.data()[i - 1] <= start.data()[i], "list starts that rise");
    for (int32_t v : span(values)) need(v >= 0 && v < below, "values below the number of items");
    for (std::size_t i = 1; i < start.shape(0); ++i)
        for (int64_t at = start.data()[i - 1] + 1; at < start.data()[i]; ++at)
            need(values.data()[at - 1] < values.data()[at], "values that rise within a list");
    Lists out;
    out.start.assign(start.data(), start.data() + start.shape(0));
    out.values.assign(values.data(), values.data() + values.shape(0));
    return out;
}

Transactions transactions(const BoundRows& rows, const U8& role, const I64& owners) {
    const Rows& in = rows.below(role.shape(0));
    for (std::size_t i = 0; i < role.shape(0); ++i) need(role.data()[i] <= Role::hidden, "roles that are known");
    need(owners.shape(0) == 0 || static_cast<int64_t>(owners.shape(0)) == in.size(), "an owner for every record, or none at all");
    for (std::size_t i = 1; i < owners.shape(0); ++i) need(owners.data()[i - 1] <= owners.data()[i], "records sorted by owner");
    return split_by_role(in, {role.data(), role.shape(0)}, span(owners));
}

nb::object moles_for_python(Moles&& found) {
    nb::dict out;
    out["start"] = hand_over(std::move(found.sets.start));
    out["items"] = hand_over(std::move(found.sets.values));
    out["people"] = hand_over(std::move(found.people));
    out["hidden"] = hand_over(std::move(found.hidden));
    out["holders"] = hand_over(std::move(found.holders));
    out["cohort"] = hand_over(std::move(found.cohort));
    out["fewest"] = found.fewest;
    out["greatest"] = nb::make_tuple(found.greatest.holders, found.greatest.cohort);
    out["counted"] = found.counted;
    return out;
}

RuleRecords rule_records(const BoundRows& rows, const I64& owners, const U8& hidden, const U8& first) {
    const Rows& in = rows.below(hidden.shape(0));
    need(in.size() <= std::numeric_limits<int32_t>::max(), "at most 2,147,483,647 records");
    need(owners.shape(0) == 0 || static_cast<int64_t>(owners.shape(0)) == in.size(), "an owner for every record, or none at all");
    for (std::size_t i = 1; i < owners.shape(0); ++i) need(owners.data()[i - 1] <= owners.data()[i], "records sorted by owner");
    need(first.shape(0) == 0 || first.shape(0) == hidden.shape(0), "a mark for every item, or none at all");
    return {in, span(owners), span(hidden), span(first)};
}

nb::object rules_for_python(Rules&& found) {
    nb::dict out;
    out["start"] = hand_over(std::move(found.sets.start));
    out["items"] = hand_over(std::move(found.sets.values));
    out["hidden"] = hand_over(std::move(found.hidden));
    out["size"] = found.size;
    out["complete"] = found.complete;
    out["may_be_longer"] = found.may_be_longer;
    return out;
}

void bind_rules(nb::module_& m) {
    nb::class_<RuleQuestion>(m, "RuleQuestion", "Which rules give a hidden item away.")
        .def(
            "__init__",
            [](RuleQuestion* self, int64_t size, int64_t largest, int64_t numerator, int64_t denominator, int64_t most, int64_t work) {
                need(size >= 0 && work >= 0 && largest >= size && most >= 1, "sets of no fewer than 0 items, and at least one rule");
                need(denominator > 0 && numerator >= 0, "a limit of at least 0");
                new (self) RuleQuestion{size, largest, {numerator, denominator}, most, work};
            },
            nb::kw_only(), "size"_a, "largest"_a, "numerator"_a, "denominator"_a, "most"_a, "work"_a);
    m.def(
        "breaching_rules",
        [](const BoundRows& rows, I64 owners, U8 hidden, U8 first, const RuleQuestion& question, int threads, Task& task) {
            const RuleRecords records = rule_records(rows, owners, hidden, first);
            return rules_for_python(unlocked([&] { return breaching_rules(records, question, threads, task); }));
        },
        "rows"_a, "owners"_a, "hidden"_a, "first"_a, "question"_a, "threads"_a, "task"_a);
}

void bind_hitting(nb::module_& m) {
    m.def(
        "eliminate_moles",
        [](I64 start, I32 values, I64 loss, const char* score, Task& task) {
            not_negative(span(loss));
            const std::string_view wanted(score);
            need(wanted == "mm/il" || wanted == "mm" || wanted == "1/il", "a score of mm/il, mm or 1/il");
            const MoleScore by = wanted == "mm/il" ? MoleScore::per_loss : wanted == "mm" ? MoleScore::number : MoleScore::least_loss;
            const auto items = static_cast<int64_t>(loss.shape(0));
            Elimination found = unlocked([&] {
                const Lists moles = lists(start, values, items);
                task.check();
                return eliminate(ListedMoles(moles, items), span(loss), by, task);
            });
            return std::tuple(hand_over(std::move(found.items)), hand_over(std::move(found.removed)));
        },
        "start"_a, "values"_a, "loss"_a, "score"_a, "task"_a);
    m.def(
        "improve_hitting",
        [](I64 start, I32 values, I64 loss, I64 items, Task& task) {
            not_negative(span(loss));
            indices_within(span(items), static_cast<int64_t>(loss.shape(0)));
            return hand_over(unlocked([&] {
                const Lists moles = lists(start, values, static_cast<int64_t>(loss.shape(0)));
                std::vector<char> gone(loss.shape(0), 0);
                for (int64_t item : span(items)) gone[item] = 1;
                for (int64_t m = 0; m < moles.size(); ++m)
                    need(std::ranges::any_of(moles[m], [&](int32_t item) { return gone[item] != 0; }), "items that hit every set");
                task.check();
                const ListedMoles listed(moles, static_cast<int64_t>(loss.shape(0)));
                task.check();
                return improve_hitting(listed, span(loss), span(items), task);
            }));
        },
        "start"_a, "values"_a, "loss"_a, "items"_a, "task"_a);
    m.def(
        "hit_rare_pairs",
        [](const BoundRows& rows, I64 owners, int64_t k, int64_t most, I64 loss, int threads, Task& task) {
            const auto items = static_cast<int64_t>(loss.shape(0));
            const Rows& in = rows.below(loss.shape(0));
            need(k >= 1 && (most == 1 || most == 2), "k of at least 1, and sets of one or two items");
            need(in.size() <= std::numeric_limits<int32_t>::max(), "at most 2,147,483,647 records");
            need(owners.shape(0) == 0 || static_cast<int64_t>(owners.shape(0)) == in.size(), "an owner for every record, or none at all");
            for (std::size_t i = 1; i < owners.shape(0); ++i) need(owners.data()[i - 1] <= owners.data()[i], "records sorted by owner");
            not_negative(span(loss));
            return hand_over(
                unlocked([&] { return hit_pairs(rare_pairs(in, span(owners), items, k, most, threads, task), span(loss), task); }));
        },
        "rows"_a, "owners"_a, "k"_a, "most"_a, "loss"_a, "threads"_a, "task"_a);
}

}  // namespace

void bind_itemsets(nb::module_& m) {
    bind_rules(m);
    nb::class_<MoleQuestion>(m, "MoleQuestion", "Which sets of public items are unsafe.")
        .def(
            "__init__",
            [](MoleQuestion* self, int64_t k, int64_t h_numerator, int64_t h_denominator, int64_t p, bool achieved) {
                need(h_denominator > 0 && h_numerator >= 0, "a fraction h of at least 0");
                need(k >= 1 && p >= 0, "k of at least 1 and p of at least 0");
                new (self) MoleQuestion{k, {h_numerator, h_denominator}, p, achieved};
            },
            nb::kw_only(), "k"_a, "h_numerator"_a, "h_denominator"_a, "p"_a, "achieved"_a);
    m.def(
        "itemset_supports",
        [](const BoundRows& rows, U8 role, I64 owners, I64 start, I32 values, int threads, Task& task) {
            const auto items = static_cast<int64_t>(role.shape(0));
            const Transactions data = transactions(rows, role, owners);
            const Lists sets = lists(start, values, items);
            Supports found = unlocked([&] { return itemset_supports(data, sets, items, threads, task); });
            return std::tuple(hand_over(std::move(found.people)), hand_over(std::move(found.records)), hand_over(std::move(found.hidden)),
                              hand_over(std::move(found.holders)), hand_over(std::move(found.cohort)));
        },
        "rows"_a, "role"_a, "owners"_a, "start"_a, "values"_a, "threads"_a, "task"_a);
    m.def(
        "minimal_moles",
        [](const BoundRows& rows, U8 role, I64 owners, const MoleQuestion& question, int threads, Task& task) {
            const auto items = static_cast<int64_t>(role.shape(0));
            const Transactions data = transactions(rows, role, owners);
            return moles_for_python(unlocked([&] { return minimal_moles(data, items, question, threads, task); }));
        },
        "rows"_a, "role"_a, "owners"_a, "question"_a, "threads"_a, "task"_a);
    bind_hitting(m);
}
