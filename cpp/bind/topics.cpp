// The kernels that learn a tree of topics, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bind/values.hpp"
#include "topics/apart.hpp"
#include "topics/company.hpp"
#include "topics/two_means.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

void bind_topics(nb::module_& m) {
    nb::class_<CompanyBounds>(m, "CompanyBounds", "How many features there are, and how much of the company of words is counted and kept.")
        .def(
            "__init__",
            [](CompanyBounds* self, int64_t features, int64_t longest, int64_t enough, int64_t strongest, double smoothing, int64_t units) {
                need(features >= 0 && enough >= 1 && strongest >= 0 && units >= 1, "no negative numbers");
                new (self) CompanyBounds{features, longest, enough, strongest, smoothing, units};
            },
            nb::kw_only(), "features"_a, "longest"_a, "enough"_a, "strongest"_a, "smoothing"_a, "units"_a);
    nb::class_<TopicBounds>(m, "TopicBounds", "How far topics are split, and how many words are proposed for their names.")
        .def(
            "__init__",
            [](TopicBounds* self, double balance, int64_t smallest, int64_t titles, int64_t narrow) {
                need(balance >= 0 && balance <= 0.5, "a balance from 0 to 0.5");
                need(smallest >= 1 && titles >= 0 && narrow >= 0, "no negative numbers");
                new (self) TopicBounds{balance, smallest, titles, narrow};
            },
            nb::kw_only(), "balance"_a, "smallest"_a, "titles"_a, "narrow"_a);
    m.def(
        "company",
        [](const BoundRows& contexts, I64 owners, I64 fingerprint, I32 feature, U8 wanted, const CompanyBounds& bounds, int threads,
           Task& task) {
            same_size(contexts.size(), owners.shape(0));
            same_size(fingerprint.shape(0), feature.shape(0));
            same_size(fingerprint.shape(0), wanted.shape(0));
            need(contexts.size() < std::numeric_limits<int32_t>::max(), "fewer than 2,147,483,647 contexts");
            for (int32_t f : span(feature)) need(f < bounds.features, "features below their number");
            const Rows& rows = contexts.below(feature.shape(0));
            const CompanyProblem problem{rows, span(owners), span(fingerprint), span(feature), span(wanted), bounds};
            return hand_over(unlocked([&] { return company(problem, threads, task); }));
        },
        "contexts"_a, "owners"_a, "fingerprint"_a, "feature"_a, "wanted"_a, "bounds"_a, "threads"_a, "task"_a);
    m.def(
        "people_of_words",
        [](const BoundRows& rows, I64 owners, I32 number, Task& task) {
            same_size(rows.size(), owners.shape(0));
            for (int32_t word : span(number)) need(word >= 0 && word < static_cast<int64_t>(number.shape(0)), "numbers of words");
            const Rows& in = rows.below(number.shape(0));
            return hand_over(unlocked([&] { return people_of_words(in, span(owners), span(number), task); }));
        },
        "rows"_a, "owners"_a, "number"_a, "task"_a, "The people who have each word, as rows; ids of the rows are numbered anew.");
    m.def(
        "topic_tree",
        [](const BoundRows& company, int64_t features, const BoundRows& people, U8 frequent, const TopicBounds& bounds, int threads,
           Task& task) {
            same_size(company.size(), people.size());
            need(features >= 0 && features <= 65536, "at most 65,536 features, and no negative numbers");
            const Rows& rows = company.below(static_cast<std::size_t>(features));
            same_size(company.size(), frequent.shape(0));
            need(people.highest < std::numeric_limits<int32_t>::max(), "fewer than 2,147,483,647 people");
            const TopicProblem problem{rows, features, people.view, span(frequent), bounds};
            TopicTree found = unlocked([&] { return topic_tree(problem, threads, task); });
            return std::make_tuple(hand_over(std::move(found.parent)), hand_over(std::move(found.topic)),
                                   hand_over(std::move(found.title_ptr)), hand_over(std::move(found.title)));
        },
        "company"_a, "features"_a, "people"_a, "frequent"_a, "bounds"_a, "threads"_a, "task"_a);
}
