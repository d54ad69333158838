// Bindings of the kernels on rows of numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "vectors/improve.hpp"
#include "vectors/improve_kinds.hpp"
#include "vectors/mdav.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

using Numbers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Matrix matrix(const Numbers& values) {
    const std::span<const double> all(values.data(), values.shape(0) * values.shape(1));
    for (double x : all) need(std::isfinite(x), "finite numbers");
    return {all, static_cast<int64_t>(values.shape(0)), static_cast<int64_t>(values.shape(1))};
}

int64_t distinct_owners(std::span<const int64_t> owner) {
    std::vector<bool> seen(owner.size());
    int64_t n = 0;
    for (int64_t o : owner) {
        need(o >= 0 && o < static_cast<int64_t>(owner.size()), "owners numbered from 0 below the number of rows");
        n += !seen[o];
        seen[o] = true;
    }
    return n;
}

// Groups numbered from 0 without gaps, each with rows of k owners or more.
void groups_of_owners(std::span<const int64_t> group, std::span<const int64_t> owner, int64_t k) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (std::size_t i = 0; i < group.size(); ++i) {
        need(group[i] >= 0 && group[i] < static_cast<int64_t>(group.size()), "groups numbered from 0 below the number of rows");
        pairs.emplace_back(group[i], owner[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<int64_t> people(pairs.empty() ? 0 : pairs.back().first + 1);
    for (const auto& pair : pairs) ++people[pair.first];
    for (int64_t n : people) need(n >= k, "groups numbered without gaps, of k owners or more");
}

// The kind of an attribute, the unit of its squared distances, and the hierarchy of nodes: parents, ends of subtrees, levels.
using KindOf = std::tuple<int64_t, double, I32, I32, I32>;

KindColumn kind_column(const Matrix& codes, int64_t j, const KindOf& of) {
    const auto& [kind, unit, parent, end, level] = of;
    need(kind >= 0 && kind <= static_cast<int64_t>(Kind::node), "a kind that is known");
    need(std::isfinite(unit) && unit > 0, "a unit above 0");
    const KindColumn column{static_cast<Kind>(kind), codes.values.data() + j, codes.columns, unit, span(parent), span(end), span(level)};
    double most = std::numeric_limits<int32_t>::max();
    if (column.kind == Kind::node) {
        preorder(column.parent, column.end);
        same_size(column.end.size(), column.level.size());
        for (std::size_t v = 0; v < column.level.size(); ++v)
            need(column.level[v] == (v == 0 ? 1 : column.level[column.parent[v]] + 1), "levels of a hierarchy");
        most = static_cast<double>(column.level.size());
    }
    for (int64_t row = 0; row < codes.rows && column.kind != Kind::number; ++row)
        need(column.code(row) >= 0 && column.code(row) < most && column.code(row) == std::floor(column.code(row)), "codes as whole numbers");
    return column;
}

std::vector<KindColumn> kind_columns(const Matrix& codes, const std::vector<KindOf>& kinds) {
    same_size(kinds.size(), codes.columns);
    need(!kinds.empty(), "an attribute");
    std::vector<KindColumn> columns;
    for (std::size_t j = 0; j < kinds.size(); ++j) columns.push_back(kind_column(codes, static_cast<int64_t>(j), kinds[j]));
    return columns;
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.def(
        "mdav",
        [](Numbers values, I64 owner, int64_t k, int threads, Task& task) {
            const Matrix data = matrix(values);
            same_size(owner.shape(0), values.shape(0));
            need(k >= 1 && distinct_owners(span(owner)) >= k, "k of one or more, and as many owners");
            return hand_over(unlocked([&] { return mdav(data, span(owner), k, threads, task); }));
        },
        "values"_a, "owner"_a, "k"_a, "threads"_a, "task"_a, "The group of each row; of equal distances the first row is taken.");
    m.def(
        "improve_groups",
        [](Numbers values, I64 owner, I64 group, int64_t k, int64_t rounds, uint64_t seed, int threads, Task& task) {
            const Matrix data = matrix(values);
            same_size(owner.shape(0), values.shape(0));
            same_size(group.shape(0), values.shape(0));
            need(k >= 2 && rounds >= 0 && distinct_owners(span(owner)) >= 0, "k of two or more, and no fewer rounds than none");
            groups_of_owners(span(group), span(owner), k);
            const ImproveOptions options{k, rounds, seed};
            return hand_over(unlocked([&] { return improve_groups(data, span(owner), span(group), options, threads, task); }));
        },
        "values"_a, "owner"_a, "group"_a, "k"_a, "rounds"_a, "seed"_a, "threads"_a, "task"_a,
        "Groups of k owners or more after so many rounds of local search on their sum of squares.");
    nb::class_<ImproveOptions>(m, "ImproveOptions", "The fewest owners of a group, the rounds of search, and the seed of its random order.")
        .def(
            "__init__",
            [](ImproveOptions* self, int64_t k, int64_t rounds, uint64_t seed) {
                need(k >= 2 && rounds >= 0, "k of two or more, and no fewer rounds than none");
                new (self) ImproveOptions{k, rounds, seed};
            },
            nb::kw_only(), "k"_a, "rounds"_a, "seed"_a);
    m.def(
        "improve_kinds",
        [](Numbers codes, const std::vector<KindOf>& kinds, I64 owner, I64 group, const ImproveOptions& options, int threads, Task& task) {
            const auto columns = kind_columns(matrix(codes), kinds);
            same_size(owner.shape(0), codes.shape(0));
            same_size(group.shape(0), codes.shape(0));
            need(distinct_owners(span(owner)) >= 0, "owners numbered from 0");
            groups_of_owners(span(group), span(owner), options.k);
            return hand_over(unlocked([&] { return improve_kinds(columns, span(owner), span(group), options, threads, task); }));
        },
        "codes"_a, "kinds"_a, "owner"_a, "group"_a, "options"_a, "threads"_a, "task"_a,
        "The same for attributes of several kinds, each with its distance and centroid, by exchanges between near groups.");
}
