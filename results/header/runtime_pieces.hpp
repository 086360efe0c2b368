// SPDX-License-Identifier: Apache-2.0
// The fixed part of a generated header, in pieces of a screen each.
#pragma once

namespace gridsmith {

extern const char *const number_text, *const arithmetic_text, *const comparison_text,
                                                                  *const function_text;
extern const char *const device_text, *const current_text, *const recording_text;
extern const char *const choice_text, *const class_text, *const tables_text, *const nearness_text;
extern const char *const foretelling_text, *const correcting_text, *const choosing_text;

} // namespace gridsmith
