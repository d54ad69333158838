// Bindings of the kernels on terms with several senses.
#include "semantic/senses.hpp"

#include "bind/values.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

// Holds on to the arrays that a table of terms looks at.
struct BoundSenses {
    BoundRows terms;
    I32 level;
    Senses view;

    BoundSenses(const BoundRows& terms_, I32 level_)
        : terms(terms_), level(std::move(level_)), view{terms.below(level.shape(0)), span(level)} {
        for (int32_t one : view.level) need(one >= 1 && one <= kDeepest, "levels from 1 to the deepest");
        for (std::size_t i = 0; i < view.terms.ids.size(); ++i)
            need(view.terms.counts[i] >= view.level[view.terms.ids[i]] && view.terms.counts[i] <= kDeepest,
                 "senses at or below their nodes");
    }
    void hold(std::span<const int32_t> list) const {
        for (int32_t term : list) need(term >= 0 && term < view.terms.size(), "terms that are there");
    }
};

}  // namespace

void bind_senses(nb::module_& m) {
    m.attr("ALIKE") = kAlike;
    m.attr("DEEPEST") = kDeepest;
    nb::class_<BoundSenses>(m, "Senses",
                            "Terms as rows of the nodes at or above their senses, each with the least level of a sense below it.")
        .def(nb::init<const BoundRows&, I32>(), "terms"_a, "level"_a);
    m.def(
        "match_terms",
        [](const BoundSenses& senses, I32 left, I32 right) {
            senses.hold(span(left));
            senses.hold(span(right));
            TermMatching found = unlocked([&] { return match_terms(senses.view, span(left), span(right)); });
            return std::tuple(hand_over(std::move(found.partner)), hand_over(std::move(found.common)), found.similarity);
        },
        "senses"_a, "left"_a, "right"_a,
        "The matching of the largest total similarity: partners of the left terms, common nodes, the total in units of 1 / ALIKE.");
    m.def(
        "matched_similarities",
        [](const BoundSenses& senses, const BoundRows& documents, int threads, Task& task) {
            const Rows& in = documents.below(senses.terms.size());
            return hand_over(unlocked([&] { return matched_similarities(senses.view, in, threads, task); }));
        },
        "senses"_a, "documents"_a, "threads"_a, "task"_a,
        "The largest total similarity of a matching for every two documents, in units of 1 / ALIKE.");
}
