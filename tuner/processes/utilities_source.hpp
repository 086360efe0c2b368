// The worker's own device code as something to compile: its text is part of the program, and the
// compiler pool makes the cubin that OpenWork carries.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"

#include <string_view>

namespace gridsmith {

/// Text of kernels/fill.hpp made fit for a compiler without the standard library, then
/// tuner/worker/utilities.cu.
std::string_view utilities_source();

/// What to compile; the cubin holds every utility kernel under its plain name.
CompileRequest utilities_request();

} // namespace gridsmith
