// The kernel that learns a tree of topics, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bind/values.hpp"
#include "topics/two_means.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

void bind_topics(nb::module_& m) {
    m.def(
        "topic_tree",
        [](const BoundRows& company, int64_t features, I64 people, U8 frequent, double balance, int64_t titles,
           int threads, Task& task) {
            same_size(company.size(), people.shape(0));
            need(features >= 0 && titles >= 0, "no negative numbers");
            need(balance >= 0 && balance <= 0.5, "a balance from 0 to 0.5");
            const Rows& rows = company.below(static_cast<std::size_t>(features));
            same_size(company.size(), frequent.shape(0));
            for (int64_t held : span(people)) need(held >= 0, "numbers of people that are not negative");
            const TopicProblem problem{rows, features, span(people), span(frequent), balance, titles};
            TopicTree found = unlocked([&] { return topic_tree(problem, threads, task); });
            return std::make_tuple(hand_over(std::move(found.parent)), hand_over(std::move(found.topic)),
                                   hand_over(std::move(found.title_ptr)), hand_over(std::move(found.title)));
        },
        "company"_a, "features"_a, "people"_a, "frequent"_a, "balance"_a, "titles"_a, "threads"_a, "task"_a);
}
