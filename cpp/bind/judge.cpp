// Bindings of the judge: what models count with, and no method calls.
#include <nanobind/nanobind.h>

#include "bind/values.hpp"
#include "judge/certainty.hpp"
#include "judge/classes.hpp"
#include "judge/generalizes.hpp"
#include "judge/known_sets.hpp"
#include "judge/matching.hpp"
#include "judge/people.hpp"
#include "judge/words.hpp"
#include "text/arrow.hpp"
#include "text/strings.hpp"
#include "text/text_column.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

Shown shown(const BoundRows& rows, const I64& row, const I64& owner, const U8& open, const U8& hidden) {
    same_size(open.shape(0), hidden.shape(0));
    const Rows& in = rows.below(open.shape(0));
    indices_within(span(row), in.size());
    need(row.shape(0) <= static_cast<std::size_t>(std::numeric_limits<int32_t>::max()), "at most 2,147,483,647 records");
    need(owner.shape(0) == 0 || owner.shape(0) == row.shape(0), "an owner for every record, or none at all");
    for (std::size_t i = 1; i < owner.shape(0); ++i) need(owner.data()[i - 1] <= owner.data()[i], "records sorted by owner");
    return {in, span(row), span(owner), span(open), span(hidden)};
}

nb::object sets_for_python(KnownSets&& found) {
    nb::list examples;
    for (UnsafeSet& set : found.examples)
        examples.append(nb::make_tuple(hand_over(std::move(set.items)), set.people, set.hidden, set.holders, set.cohort));
    nb::dict out;
    out["counted"] = found.counted;
    out["few"] = found.few;
    out["telling"] = found.telling;
    out["examples"] = examples;
    out["fewest"] = found.fewest;
    out["holders"] = found.holders;
    out["cohort"] = found.cohort;
    return out;
}

// Which sets are looked at, and what makes one unsafe.
struct SetQuestion {
    int64_t size;
    Limits limits;
    int64_t most_examples;
};

void bind_counting(nb::module_& m) {
    nb::class_<SetQuestion>(m, "SetQuestion", "Which sets of open items are looked at, and what makes one unsafe.")
        .def(
            "__init__",
            [](SetQuestion* self, int64_t size, int64_t k, int64_t h_numerator, int64_t h_denominator, int64_t most_examples) {
                need(size >= 0, "sets of no fewer than 0 items");
                need(k >= 1 && h_denominator > 0 && h_numerator >= 0 && most_examples >= 0,
                     "k of at least 1 and a fraction h of at least 0");
                new (self) SetQuestion{size, {k, h_numerator, h_denominator}, most_examples};
            },
            nb::kw_only(), "size"_a, "k"_a, "h_numerator"_a, "h_denominator"_a, "most_examples"_a);
    m.def(
        "row_classes",
        [](const BoundRows& rows, int threads, Task& task) {
            const Rows& in = rows.view;
            return hand_over(unlocked([&] { return row_classes(in, threads, task); }));
        },
        "rows"_a, "threads"_a, "task"_a);
    m.def(
        "known_sets",
        [](const BoundRows& rows, I64 row, I64 owner, U8 open, U8 hidden, const SetQuestion& question, int threads, Task& task) {
            need(question.size <= static_cast<int64_t>(open.shape(0)), "sets of at most all items");
            const Shown data = shown(rows, row, owner, open, hidden);
            return sets_for_python(
                unlocked([&] { return known_sets(data, question.size, question.limits, question.most_examples, threads, task); }));
        },
        "rows"_a, "row"_a, "owner"_a, "open"_a, "hidden"_a, "question"_a, "threads"_a, "task"_a);
}

nb::object rules_for_python(Certainty&& found) {
    nb::list rules;
    for (TellingRule& rule : found.rules)
        rules.append(nb::make_tuple(hand_over(std::move(rule.known)), rule.hidden, rule.holders, rule.cohort));
    nb::dict out;
    out["rules"] = rules;
    out["searched"] = found.searched;
    return out;
}

void bind_certainty(nb::module_& m) {
    m.def(
        "greatest_certainty",
        [](const BoundRows& rows, I64 row, I64 owner, U8 open, U8 hidden, int64_t most, int threads, Task& task) {
            const Shown data = shown(rows, row, owner, open, hidden);
            return rules_for_python(unlocked([&] { return greatest_certainty(data, most, threads, task); }));
        },
        "rows"_a, "row"_a, "owner"_a, "open"_a, "hidden"_a, "most"_a, "threads"_a, "task"_a);
}

void bind_largest_matching(nb::module_& m) {
    m.def(
        "largest_matching",
        [](I64 of, I64 record, I64 wanted, int64_t records, Task& task) {
            need(of.shape(0) == record.shape(0), "a record for every class");
            indices_within(span(of), static_cast<int64_t>(wanted.shape(0)));
            indices_within(span(record), records);
            return unlocked([&] { return largest_matching(span(of), span(record), span(wanted), records, task); });
        },
        "of"_a, "record"_a, "wanted"_a, "records"_a, "task"_a);
}

void bind_people_of_units(nb::module_& m) {
    m.def(
        "people_of_units",
        [](I32 query, I64 who, I64 starts, I32 units, int64_t n_units, Task& task) {
            need(query.shape(0) == who.shape(0), "a person for every row");
            group_starts(span(starts), units.shape(0));
            indices_within(span(query), static_cast<int64_t>(starts.shape(0)) - 1);
            indices_within(span(units), n_units);
            return hand_over(unlocked([&] { return people_of_units(span(query), span(who), span(starts), span(units), n_units, task); }));
        },
        "query"_a, "who"_a, "starts"_a, "units"_a, "n_units"_a, "task"_a, "The number of different people with each unit.");
}

// The strings of a series' stream, and the capsule that holds them.
const Strings& strings_of(nb::handle capsule, std::unique_ptr<Strings>& place) {
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    place = std::make_unique<Strings>(stream);
    return *place;
}

NumberSequences sequences(const I64& starts, const I32& numbers) {
    group_starts(span(starts), numbers.shape(0));
    return {span(starts), span(numbers)};
}

void bind_words(nb::module_& m) {
    m.def(
        "doubtful_blanks",
        [](nb::object stream, Task& task) {
            std::unique_ptr<Strings> place;
            const Strings& texts = strings_of(stream, place);
            return hand_over(unlocked([&] { return doubtful_blanks(texts.views(), task); }));
        },
        "stream"_a, "task"_a, "The places of texts whose blanks need a closer look.");
    m.def(
        "text_words",
        [](nb::object stream, int64_t most_bytes, Task& task) {
            std::unique_ptr<Strings> place;
            const Strings& texts = strings_of(stream, place);
            std::vector<TextColumn> words;
            TextWords found = unlocked([&] {
                TextWords read = text_words(texts.views(), task);
                words = TextColumn::several(read.words, most_bytes);
                return read;
            });
            return std::tuple(hand_over(std::move(found.starts)), hand_over(std::move(found.numbers)), std::move(words));
        },
        "stream"_a, "most_bytes"_a, "task"_a,
        "The words of texts between blanks as numbers, and the different words in the order of their numbers, in columns of so many bytes.");
    m.def(
        "places_of_equals",
        [](I64 starts, I32 numbers, I64 shown_starts, I32 shown_numbers, Task& task) {
            const NumberSequences sought = sequences(starts, numbers), shown = sequences(shown_starts, shown_numbers);
            return hand_over(unlocked([&] { return places_of_equals(sought, shown, task); }));
        },
        "starts"_a, "numbers"_a, "shown_starts"_a, "shown_numbers"_a, "task"_a,
        "The place of the equal sequence among those shown; numbers below 0 are none.");
    m.def(
        "sums_of_units",
        [](I64 weights, I64 starts, I32 units, int64_t n_units, Task& task) {
            need(starts.shape(0) == weights.shape(0) + 1, "a weight for every text");
            indices_within(span(units), n_units);
            const NumberSequences texts = sequences(starts, units);
            return hand_over(unlocked([&] { return sums_of_units(span(weights), texts, n_units, task); }));
        },
        "weights"_a, "starts"_a, "units"_a, "n_units"_a, "task"_a);
}

void bind_generalizes(nb::module_& m) {
    m.def(
        "generalizes_pairs",
        [](const BoundRows& originals, const BoundRows& published, I64 record, I64 row, const BoundTree& tree, int threads, Task& task) {
            const Rows &in = originals.on_tree(tree.size()), &out = published.on_tree(tree.size());
            need(record.shape(0) == row.shape(0), "as many records as rows");
            indices_within(span(record), in.size());
            indices_within(span(row), out.size());
            return hand_over(unlocked(
                [&] { return generalizes_pairs(in, out, span(record), span(row), span(tree.end), span(tree.depth), threads, task); }));
        },
        "originals"_a, "published"_a, "record"_a, "row"_a, "tree"_a, "threads"_a, "task"_a);
    m.def(
        "generalizes",
        [](const BoundRows& originals, const BoundRows& published, I64 row, const BoundTree& tree, int threads, Task& task) {
            const Rows &in = originals.on_tree(tree.size()), &out = published.on_tree(tree.size());
            need(row.shape(0) == originals.size(), "one published row per original record");
            rows_or_none(span(row), out.size());
            return hand_over(unlocked([&] { return generalizes(in, out, span(row), span(tree.end), span(tree.depth), threads, task); }));
        },
        "originals"_a, "published"_a, "row"_a, "tree"_a, "threads"_a, "task"_a);
}

}  // namespace

void bind_judge(nb::module_& m) {
    bind_counting(m);
    bind_certainty(m);
    bind_largest_matching(m);
    bind_people_of_units(m);
    bind_words(m);
    bind_generalizes(m);
}
