// Bindings of the kernels on rows of numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <vector>

#include "bind/bindings.hpp"
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
}
