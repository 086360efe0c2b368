// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/signature_types.hpp"

#include "gridsmith/tuner/processes/compile_all.hpp"

namespace gridsmith {

SignatureTypes signature_types(CompilerPool& pool, CompileRequest request) {
  const SourceBundle& source = *request.source;
  const std::string kernel = request.kernel, probe = type_probe_name(kernel);
  request.kernel = probe;
  request.source = make_bundle({source.main.name, source.main.text + type_probe(kernel)},
                               source.headers, source.folders, source.before);
  const Code code = compile_all(pool, {&request, 1}, {}).front();
  if (!code->cubin) {
    std::string error = code->error.value_or("no reason is known");
    if (const std::size_t at = error.find(probe); at != error.npos)
      error.replace(at, probe.size(), kernel);
    return {{}, error};
  }
  return {types_of_probe(code->kernel), ""};
}

} // namespace gridsmith
