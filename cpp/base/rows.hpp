// Rows as values: bring them into canonical form, tell which are identical, and put them in an order that depends on content alone.
#pragma once

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// Sorts each row by id and merges repeats. With `as_sets` every count becomes one. Ids below zero and counts of zero are left out.
// Throws std::overflow_error where a row counts more than an int32 can hold.
OwnedRows canonical_rows(const Rows& rows, bool as_sets, int threads, Task& task);

// Rows of bare ids with every id renamed to code[id], and left out where that is below zero; the order within a row stays.
struct BareRows {
    std::vector<int64_t> indptr;
    std::vector<int32_t> ids;
};
BareRows renamed_rows(std::span<const int64_t> indptr, std::span<const int32_t> ids, std::span<const int32_t> code, Task& task);

// The rows with these numbers, in this order.
OwnedRows selected_rows(const Rows& rows, std::span<const int64_t> chosen, int threads, Task& task);

// Numbers the rows so that identical rows, and only those, share a number; numbers are given in order of first appearance.
std::vector<int64_t> identical_rows(const Rows& rows, int threads, Task& task);

// The rows in an order that depends on content alone: by descending length, then a fixed hash, then the ids and counts themselves.
// Rows equal in all of that keep the order of `tie` (their rank), so callers decide what makes equals different; then that of arrival.
std::vector<int64_t> content_order(const Rows& rows, std::span<const int64_t> tie, int threads, Task& task);

// How many item occurrences the rows share with their partners: row i with row partner[i] of `others`, with none where that is below zero.
int64_t shared_occurrences(const Rows& rows, const Rows& others, std::span<const int64_t> partner, int threads, Task& task);

// The numbers of the rows by rising owner; those of one owner in their order.
std::vector<int64_t> by_owner(std::span<const int64_t> owners);

// How many different owners have each of so many items.
std::vector<int64_t> owners_per_item(const Rows& rows, std::span<const int64_t> owners, int64_t items, Task& task);

// How often each number below n is among these; those below 0 are left out.
std::vector<int64_t> frequencies(std::span<const int32_t> numbers, int64_t n, Task& task);

}  // namespace shoal
