// SPDX-License-Identifier: Apache-2.0
// Members that files of several formats have, to JSON and from it.
#pragma once

#include "gridsmith/results/formats/parts/row_collector.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace gridsmith {

/// [{"name": "TILE", "values": [16, 32]}, …]
nlohmann::json parameters_json(const std::vector<Parameter>& parameters);
std::vector<Parameter> read_parameters(JsonReader& json);

/// A status by its word; nothing where there is no word. @throws InputError with the place of an unknown one
std::optional<Status> read_status(JsonReader& json);

/// A number, in the file's unit, or the word of a failure; anything else is passed over.
void read_reported(JsonReader& json, ReportedTime& reported);

/// Reads a file whose array of rows is the member `rows`, after all else: that may follow it. other(key) reads any
/// other member, or is false: it is passed over. @param of_what has the rows, for errors
void read_rows_last(JsonReader& json, Recording& recording, const char* rows, const char* of_what,
                    const std::function<bool(const std::string& key)>& other,
                    const std::function<void(RowCollector&)>& row);

} // namespace gridsmith
