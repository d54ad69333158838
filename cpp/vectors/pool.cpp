#include "vectors/pool.hpp"

#include <algorithm>
#include <limits>

namespace shoal {

Pool::Pool(Matrix data, std::span<const int64_t> owner, int64_t k, bool distinct)
    : data_(data),
      owner_of_(owner),
      k_(k),
      distinct_(distinct),
      most_(distinct ? static_cast<int>(2 * k - 1) : std::numeric_limits<int>::max()) {}

void Pool::load(const std::vector<const Members*>& groups) {
    row_.clear();
    home_.clear();
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (int64_t row : *groups[g]) row_.push_back(row);
    n_ = static_cast<int>(row_.size());
    slots_ = static_cast<int>(groups.size()) + 1;
    owner_.resize(n_);
    for (int i = 0; i < n_; ++i) owner_[i] = i;
    if (!distinct_) {
        std::vector<int64_t> known(n_);
        for (int i = 0; i < n_; ++i) known[i] = owner_of_[row_[i]];
        std::sort(known.begin(), known.end());
        for (int i = 0; i < n_; ++i)
            owner_[i] = static_cast<int>(std::lower_bound(known.begin(), known.end(), owner_of_[row_[i]]) - known.begin());
    }
    multiply(data_);
    home_.assign(n_, -1);
    reach_.assign(n_ * slots_, 0);
    norm_.assign(slots_, 0);
    size_.assign(slots_, 0);
    people_.assign(slots_, 0);
    held_.assign(slots_ * n_, 0);
    int i = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t j = 0; j < groups[g]->size(); ++j) put(i++, static_cast<int>(g));
}

void Pool::multiply(Matrix data) {
    const int64_t d = data.columns;
    centred_.resize(n_ * d);
    dot_.resize(static_cast<std::size_t>(n_) * n_);
    for (int64_t j = 0; j < d; ++j) {
        double sum = 0;
        for (int i = 0; i < n_; ++i) sum += data.row(row_[i])[j];
        const double mean = sum / n_;
        for (int i = 0; i < n_; ++i) centred_[i * d + j] = data.row(row_[i])[j] - mean;
    }
    total_ = 0;
    for (int a = 0; a < n_; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = 0;
            for (int64_t j = 0; j < d; ++j) sum += centred_[a * d + j] * centred_[b * d + j];
            dot_[a * n_ + b] = dot_[b * n_ + a] = sum;
        }
        total_ += dot_[a * n_ + a];
    }
}

std::vector<Members> Pool::groups() const {
    std::vector<Members> found(slots_);
    for (int i = 0; i < n_; ++i) found[home_[i]].push_back(row_[i]);
    std::erase_if(found, [](const Members& members) { return members.empty(); });
    return found;
}

double Pool::value() const {
    std::vector<double> norm(slots_, 0);
    for (int a = 0; a < n_; ++a)
        for (int b = 0; b < n_; ++b)
            if (home_[a] == home_[b]) norm[home_[a]] += dot_[a * n_ + b];
    double sum = 0;
    for (int g = 0; g < slots_; ++g)
        if (size_[g]) sum += norm[g] / size_[g];
    return sum;
}

void Pool::put(int row, int group) {
    if (home_[row] >= 0) add(row, home_[row], -1);
    if (group >= 0) add(row, group, 1);
    home_[row] = group;
}

void Pool::add(int row, int group, int sign) {
    norm_[group] += sign * 2 * reach_[row * slots_ + group] + dot_[row * n_ + row];
    const double* products = dot_.data() + row * n_;
    for (int i = 0; i < n_; ++i) reach_[i * slots_ + group] += sign * products[i];
    size_[group] += sign;
    int& held = held_[group * n_ + owner_[row]];
    held += sign;
    if (held == (sign > 0 ? 1 : 0)) people_[group] += sign;
}

double Pool::cost_of_joining(int row, int group) const {
    const double own = dot_[row * n_ + row];
    if (!size_[group]) return 0;
    const double after = norm_[group] + 2 * reach_[row * slots_ + group] + own;
    return own + norm_[group] / size_[group] - after / (size_[group] + 1);
}

void Pool::descend() {
    for (;;) {
        const Change best = best_change();
        if (best.row < 0) return;
        const int from = home_[best.row];
        if (best.other >= 0) put(best.other, from);
        put(best.row, best.group);
    }
}

Pool::Change Pool::best_change() const {
    Change best{rounding(), -1, -1, -1};
    for (int i = 0; i < n_; ++i) {
        if (may_leave(i)) best_move(i, best);
        best_swap(i, best);
    }
    return best;
}

void Pool::best_move(int row, Change& best) const {
    const int from = home_[row];
    const double own = dot_[row * n_ + row], *reach = reach_.data() + row * slots_;
    const double left = (norm_[from] - 2 * reach[from] + own) / (size_[from] - 1) - norm_[from] / size_[from];
    for (int g = 0; g < slots_; ++g) {
        if (g == from || !has_room(g)) continue;
        const double gain = left + (norm_[g] + 2 * reach[g] + own) / (size_[g] + 1) - norm_[g] / size_[g];
        if (gain > best.gain) best = {gain, row, -1, g};
    }
}

void Pool::best_swap(int row, Change& best) const {
    const int a = home_[row];
    const double own = dot_[row * n_ + row], mine = reach_[row * slots_ + a], share = 1.0 / size_[a];
    for (int i = row + 1; i < n_; ++i) {
        const int b = home_[i];
        if (a == b) continue;
        const double apart = own + dot_[i * n_ + i] - 2 * dot_[row * n_ + i];
        const double gain = (2 * (reach_[i * slots_ + a] - mine) + apart) * share +
                            (2 * (reach_[row * slots_ + b] - reach_[i * slots_ + b]) + apart) / size_[b];
        if (gain > best.gain && may_swap(row, i)) best = {gain, row, i, b};
    }
}

bool Pool::may_leave(int row) const {
    const int g = home_[row];
    return people_[g] - (held_[g * n_ + owner_[row]] == 1) >= k_;
}

bool Pool::may_swap(int row, int other) const {
    if (distinct_ || owner_[row] == owner_[other]) return true;
    auto people_after = [&](int group, int goes, int comes) {
        return people_[group] - (held_[group * n_ + owner_[goes]] == 1) + (held_[group * n_ + owner_[comes]] == 0);
    };
    return people_after(home_[row], row, other) >= k_ && people_after(home_[other], other, row) >= k_;
}

}  // namespace shoal
