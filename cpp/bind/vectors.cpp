// Bindings of the kernels on rows of numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "vectors/improve.hpp"
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
}
