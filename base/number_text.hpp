// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them, in tables, sentences and charts. Files for programs write theirs themselves, so that
// they read back as the same number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gridsmith {

/// So many significant digits, never an exponent, no whole digit rounded away: 4.10, 50.0, 0.132, 66908 with three.
std::string digits_text(double value, int digits);
/// So many significant digits and no exponent where that reads well: 0.1423, 4151, 27.84; whole numbers whole.
std::string number_text(double value, int digits = 4);
/// The same for a table's cell, "" for none.
std::string number_cell(const std::optional<double>& value);

/// 0.61 as "61 %"
std::string percent_text(double share, int decimals = 0);
/// How far a ratio is from 1, in percent: 1.025 as "+2.5"; "" for what is no ratio. Without the unit, which tables
/// have in their head.
std::string change_text(double ratio);

/// 268435456 as "268.4 MB"
std::string bytes_text(double bytes);
/// What someone waited for: "2 min 05 s", "12.3 s", "480 ms", "25 ns", "1.5 days".
std::string duration_text(double seconds);
/// What a kernel took, four digits as tables have of times: 13440 as "13.44 ms", 812.5 as "812.5 us"
std::string launch_time_text(double us);
/// What numbers of about this size are divided by, and the unit that they then have: of GB/s and GFLOP/s, of "B", and
/// of counts, whose unit is "" and becomes "million".
std::pair<double, std::string> scale_of(double size, std::string_view unit);

// In charts, where space is short: three digits, and µ as the font has it.

/// Three significant digits, thousands set apart: "0.132", "4.10", "66 900".
std::string three_digits(double value);
/// A time in the unit that reads best: "132 µs", "1.01 ms", "2.30 s".
std::string time_text(double ms);
/// A rate given in G…/s: "4.06 TB/s" for 4062 and "B/s".
std::string rate_text(double giga, std::string_view unit);

} // namespace gridsmith
