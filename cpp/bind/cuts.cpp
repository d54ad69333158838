// Kernels of k^m-anonymity for Python: global and local recoding along a taxonomy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string_view>

#include "bind/values.hpp"
#include "cuts/apriori.hpp"
#include "cuts/ascend.hpp"
#include "cuts/descend.hpp"
#include "cuts/lower.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

// Where a recoding begins: with rare sets generalized size by size or all at once, with everything at the root, or with nothing published.
enum class Start { by_size, at_once, root, nothing };

// What is asked for, and which steps lead there.
struct RecodingPlan {
    int64_t k, m, suppressed;
    Start start;
    bool undo, suppress, local;
};

void begin(Cut& cut, Start start, Task& task) {
    if (start == Start::root)
        cut.merge(0);
    else
        generalize_rare_sets(cut, start == Start::by_size, task);
}

std::vector<int32_t> recode(const RecodingProblem& problem, std::span<const uint8_t> settled, const RecodingPlan& plan, Task& task) {
    Tokens tokens(problem);
    if (plan.start == Start::nothing) {
        tokens.clear();
        ascend(tokens, settled, task);
        return tokens.published();
    }
    Cut cut(tokens);
    begin(cut, plan.start, task);
    if (plan.undo) descend(cut, plan.suppress, task);
    if (plan.local) lower(tokens, task);
    return tokens.published();
}

Start start_named(std::string_view name) {
    if (name == "by size") return Start::by_size;
    if (name == "at once") return Start::at_once;
    if (name == "root") return Start::root;
    need(name == "nothing", "a start by size, at once, at the root or with nothing");
    return Start::nothing;
}

}  // namespace

void bind_cuts(nb::module_& m) {
    nb::class_<RecodingPlan>(m, "RecodingPlan", "How many people must hold any set of how many items, and which steps lead there.")
        .def(
            "__init__",
            [](RecodingPlan* self, int64_t k, int64_t m, int64_t suppressed, const char* start, bool undo, bool suppress, bool local) {
                need(k >= 1 && m >= 1 && suppressed >= 1, "k, m and the loss of a suppressed item of at least 1");
                new (self) RecodingPlan{k, m, suppressed, start_named(start), undo, suppress, local};
            },
            nb::kw_only(), "k"_a, "m"_a, "suppressed"_a, "start"_a, "undo"_a, "suppress"_a, "local"_a);
    m.def(
        "recode_rare_sets",
        [](const BoundRows& rows, I64 owners, const BoundTree& tree, I64 loss, U8 publishable, U8 settled, const RecodingPlan& plan,
           Task& task) {
            same_size(loss.shape(0), tree.size());
            same_size(publishable.shape(0), tree.size());
            same_size(settled.shape(0), tree.size());
            const Rows& in = rows.below(tree.size());
            need(in.size() <= std::numeric_limits<int32_t>::max(), "at most 2,147,483,647 records");
            need(owners.shape(0) == 0 || static_cast<int64_t>(owners.shape(0)) == in.size(), "an owner for every record, or none at all");
            for (std::size_t i = 1; i < owners.shape(0); ++i) need(owners.data()[i - 1] <= owners.data()[i], "records sorted by owner");
            not_negative(span(loss));
            const RecodingProblem problem{in, span(owners), tree.view(), span(loss), span(publishable), plan.suppressed, plan.k, plan.m};
            return hand_over(unlocked([&] { return recode(problem, span(settled), plan, task); }));
        },
        "rows"_a, "owners"_a, "tree"_a, "loss"_a, "publishable"_a, "settled"_a, "plan"_a, "task"_a);
}
