// SPDX-License-Identifier: Apache-2.0
// How much of the variance of one column of numbers another tells, and what chance would tell of it.
// Pure statistics: knows no counter, parameter or kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

/// Centred, of length 1; 0 where the number is not known, so that it counts as an average one. Empty
/// where the numbers are all the same or fewer than half of them are known.
using Standard = std::vector<double>;
Standard standardised(std::span<const std::optional<double>> numbers);

/// Correlation of two columns. @pre of one length
double correlation(const Standard& a, const Standard& b);

/// Share of the variance of `y` that a linear model of `columns` foretells of rows left out of its
/// fit, one at a time; 0 where it foretells nothing. Allen, The relationship between variable
/// selection and data augmentation and a method for prediction, Technometrics 16 (1974): PRESS, with
/// the residuals of left-out rows from the leverages.
double share_foretold(const Standard& y, std::span<const Standard* const> columns);

/// What is left of `column` beside `others`, standardised; empty where nothing is.
Standard beside(const Standard& column, std::span<const Standard* const> others);

/// Groups of rows: of each row the number of its group, from 0.
using Grouping = std::vector<std::size_t>;

/// Share of the variance of `y` between groups, less what as many random groups would have:
/// Kelley, An unbiased correlation ratio measure, PNAS 21 (1935). At least 0.
double share_between(const Standard& y, const Grouping& groups);

/// The largest squared correlation with `y` that any of `columns` would have in 99 of 100 cases where
/// none has anything to do with it: permutations of `y`, the maximum over all columns (Westfall &
/// Young, Resampling-Based Multiple Testing, 1993). Columns are of one length.
double share_by_chance(const Standard& y, std::span<const Standard* const> columns);
/// The same of share_between(), over all columns and all groupings.
double share_between_by_chance(std::span<const Standard* const> columns,
                               std::span<const Grouping> groupings);

} // namespace gridsmith
