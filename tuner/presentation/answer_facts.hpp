// What is told of one ranked configuration, and counts of all.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

std::optional<double> metric_of(const Subject& subject, const Ranked& one, std::string_view metric);
std::map<std::string, std::size_t> count_by_status(const std::vector<Measurement>& measurements);

} // namespace gridsmith
