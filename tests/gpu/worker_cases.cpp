// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/gpu/worker_cases.hpp"

namespace gridsmith::testing {

namespace {

Geometry with_shared(std::int64_t bytes) {
  Geometry geometry = blocks_of(256);
  geometry.dynamic_shared_bytes = bytes;
  return geometry;
}

/// Holds so many values at once that 1024 threads cannot be launched.
std::string register_hungry() {
  return scale_source(
      "float a[160];\n"
      "#pragma unroll\n"
      "for (int k = 0; k < 160; ++k) a[k] = in[(i + k * 97) % n];\n"
      "float s = 0;\n"
      "for (int r = 0; r < n / 1000000; ++r)\n"
      "#pragma unroll\n"
      "for (int k = 0; k < 160; ++k) { a[k] = a[k] * a[(k + 7) % 160]; s += a[k]; }\n"
      "if (i < n) out[i] = s;");
}

} // namespace

std::string scale_source(const std::string& body, const std::string& qualifiers) {
  return "extern \"C\" __global__ void " + qualifiers +
         " scale(const float* in, float* out, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         body + "\n}\n";
}

Geometry blocks_of(int threads) {
  Geometry geometry;
  geometry.grid[0] = (n + threads - 1) / threads;
  geometry.block[0] = threads;
  return geometry;
}

ArgumentSpec vector_argument(const std::string& name, Access access, std::uint64_t elements,
                             bool output, ElementType type) {
  return {.buffer = BufferSpec{.name = name,
                               .type = type,
                               .elements = elements,
                               .access = access,
                               .fill = access == Access::write_only ? Fill::constant : Fill::random,
                               .numbers = {.value = access == Access::write_only ? 0.0 : 1.0},
                               .output = output,
                               .constant_memory = false},
          .scalar = std::nullopt};
}

ArgumentSpec int_argument(const std::string& name, double value) {
  return {.buffer = std::nullopt, .scalar = ScalarSpec{name, ElementType::int32, value}};
}

std::vector<Case> living_cases() {
  const std::string shared =
      scale_source("extern __shared__ float tile[]; tile[threadIdx.x] = 3.0f * in[i]; "
                   "__syncthreads(); out[i] = tile[threadIdx.x];");
  return {
      {"right", scale_source(right)},
      {"right, as a template",
       "template <int factor> __global__ void scale_by(const float* in, float* out, int n) {\n"
       "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  if (i < n) out[i] = factor * in[i];\n}\n",
       blocks_of(128), Status::correct, "", "scale_by<3>"},
      {"one element wrong", scale_source(right + " if (i == 17) out[i] = 0.5f;"), blocks_of(256),
       Status::correctness, "element 17 of 'out' is 0.5, expected"},
      {"all wrong", scale_source("if (i < n) out[i] = 3.5f * in[i];"), blocks_of(256),
       Status::correctness, "differ"},
      {"NaN", scale_source(right + " if (i == 5) out[i] = nanf(\"\");"), blocks_of(256),
       Status::correctness, "element 5 of 'out' is nan"},
      {"unwritten", scale_source("if (i != 17) out[i] = 3.0f * in[i];"), blocks_of(256),
       Status::correctness, "element 17 of 'out' was not written"},
      {"nothing written", scale_source("if (n < 0) out[i] = in[i];"), blocks_of(256),
       Status::correctness, "4194304 of them not written"},
      {"past the end", scale_source(right + " if (i == 0) out[n] = 1;"), blocks_of(256),
       Status::correctness, "wrote past the end of 'out'"},
      {"before the start", scale_source(right + " if (i == 0) out[-1] = 1;"), blocks_of(256),
       Status::correctness, "wrote before the start of 'out'"},
      {"right after damage to a guard", scale_source(right)},
      {"changes its input", scale_source(right + " if (i == 99) ((float*)in)[i] = 7;"),
       blocks_of(256), Status::correctness, "wrote into the input 'in' (element 99, 1 in all)"},
      {"right after damage to the input", scale_source(right)},
      {"shared memory with opt-in", shared, with_shared(100'000)},
      {"too much shared memory", shared, with_shared(300'000), Status::runtime,
       "too much shared memory: 300000 bytes"},
      {"too many threads", scale_source(right), blocks_of(2048), Status::runtime, "block extent"},
      {"too many threads in two dimensions", scale_source(right),
       Geometry{{n / 2048, 1, 1}, {64, 32, 1}, 0}, Status::runtime, "too many threads: 2048"},
      {"above the launch bounds", scale_source(right, "__launch_bounds__(128)"), blocks_of(256),
       Status::runtime, "too many threads or registers"},
      {"too many registers", register_hungry(), blocks_of(1024), Status::runtime,
       "too many threads or registers"},
      {"one argument too many",
       "extern \"C\" __global__ void scale(const float* in, float* out, int n, int m) {"
       "out[m] = in[n];}",
       blocks_of(256), Status::runtime, "takes 4 arguments, the definition gives 3"},
      {"an argument of another size",
       "extern \"C\" __global__ void scale(const float* in, float* out, long long n) {"
       "out[n] = in[n];}",
       blocks_of(256), Status::runtime, "argument 3 has 8 bytes in the kernel and 4"},
      {"prints", scale_source(right + " if (i < 2) printf(\"hello from %d\\n\", i);")},
      {"slow",
       scale_source("float s = in[i]; for (int r = 0; r < n / 1024; ++r) s = s * 0.5f + in[(i + r) "
                    "% n] * 0.0f; if (s != 12345.0f) out[i] = 3.0f * in[i];")},
  };
}

std::vector<Case> deadly_cases() {
  return {
      {"illegal address", scale_source(right + " if (i == 3) *(volatile int*)(16ull << 40) = 1;"),
       blocks_of(256), Status::runtime, "cudaErrorIllegalAddress"},
      {"misaligned address",
       scale_source(right + " if (i == 3) *(volatile int*)((char*)out + 1) = 1;"), blocks_of(256),
       Status::runtime, "cudaErrorMisalignedAddress"},
      {"assert", scale_source(right + " assert(i != 3);"), blocks_of(256), Status::runtime,
       "cudaErrorAssert"},
      {"trap", scale_source(right + " if (i == 3) asm volatile(\"trap;\");"), blocks_of(256),
       Status::runtime, "cudaError"},
  };
}

} // namespace gridsmith::testing
