// SPDX-License-Identifier: Apache-2.0
// A source as far as it is understood without a compiler: its kernels and its constants.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

struct ReadSource {
  /// @param macros "NAME" or "NAME=VALUE", with which the source is compiled: they replace what it defines
  /// @param host another source, which includes this one and launches its kernels; null: none
  explicit ReadSource(std::shared_ptr<const SourceBundle> source,
                      const std::vector<std::string>& macros = {},
                      std::shared_ptr<const SourceBundle> host = nullptr);

  /// In the file itself, and not in a header.
  bool has(const KernelSignature& kernel) const;

  std::shared_ptr<const SourceBundle> bundle;
  std::vector<Tokens> headers; ///< into it
  std::shared_ptr<const std::vector<SourceFile>> files;
  Tokens tokens; ///< into these: of the host, or of the source, with those of headers
  std::vector<KernelSignature> kernels; ///< of headers too
  std::vector<Constant> constants;
  std::vector<Constant> header_constants; ///< that a header defines once, and macros
};

/// Of the file and its headers, by name: those that are whole numbers.
std::map<std::string, std::int64_t> whole_constants(const ReadSource& source);

/// "scale", and "float" and "4" of "scale<float, 4>"; "scale(T*)" of "scale<float, 4>(T*)".
std::pair<std::string, std::vector<std::string>> kernel_and_templates(const std::string& text);

/// The kernel of this name, "scale", "ns::scale" or "scale(float*, int)"; "": the only one. Those of the file come
/// first; of several with one name that which most loops launch.
/// @throws InputError listing those that are there
const KernelSignature& kernel_named(const ReadSource& source, const std::string& name,
                                    const std::string& file);

} // namespace gridsmith
