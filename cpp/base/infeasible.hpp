// No k owners can be brought together: the one failure of a kernel that is the data's and not the program's.
#pragma once

#include <stdexcept>

namespace shoal {

struct Infeasible : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace shoal
