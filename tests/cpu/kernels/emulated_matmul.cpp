// Variants of kernels/matmul/matmul.cu compiled for the host, each in its namespace.
#include "emulated_cuda.hpp"
#include "emulated_kernels.hpp"

#define VARIANT naive
#define BM 16
#define BN 16
#define BK 8
#define TM 1
#define TN 1
#define VECTOR 1
#define BUFFERS 1
#define RESIDENT 1
#define matmul matmul_m0
#define matmul_reference matmul_reference_m0

namespace m0 {
#include "gridsmith/kernels/catalogue/matmul/matmul.cu"
}

#undef VARIANT
#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef VECTOR
#undef BUFFERS
#undef RESIDENT
#undef matmul
#undef matmul_reference

#define VARIANT tiled
#define BM 16
#define BN 32
#define BK 16
#define TM 1
#define TN 1
#define VECTOR 1
#define BUFFERS 1
#define RESIDENT 1
#define matmul matmul_m1
#define matmul_reference matmul_reference_m1

namespace m1 {
#include "gridsmith/kernels/catalogue/matmul/matmul.cu"
}

#undef VARIANT
#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef VECTOR
#undef BUFFERS
#undef RESIDENT
#undef matmul
#undef matmul_reference

#define VARIANT blocked
#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8
#define VECTOR 4
#define BUFFERS 2
#define RESIDENT 1
#define matmul matmul_m2
#define matmul_reference matmul_reference_m2

namespace m2 {
#include "gridsmith/kernels/catalogue/matmul/matmul.cu"
}

#undef VARIANT
#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef VECTOR
#undef BUFFERS
#undef RESIDENT
#undef matmul
#undef matmul_reference

#define VARIANT blocked
#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8
#define VECTOR 1
#define BUFFERS 1
#define RESIDENT 1
#define matmul matmul_m3
#define matmul_reference matmul_reference_m3

namespace m3 {
#include "gridsmith/kernels/catalogue/matmul/matmul.cu"
}

#undef VARIANT
#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef VECTOR
#undef BUFFERS
#undef RESIDENT
#undef matmul
#undef matmul_reference

#define VARIANT blocked
#define BM 64
#define BN 128
#define BK 16
#define TM 8
#define TN 4
#define VECTOR 4
#define BUFFERS 1
#define RESIDENT 1
#define matmul matmul_m4
#define matmul_reference matmul_reference_m4

namespace m4 {
#include "gridsmith/kernels/catalogue/matmul/matmul.cu"
}

#undef VARIANT
#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef VECTOR
#undef BUFFERS
#undef RESIDENT
#undef matmul
#undef matmul_reference

#define VARIANT blocked
#define BM 128
#define BN 64
#define BK 8
#define TM 16
#define TN 8
#define VECTOR 1
#define BUFFERS 2
#define RESIDENT 1
#define matmul matmul_m5
#define matmul_reference matmul_reference_m5

namespace m5 {
#include "gridsmith/kernels/catalogue/matmul/matmul.cu"
}

#undef VARIANT
#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef VECTOR
#undef BUFFERS
#undef RESIDENT
#undef matmul
#undef matmul_reference

namespace {

using Kernel = void(const float*, const float*, float*, int, int, int);

template <Kernel* kernel>
void run(const gridsmith::Geometry& geometry, const std::vector<std::int64_t>& extents,
         const std::vector<const void*>& inputs, void* output) {
  emulated::launch(geometry, [&] {
    kernel(static_cast<const float*>(inputs[0]), static_cast<const float*>(inputs[1]),
           static_cast<float*>(output), static_cast<int>(extents[0]), static_cast<int>(extents[1]),
           static_cast<int>(extents[2]));
  });
}

} // namespace

std::vector<emulated::Variant> emulated::matmul_variants() {
  return {
      {"matmul",
       {{"VARIANT", std::string("naive")},
        {"BM", std::int64_t{16}},
        {"BN", std::int64_t{16}},
        {"BK", std::int64_t{8}},
        {"TM", std::int64_t{1}},
        {"TN", std::int64_t{1}},
        {"VECTOR", std::int64_t{1}},
        {"BUFFERS", std::int64_t{1}},
        {"RESIDENT", std::int64_t{1}}},
       run<m0::matmul_m0>},
      {"matmul",
       {{"VARIANT", std::string("tiled")},
        {"BM", std::int64_t{16}},
        {"BN", std::int64_t{32}},
        {"BK", std::int64_t{16}},
        {"TM", std::int64_t{1}},
        {"TN", std::int64_t{1}},
        {"VECTOR", std::int64_t{1}},
        {"BUFFERS", std::int64_t{1}},
        {"RESIDENT", std::int64_t{1}}},
       run<m1::matmul_m1>},
      {"matmul",
       {{"VARIANT", std::string("blocked")},
        {"BM", std::int64_t{64}},
        {"BN", std::int64_t{64}},
        {"BK", std::int64_t{8}},
        {"TM", std::int64_t{8}},
        {"TN", std::int64_t{8}},
        {"VECTOR", std::int64_t{4}},
        {"BUFFERS", std::int64_t{2}},
        {"RESIDENT", std::int64_t{1}}},
       run<m2::matmul_m2>},
      {"matmul",
       {{"VARIANT", std::string("blocked")},
        {"BM", std::int64_t{64}},
        {"BN", std::int64_t{64}},
        {"BK", std::int64_t{8}},
        {"TM", std::int64_t{8}},
        {"TN", std::int64_t{8}},
        {"VECTOR", std::int64_t{1}},
        {"BUFFERS", std::int64_t{1}},
        {"RESIDENT", std::int64_t{1}}},
       run<m3::matmul_m3>},
      {"matmul",
       {{"VARIANT", std::string("blocked")},
        {"BM", std::int64_t{64}},
        {"BN", std::int64_t{128}},
        {"BK", std::int64_t{16}},
        {"TM", std::int64_t{8}},
        {"TN", std::int64_t{4}},
        {"VECTOR", std::int64_t{4}},
        {"BUFFERS", std::int64_t{1}},
        {"RESIDENT", std::int64_t{1}}},
       run<m4::matmul_m4>},
      {"matmul",
       {{"VARIANT", std::string("blocked")},
        {"BM", std::int64_t{128}},
        {"BN", std::int64_t{64}},
        {"BK", std::int64_t{8}},
        {"TM", std::int64_t{16}},
        {"TN", std::int64_t{8}},
        {"VECTOR", std::int64_t{1}},
        {"BUFFERS", std::int64_t{2}},
        {"RESIDENT", std::int64_t{1}}},
       run<m5::matmul_m5>},
  };
}
