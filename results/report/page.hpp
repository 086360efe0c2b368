// SPDX-License-Identifier: Apache-2.0
// The page of a report: one HTML file that opens from disk, runs nothing but our script and asks no network.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace gridsmith {

/// Whether this build has the page: it needs Node.js when Gridsmith is built.
bool has_report_page();
/// One line on what is missing and how to get it.
inline constexpr std::string_view no_report_page =
    "this build has no report page: build Gridsmith with Node.js and npm (18 or newer)";

/// @param model as report_model() makes it
/// @param events path of a stream of events that the page follows; "" for a file
/// @throws Error where there is no page
std::string report_page(const nlohmann::ordered_json& model, std::string_view events = "");

/// What the page may load and run, as the value of the header Content-Security-Policy.
std::string report_policy(bool live);

/// The model as the page and its stream of events hold it: JSON, gzip, base64.
std::string packed_model(const nlohmann::ordered_json& model);

} // namespace gridsmith
