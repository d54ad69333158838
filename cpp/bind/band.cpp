// Kernels of band order and private groups for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "cahd/band_order.hpp"
#include "cahd/private_groups.hpp"
#include "bind/values.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

void bind_band(nb::module_& m) {
    m.def(
        "band_order",
        [](const BoundRows& rows, int64_t items, Task& task) {
            need(items >= 0, "a number of items that is not negative");
            const Rows& in = rows.below(static_cast<std::size_t>(items));
            return hand_over(unlocked([&] { return band_order(in, items, task); }));
        },
        "rows"_a, "items"_a, "task"_a);
    m.def(
        "private_groups",
        [](const BoundRows& known, const BoundRows& sensitive, int64_t items, I64 owners, int64_t p, int64_t window, int64_t nearest,
           Task& task) {
            same_size(known.size(), sensitive.size());
            same_size(known.size(), owners.shape(0));
            need(p >= 1 && window >= 1 && nearest >= 0 && items >= 0, "p and a window of at least 1, and nearest and items of 0 or more");
            const Rows &shown = known.below(static_cast<std::size_t>(items)), &hidden = sensitive.below(static_cast<std::size_t>(items));
            indices_within(span(owners), static_cast<int64_t>(known.size()));
            const PrivacyProblem problem{shown, hidden, items, span(owners), p};
            return hand_over(unlocked([&] { return private_groups(problem, {window, nearest}, task); }));
        },
        "known"_a, "sensitive"_a, "items"_a, "owners"_a, "p"_a, "window"_a, "nearest"_a, "task"_a);
}
