// What the compiler is asked: source, kernel and options of one configuration.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/kernels/definition/instance.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

struct CompileRequest {
  std::shared_ptr<const SourceBundle> source;
  std::string kernel; ///< name or template-id
  /// -D and the definition's, in order; no architecture, and no folders: those are the source's.
  std::vector<std::string> options;
};

template <Like<CompileRequest> T>
void for_fields(T& v, auto&& visit) {
  visit("source", v.source);
  visit("kernel", v.kernel);
  visit("options", v.options);
}

/// @throws InputError: no source, a language that is not run here, or no geometry (its macros).
CompileRequest compile_request(const KernelInstance& instance, const Configuration& configuration);
/// @param first as of reference_configuration()
/// @throws InputError likewise, and where the reference is no kernel.
CompileRequest reference_compile_request(const KernelInstance& instance,
                                         const Configuration& first);

} // namespace gridsmith
