// SPDX-License-Identifier: Apache-2.0
// Words of the command line that are more than a name or a number.
#pragma once

#include "gridsmith/base/value.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// "csv=FILE". @throws InputError: another form, or a format that we do not write.
OutputFile write_from_text(const std::string& text);

/// "9.0" -> 90. @param where the text was written, for errors. @throws InputError
int capability_from_text(const std::string& text, const std::string& where = "--capability");

/// The same, "90" or "sm_90".
int architecture_from_text(const std::string& text, const std::string& where = "--arch");

/// One parameter of a configuration as a person wrote it.
struct FixedValue {
  const Parameter* parameter = nullptr;
  std::string text;
  std::optional<Value> value; ///< that of the parameter's list; none: the list has no such value
};

/// "A=1,B=2" or "A=1 B=2", each parameter at most once. Booleans are true, True or 1, numbers are
/// known by what they are worth (16.0), texts may stand between quotes.
/// @param parameters outlive the result
/// @param where the text was written, for errors
/// @throws InputError: another form, an unknown parameter, one named twice
std::vector<FixedValue> fixed_values_of_text(const std::string& text,
                                             const std::vector<Parameter>& parameters,
                                             const std::string& where = "--why-not");

/// The same where each value is one of its parameter's; none for a text without any.
Configuration configuration_from_text(const std::string& text,
                                      const std::vector<Parameter>& parameters,
                                      const std::string& where);

/// "A=1,B=x" as numbers, booleans and texts, before the parameters are known. @throws InputError: another
/// form, no value at all
Configuration untyped_configuration(const std::string& text, const std::string& where);

/// Seconds, "auto" or "none". @throws InputError
CompileTimeout compile_timeout_from_text(const std::string& text);

/// "all" (then empty) or numbers of devices, "0,2,3". @throws InputError
std::vector<int> devices_from_text(const std::string& text);

} // namespace gridsmith
