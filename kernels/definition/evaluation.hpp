// Evaluating the expressions of a definition for one instance, with errors that name the field.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gridsmith {

/// Where an expression stands, for messages: "file: field".
struct Place {
  const KernelDefinition& definition;
  std::string_view field;
};

/// Configuration first, then facts. Both must outlive the lookup.
Lookup lookup_in(const Configuration& configuration, const Bindings& facts);

/// Facts first, then parameters, each standing for its largest value.
Lookup lookup_largest(const KernelInstance& instance);

/// @throws InputError: no number.
double evaluate_number(const Place& place, const Expression& expression, const Lookup& lookup);
/// @throws InputError: no integer, or below `least`.
std::int64_t evaluate_integer(const Place& place, const Expression& expression,
                              const Lookup& lookup, std::int64_t least);

/// Text of a source file. @throws InputError naming it and the definition that wants it.
std::string read_source(const std::filesystem::path& source,
                        const std::filesystem::path& definition);

} // namespace gridsmith
