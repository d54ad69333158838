#include "vectors/improve.hpp"

#include <algorithm>
#include <utility>

#include "base/noise.hpp"
#include "base/parallel.hpp"
#include "vectors/dissolve.hpp"
#include "vectors/exchange.hpp"
#include "vectors/group_blocks.hpp"
#include "vectors/pool.hpp"

namespace shoal {

namespace {

constexpr int64_t block_groups = 512;
constexpr int64_t pool_rows = 160;   // of a pool at most: its products are a square of them
constexpr std::size_t pool_least = 3;  // groups; where fewer fit into a pool, exchanges are faster and lose less
constexpr int64_t plain_rounds = 2;  // in which nothing is dissolved

std::vector<KindColumn> columns_of(Matrix data) {
    std::vector<KindColumn> columns;
    for (int64_t j = 0; j < data.columns; ++j) columns.push_back({Kind::number, data.values.data() + j, data.columns, 1.0, {}, {}, {}});
    return columns;
}

// The groups of a block, which are improved among themselves.
class Block {
public:
    Block(Matrix data, std::span<const int64_t> owner, int64_t k, bool distinct, std::vector<Members> groups)
        : data_(data),
          groups_(std::move(groups)),
          centres_(group_centres(data, groups_)),
          pool_(data, owner, k, distinct),
          columns_(columns_of(data)),
          exchange_(columns_, owner, k, distinct) {}

    // One pool around each group.
    void round(int64_t number, uint64_t seed, Task& task) {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            task.check();
            if (groups_[g].empty()) continue;
            NoiseSource random(seed, g);
            improve_around(g, number >= plain_rounds, random);
        }
    }

    std::vector<Members> groups() && {
        std::erase_if(groups_, [](const Members& members) { return members.empty(); });
        return std::move(groups_);
    }

private:
    void improve_around(std::size_t group, bool dissolve, NoiseSource& random) {
        const std::vector<std::size_t> chosen = neighbours(group, 3 + random.below(6));
        if (chosen.size() < std::min(pool_least, near_.size())) return exchange_around(group);
        if (chosen.size() < 2 && groups_[group].size() < 2) return;
        std::vector<const Members*> members;
        for (std::size_t g : chosen) members.push_back(&groups_[g]);
        pool_.load(members);
        const double before = pool_.value();
        if (dissolve && !dissolved(static_cast<int>(chosen.size()), random)) return;
        pool_.descend();
        if (pool_.value() > before + pool_.rounding()) replace(chosen, pool_.groups());
    }

    // Groups that are too large for a pool exchange rows, two at a time.
    void exchange_around(std::size_t group) {
        KindGroup own = exchange_.group_of(groups_[group]);
        for (std::size_t i = 1; i < near_.size(); ++i) {
            const std::size_t other = near_[i].second;
            KindGroup its = exchange_.group_of(groups_[other]);
            if (exchange_.improve(groups_[group], own, groups_[other], its)) find_centre(other);
        }
        find_centre(group);
    }

    void find_centre(std::size_t group) {
        const std::vector<double> centre = group_centres(data_, {groups_[group]});
        std::copy(centre.begin(), centre.end(), centres_.begin() + static_cast<std::ptrdiff_t>(group * data_.columns));
    }

    bool dissolved(int size, NoiseSource& random) {
        if (size > 1 && random.below(4) == 0) return disband(pool_, random.below(size));
        std::vector<int> some(std::min(size, 2 + random.below(3)));
        for (std::size_t i = 0; i < some.size(); ++i) some[i] = static_cast<int>(i);
        return regrow(pool_, some, random);
    }

    // The group and those with the nearest means, nearest first.
    std::vector<std::size_t> neighbours(std::size_t group, std::size_t wanted) {
        near_.clear();
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (groups_[g].empty()) continue;
            double apart = g == group ? -1 : 0;
            for (int64_t j = 0; j < data_.columns; ++j) {
                const double difference = centres_[g * data_.columns + j] - centres_[group * data_.columns + j];
                apart += difference * difference;
            }
            near_.emplace_back(apart, g);
        }
        wanted = std::min(wanted, near_.size());
        std::partial_sort(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(wanted), near_.end());
        near_.resize(wanted);
        std::vector<std::size_t> found;
        int64_t rows = 0;
        for (std::size_t i = 0; i < wanted; ++i) {
            rows += static_cast<int64_t>(groups_[near_[i].second].size());
            if (rows > pool_rows) break;
            found.push_back(near_[i].second);
        }
        return found;
    }

    void replace(const std::vector<std::size_t>& places, std::vector<Members> found) {
        for (std::size_t i = 0; i < std::max(places.size(), found.size()); ++i) {
            if (i >= places.size()) {
                groups_.emplace_back();
                centres_.resize(groups_.size() * data_.columns);
            }
            const std::size_t place = i < places.size() ? places[i] : groups_.size() - 1;
            groups_[place] = i < found.size() ? std::move(found[i]) : Members();
            if (!groups_[place].empty()) find_centre(place);
        }
    }

    Matrix data_;
    std::vector<Members> groups_;
    std::vector<double> centres_;  // group, attribute
    Pool pool_;
    std::vector<KindColumn> columns_;
    Exchange exchange_;
    std::vector<std::pair<double, std::size_t>> near_;
};

class Improving {
public:
    Improving(Matrix data, std::span<const int64_t> owner, const ImproveOptions& options, int threads, Task& task)
        : data_(data), owner_(owner), options_(options), threads_(threads), task_(task) {
        std::vector<bool> seen(owner.size());
        for (int64_t o : owner) {
            distinct_ = distinct_ && !seen[o];
            seen[o] = true;
        }
    }

    std::vector<Members> run(std::vector<Members> groups) {
        task_.begin(options_.rounds);
        for (int64_t number = 0; number < options_.rounds; ++number) {
            groups = round(std::move(groups), number);
            task_.step();
        }
        return groups;
    }

private:
    std::vector<Members> round(std::vector<Members> groups, int64_t number) {
        const auto n = static_cast<int64_t>(groups.size());
        const auto blocks = group_blocks(group_centres(data_, groups), n, data_.columns, block_groups,
                                         noise(options_.seed, static_cast<uint64_t>(number), 0));
        std::vector<std::vector<Members>> found(blocks.size());
        auto improve = [&](int64_t begin, int64_t end, int) {
            for (int64_t b = begin; b < end; ++b) {
                std::vector<Members> some;
                for (int64_t g : blocks[b]) some.push_back(std::move(groups[g]));
                Block block(data_, owner_, options_.k, distinct_, std::move(some));
                block.round(number, noise(options_.seed, static_cast<uint64_t>(number), static_cast<uint64_t>(b + 1)), task_);
                found[b] = std::move(block).groups();
            }
        };
        Task uncounted;  // progress is counted in rounds
        parallel_blocks(static_cast<int64_t>(blocks.size()), 1, threads_, uncounted, improve);
        std::vector<Members> all;
        for (auto& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
        return all;
    }

    Matrix data_;
    std::span<const int64_t> owner_;
    ImproveOptions options_;
    int threads_;
    Task& task_;
    bool distinct_ = true;
};

}  // namespace

std::vector<int64_t> improve_groups(Matrix data, std::span<const int64_t> owner, std::span<const int64_t> group,
                                    const ImproveOptions& options, int threads, Task& task) {
    std::vector<Members> groups(group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1);
    for (int64_t row = 0; row < data.rows; ++row) groups[group[row]].push_back(row);
    groups = Improving(data, owner, options, threads, task).run(std::move(groups));
    std::vector<int64_t> found(data.rows);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (int64_t row : groups[g]) found[row] = static_cast<int64_t>(g);
    return found;
}

}  // namespace shoal
