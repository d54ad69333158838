// Registers the kernels of the shoal method.
#pragma once

#include <nanobind/nanobind.h>

void bind_grow(nanobind::module_& m);
