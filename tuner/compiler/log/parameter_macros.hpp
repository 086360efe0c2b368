// SPDX-License-Identifier: Apache-2.0
// Whether a source gives the macro of a parameter a value of its own, which the parameter then does not
// reach. The preprocessor says it: what is not compiled does not count, headers do. Text only: no
// compiler in sight.
#pragma once

#include "gridsmith/kernels/definition/compile_request.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// The same request, whose compiler warns of every line that defines a parameter again. What the source
/// means stays as it is: a value that can differ gets an empty macro in front, so that no other
/// definition of it is the same, and warnings are not switched off.
CompileRequest with_watched_parameters(CompileRequest request);

/// To be put behind the source: defines them once more as they were given, which the compiler warns of
/// where #undef hid what the source did.
std::string watching_lines(const CompileRequest& watched);

/// One line with the place and what to do, where such a warning is in the log.
std::optional<std::string> redefined_parameter(std::string_view log, const CompileRequest& request);

} // namespace gridsmith
