// SPDX-License-Identifier: Apache-2.0
// The worker's own device code as something to compile: its text is part of the program, and the
// compiler pool makes the cubin that OpenWork carries.
#pragma once

#include "gridsmith/kernels/definition/compile_request.hpp"

#include <string_view>

namespace gridsmith {

/// The texts that host and device share (kernels/inputs/fill.hpp, device_layout.hpp), made fit for a
/// compiler without the standard library, then tuner/worker/device/device_code.cu.
std::string_view device_code_source();

/// What to compile; the cubin holds each of the worker's kernels under its plain name.
CompileRequest device_code_request();

/// The same of what is run to measure peaks: tuner/worker/peaks/peak_layout.hpp and peak_code.cu.
std::string_view peak_code_source();
CompileRequest peak_code_request();

} // namespace gridsmith
