// SPDX-License-Identifier: Apache-2.0
// What other tools call a failure, a unit of time and a date, in what we read and in what we write.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// Kernel Tuner's: "CompilationFailedConfig", "InvalidConfig" where constraints forbade it, else
/// "RuntimeFailedConfig": there are no others. @pre not correct
std::string_view failure_word(Status status);
/// The T4 word for these, of any version of it and of what people made of them.
Status status_of_failure(std::string_view word);

/// The time that those tools search by: the one that the file stated which the row was read from, else
/// the row's own.
std::optional<double> foreign_ms(const Measurement& row);

/// Of a unit by its name or sign, as writers spell it ("miliseconds"); nothing for what is no unit of time.
std::optional<double> ms_of_unit(std::string unit);

/// "2023-12-22 09:54:05.5+00:00" or "… UTC" -> "2023-12-22T09:54:05.5Z". What does not begin as a date of ISO 8601
/// is unknown, "": nothing says which number of "07/10/2022" is the month.
std::string iso_time(std::string text);

} // namespace gridsmith
