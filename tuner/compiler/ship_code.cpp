// SPDX-License-Identifier: Apache-2.0
// gridsmith-ship-code CAPABILITY FILE: a tool of the build. Writes the cubin of the worker's own kernels;
// an empty file, with a line why, where there is no NVRTC or none that knows the device: then it is
// compiled when it is needed.
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <string>

namespace {

gridsmith::CodeObject compile(int capability) {
  const gridsmith::Nvrtc nvrtc;
  return nvrtc.compile({gridsmith::device_code_request(), capability, {}});
}

} // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "gridsmith-ship-code: it takes a compute capability (90) and a file\n");
    return 2;
  }
  try {
    const gridsmith::CodeObject code = compile(std::stoi(words[1]));
    std::ofstream file(words[2], std::ios::binary);
    if (code.cubin)
      file.write(reinterpret_cast<const char*>(code.cubin->data()),
                 static_cast<std::streamsize>(code.cubin->size()));
    else
      fmt::print(stderr, "gridsmith-ship-code: nothing for sm_{}: {}\n", words[1],
                 code.error.value_or(""));
    return file.flush() ? 0 : 1;
  } catch (const gridsmith::NvrtcError& error) {
    fmt::print(stderr, "gridsmith-ship-code: nothing for sm_{}: {}\n", words[1], error.what());
    return std::ofstream(words[2]) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridsmith-ship-code: {}\n", error.what());
    return 1;
  }
}
