// SPDX-License-Identifier: Apache-2.0
// A kernel of a .cu file, compiled for the host and run there: the threads of a block take turns where
// they wait for each other, blocks run one after the other.
#pragma once

#include "gridsmith/kernels/definition/geometry.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridsmith::test {

/// What of CUDA the emulation does not know.
class NotEmulated : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class EmulatedKernel {
public:
  /// With the compiler that this test was built with, and the options that are macros.
  /// @param function a name or a template-id
  /// @throws NotEmulated with the compiler's first error
  EmulatedKernel(const std::filesystem::path& source, const std::string& function,
                 const std::vector<std::string>& options);
  ~EmulatedKernel();
  EmulatedKernel(EmulatedKernel&&) noexcept;

  /// @param arguments where each of them lies
  /// @throws std::runtime_error when threads wait for others that never come
  void run(const Geometry& geometry, std::span<void*> arguments) const;

  /// A variable in constant memory; null: there is none of this name outside of namespaces.
  void* constant(const std::string& name) const;

private:
  struct Library;
  std::unique_ptr<Library> library_;
};

} // namespace gridsmith::test
