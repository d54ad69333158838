// Bindings of units of several fields.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>

#include "bind/bindings.hpp"
#include "vectors/fields.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

using Numbers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const double> numbers_of(const Doubles& a) { return {a.data(), a.shape(0)}; }

// Units of several fields, checked once.
struct BoundFields {
    I64 starts;
    I32 values, counts;
    Numbers numbers;
    Doubles weights;
    FieldUnits view;

    BoundFields(I64 starts_, I32 values_, I32 counts_, Numbers numbers_, Doubles weights_, int64_t n_values)
        : starts(std::move(starts_)),
          values(std::move(values_)),
          counts(std::move(counts_)),
          numbers(std::move(numbers_)),
          weights(std::move(weights_)) {
        loose_rows(starts, values, counts);
        const std::span<const double> every(numbers.data(), numbers.shape(0) * numbers.shape(1));
        const auto units = static_cast<int64_t>(numbers.shape(0)), columns = static_cast<int64_t>(numbers.shape(1));
        const int64_t fields = static_cast<int64_t>(weights.shape(0)) - columns;
        need(fields >= 1 && static_cast<int64_t>(starts.shape(0)) == units * fields + 1, "a start for each unit and field");
        for (double x : every) need(std::isfinite(x), "finite numbers");
        for (int32_t v : span(values)) need(v >= 0 && v < n_values, "values below their number");
        for (int32_t c : span(counts)) need(c >= 1, "counts of one or more");
        for (double w : numbers_of(weights)) need(std::isfinite(w) && w >= 0, "weights of zero or more");
        view = {span(starts), span(values), span(counts), every, numbers_of(weights), fields, columns, n_values};
    }
};

}  // namespace

void bind_fields(nb::module_& m) {
    nb::class_<BoundFields>(m, "FieldUnits", "Units of several fields: field f of unit u is values[starts[u * F + f]:], with counts.")
        .def(nb::init<I64, I32, I32, Numbers, Doubles, int64_t>(), "starts"_a, "values"_a, "counts"_a, "numbers"_a, "weights"_a,
             "n_values"_a)
        .def("__len__", [](const BoundFields& f) { return f.view.units(); })
        .def(
            "mean",
            [](const BoundFields& f, I64 units) {
                indices_within(span(units), f.view.units());
                need(units.shape(0) > 0, "a unit or more");
                return hand_over(unlocked([&] { return mean_unit(f.view, span(units)); }));
            },
            "units"_a, "The point that stands for these units.")
        .def(
            "distances",
            [](const BoundFields& f, Doubles point, I64 units, int threads, Task& task) {
                indices_within(span(units), f.view.units());
                need(static_cast<int64_t>(point.shape(0)) == f.view.point_size(), "a point of these units");
                return hand_over(unlocked([&] { return field_distances(f.view, numbers_of(point), span(units), threads, task); }));
            },
            "point"_a, "units"_a, "threads"_a, "task"_a, "How far each of these units lies from the point.");
}
