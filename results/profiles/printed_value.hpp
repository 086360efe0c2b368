// SPDX-License-Identifier: Apache-2.0
// Numbers and units as profilers print them: in the locale of whoever ran them, scaled for reading,
// and spelled by version.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// What stands between a number's whole part and its fraction; the other one groups its thousands.
enum class DecimalMark { point, comma };

/// What one number says about its whole file: above 0 that the mark is a comma ("65,77",
/// "27.595.520"), below 0 that it is a point; 0 where it could be either ("1,234").
int comma_evidence(std::string_view number);

/// A finite number, its thousands grouped or not; nothing for anything else ("n/a", "nan", "-").
std::optional<double> printed_number(std::string_view text, DecimalMark mark);

/// What K, M and G are before bytes: ncu and nsys count in thousands, nvprof in 1024 (its trace's
/// Size, Duration and Throughput agree only so).
enum class Prefixes { decimal, binary };

/// What a value in this unit is multiplied by to be in bytes, ns, Hz, % or a plain count, per second
/// where the unit is a rate: "Kbyte" -> 1000, "msecond" -> 1e6, "cycle/nsecond" -> 1e9, "" -> 1.
/// Nothing for a unit that is not known.
std::optional<double> unit_factor(std::string_view unit, Prefixes prefixes);

struct PrintedValue {
  std::optional<double> value; ///< in base units
  std::string missing_because; ///< what to count it under where there is none
};

/// @param text a number, a number with its unit behind it ("157.16GB/s", "99.5%"), a level
/// ("Low (1)"), or a number with those of its instances ("12 (3; 9)")
/// @param unit of the column, where the text has none
PrintedValue printed_value(std::string_view text, std::string_view unit, DecimalMark mark,
                           Prefixes prefixes);

} // namespace gridsmith
