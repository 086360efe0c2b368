// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/signature_types.hpp"

#include "gridsmith/tuner/processes/compile_all.hpp"

namespace gridsmith {

SignatureTypes signature_types(CompilerPool& pool, const SourceBundle& source,
                               const std::string& kernel, std::vector<std::string> options,
                               Compiler compiler) {
  const CompileRequest request{make_bundle({source.main.name, source.main.text + type_probe()},
                                           source.headers, source.folders, source.before),
                               type_probe_name(kernel),
                               std::move(options),
                               {},
                               compiler};
  const Code code = compile_all(pool, {&request, 1}, {}).front();
  if (!code->cubin)
    return {{}, code->error.value_or("no reason is known")};
  return {types_of_probe(code->kernel), ""};
}

} // namespace gridsmith
