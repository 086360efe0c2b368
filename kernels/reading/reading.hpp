// SPDX-License-Identifier: Apache-2.0
// What the parts of reading a definition share.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/reading/json_field.hpp"
#include "gridsmith/kernels/reading/named_parts.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// A definition half read, and its expressions, remembered with their fields until all names that
/// they may use are known.
struct Reading {
  struct Check {
    JsonField field;
    Expression expression;
    bool parameters;                    ///< may use parameters, not only extents and device facts
    std::vector<std::string> also = {}; ///< names more
  };

  KernelDefinition definition = {};
  std::vector<Check> checks = {};
  std::map<std::string, Layout> layouts = {}; ///< Gridsmith.Types
  NamedParts parts = {};                      ///< Gridsmith.Let
  /// The file has our section, so that who wrote it had Gridsmith in mind.
  bool ours = false;
  bool referred = false; ///< it has a reference of its own

  void warn(const JsonField& field, const std::string& what) {
    definition.remarks.push_back({true, field.located(what)});
  }

  void hint(const JsonField& field, const std::string& what) {
    definition.remarks.push_back({false, field.located(what)});
  }

  /// What cannot be meant: an error in a definition for Gridsmith; files of the community hold such
  /// things, and are read with a warning.
  void object_to(const JsonField& field, const std::string& what) {
    if (ours)
      field.fail(what);
    warn(field, what);
  }

  /// The same of what other tools do not read.
  void doubt(const JsonField& field, const std::string& what) {
    if (ours)
      field.fail(what);
    hint(field, what);
  }

  Expression expression(const JsonField& field, bool parameters) {
    return remember({field, parts.expression(field, Syntax::plain), parameters});
  }

  /// Of nothing that a header decides with: functions of reals have a place.
  Expression number(const JsonField& field) {
    return remember({field, parts.expression(field, Syntax::reals), false});
  }

  Expression remember(Check check) {
    checks.push_back(std::move(check));
    return checks.back().expression;
  }
};

/// Of those arguments of which `which` holds.
std::vector<std::string> argument_names(const KernelDefinition& definition,
                                        const std::function<bool(const Argument&)>& which);

/// Fields that nobody reads: one that is nearly a name in `read`, which is absent, is warned of.
/// @param others fields of T1 that do not concern us
void tell_unknown(const JsonField& object, const std::vector<std::string>& read,
                  const std::vector<std::string>& others, Reading& reading);

/// The definition's own folder, links resolved, and those that the user named.
ReadableFolders readable_folders(const std::filesystem::path& json_file,
                                 const std::vector<std::filesystem::path>& include);
/// The KernelFile: below the definition's folder; else a source in the folder above, NAME.cu or
/// NAME/NAME.cu, which alone may be read there then. Where neither is there, the first place, with a
/// warning.
void read_source(const JsonField& field, Reading& reading);
/// Another file that the definition names, below its folder.
/// @throws InputError for one that is not there or may not be read.
std::filesystem::path located_file(const JsonField& field, const KernelDefinition& definition);
/// @throws InputError for an option that is not allowed, or a folder that may not be read.
void read_compiler_options(const JsonField& field,
                           const std::vector<std::filesystem::path>& include,
                           KernelDefinition& definition);

/// An array of 1 to 3 positive integers (or expressions of numbers), "8192x8192", or one number.
ProblemSize read_problem_size(const JsonField& field);
/// Once each, all with the same number of extents.
void add_problem_size(const JsonField& field, ProblemSize size, KernelDefinition& definition);

} // namespace gridsmith
