// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/start_files.hpp"

#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/source/words_in_use.hpp"

namespace gridsmith {
namespace {

constexpr const char* source_template =
    R"gs(// y = a * x + y, to be replaced by your kernel. It is compiled once per configuration, with every
// parameter of NAME.json as a macro:
//
//   BLOCK threads per block
//   ITEMS elements per thread
extern "C" __global__ void __launch_bounds__(BLOCK)
    NAME(float* __restrict__ y, const float* __restrict__ x, float a, int n) {
  const int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int i = first + item * BLOCK;
    if (i < n)
      y[i] = a * x[i] + y[i];
  }
}

// The reference: simple, run once; every configuration must give the same results.
extern "C" __global__ void NAME_reference(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
)gs";

constexpr const char* definition_template =
    R"gs(// How NAME.cu is tuned and launched. Other tools for T1 do not read these comments: remove them
// before such a tool reads this file. After a change: gridsmith check-definition NAME.json
{
  "ConfigurationSpace": {
    "TuningParameters": [
      // The macros of the source; all defaults together are the default configuration.
      {"Name": "BLOCK", "Type": "int", "Values": "[64, 128, 256, 512, 1024]", "Default": 256},
      {"Name": "ITEMS", "Type": "int", "Values": "[1, 2, 4, 8]", "Default": 1}
    ],
    "Conditions": [
      // Only configurations that satisfy all of these are tried.
      {"Expression": "BLOCK * ITEMS <= 4096", "Parameters": ["BLOCK", "ITEMS"]}
    ]
  },
  "KernelSpecification": {
    "Language": "CUDA",
    "KernelName": "NAME",
    "KernelFile": "NAME.cu",
    "ProblemSize": [16777216],
    // The grid, in blocks ("OpenCL": in threads), and the threads of a block.
    "GlobalSizeType": "CUDA",
    "GlobalSize": {"X": "ceil(n / (BLOCK * ITEMS))"},
    "LocalSize": {"X": "BLOCK"},
    // In the order of the function's arguments. "Output": 1 marks those to verify.
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "FillType": "Random", "FillValue": 1.0, "Size": "n", "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 1.0, "Size": "n"},
      {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": 2.5},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar"}
    ]
  },
  "Gridsmith": {
    // What it is for, in a sentence or two; `gridsmith kernels` shows it.
    "Description": "y = a * x + y: nothing is used twice, so only memory counts (percent_of_copy).",
    // Names for the problem's extents, for all expressions here; more sizes to be tuned for.
    "Extents": ["n"],
    "ProblemSizes": [[16777216], [1000003]],
    // Scalar arguments that follow from the problem.
    "Scalars": {"n": "n"},
    "Reference": {
      "Kernel": "NAME_reference",
      "Grid": ["ceil(n / 256)"],
      "Block": ["256"],
      // The formula of element i of the output: checks single elements of the kernel's results.
      "Element": "a * x[i] + y[i]",
      // An element is right when |found - expected| <= absolute + relative * |expected|.
      "AbsoluteTolerance": 1e-6,
      "RelativeTolerance": 1e-5
    },
    // What the algorithm needs, whatever a configuration does: GB/s and GFLOP/s come from it.
    "WorkModel": {"Flops": "2 * n", "Bytes": "12 * n"}
  }
}
)gs";

std::string named(std::string text, const std::string& kernel) {
  for (std::size_t at = 0; (at = text.find("NAME", at)) != std::string::npos; at += kernel.size())
    text.replace(at, 4, kernel);
  return text;
}

} // namespace

bool can_name_a_kernel(const std::string& name) {
  return is_macro_name(name) && !words_in_use().contains(name);
}

std::string start_source(const std::string& kernel) {
  return named(source_template, kernel);
}

std::string start_definition(const std::string& kernel) {
  return named(definition_template, kernel);
}

} // namespace gridsmith
