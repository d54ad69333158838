// A tree of topics: words that occur in the same company are put together, by two-means from the whole vocabulary down. In narrow topics
// words that the same people have are put apart, so that people who share a topic mostly share both its halves.
//
// Words lie along a direction at whole numbers. Other sums run in a fixed order, and nothing but additions, multiplications, divisions
// and square roots is used, so that the tree is the same on every machine and for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

struct TopicBounds {
    double balance;                  // each side of a split has at least this share of the holders
    int64_t smallest;                // words of a topic that is split only if both sides have a frequent word
    int64_t titles;                  // words that are proposed for the name of each topic
    int64_t narrow;                  // holders of a topic that is split by people: at most so many, each counted once for each word
};

struct TopicProblem {
    Rows company;                    // of each word, what it occurs with, and how strongly
    int64_t features;                // how many different things it may occur with
    Rows people;                     // who have each word
    std::span<const uint8_t> frequent;  // 1 for words that enough people hold to stand in a name
    TopicBounds bounds;
};

struct TopicTree {
    std::vector<int32_t> parent;  // of each topic, in preorder; -1 for the first
    std::vector<int32_t> topic;   // the smallest topic of each word, -1 for a word without company
    std::vector<int64_t> title_ptr;
    std::vector<int32_t> title;  // frequent words of each topic but the first, if it has any: those come first that tell it best from its sibling
};

TopicTree topic_tree(const TopicProblem& problem, int threads, Task& task);

}  // namespace shoal
