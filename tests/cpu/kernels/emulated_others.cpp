// vector_add and the benchmark's kernels compiled for the host, each in its namespace.
#include "emulated_cuda.hpp"
#include "emulated_kernels.hpp"

#define ELEMENTS 4
#define block_size_x 64
#define vector_add vector_add_v0
#define vector_add_reference vector_add_reference_v0

namespace v0 {
#include "gridsmith/kernels/catalogue/vector_add/vector_add.cu"
}

#undef ELEMENTS
#undef block_size_x
#undef vector_add
#undef vector_add_reference

#define ELEMENTS 1
#define block_size_x 32
#define vector_add vector_add_v1
#define vector_add_reference vector_add_reference_v1

namespace v1 {
#include "gridsmith/kernels/catalogue/vector_add/vector_add.cu"
}

#undef ELEMENTS
#undef block_size_x
#undef vector_add
#undef vector_add_reference

#define TILE 32
#define ROWS 8
#define PAD 1
#define transpose transpose_b0
#define transpose_reference transpose_reference_b0

namespace b0 {
#include "gridsmith/kernels/catalogue/transpose_bench/transpose.cu"
}

#undef TILE
#undef ROWS
#undef PAD
#undef transpose
#undef transpose_reference

#define BM 32
#define BN 32
#define BK 8
#define TM 4
#define TN 2
#define sgemm sgemm_g0
#define sgemm_reference sgemm_reference_g0

namespace g0 {
#include "gridsmith/kernels/catalogue/sgemm_bench/sgemm.cu"
}

#undef BM
#undef BN
#undef BK
#undef TM
#undef TN
#undef sgemm
#undef sgemm_reference

#define BLOCK 64
#define ITEMS 4
#define REPL 2
#define histogram histogram_h0
#define histogram_reference histogram_reference_h0

namespace h0 {
#include "gridsmith/kernels/catalogue/histogram_bench/histogram.cu"
}

#undef BLOCK
#undef ITEMS
#undef REPL
#undef histogram
#undef histogram_reference

namespace {

const float* floats(const void* from) {
  return static_cast<const float*>(from);
}

template <void (*kernel)(const float*, const float*, float*, int)>
void run_two(const gridsmith::Geometry& geometry, const std::vector<std::int64_t>& extents,
             const std::vector<const void*>& inputs, void* output) {
  emulated::launch(geometry, [&] {
    kernel(floats(inputs[0]), floats(inputs[1]), static_cast<float*>(output),
           static_cast<int>(extents[0]));
  });
}

void run_transpose(const gridsmith::Geometry& geometry, const std::vector<std::int64_t>& extents,
                   const std::vector<const void*>& inputs, void* output) {
  emulated::launch(geometry, [&] {
    b0::transpose_b0(floats(inputs[0]), static_cast<float*>(output), static_cast<int>(extents[0]));
  });
}

void run_histogram(const gridsmith::Geometry& geometry, const std::vector<std::int64_t>& extents,
                   const std::vector<const void*>& inputs, void* output) {
  emulated::launch(geometry, [&] {
    h0::histogram_h0(static_cast<const unsigned*>(inputs[0]), static_cast<unsigned*>(output),
                     static_cast<int>(extents[0]));
  });
}

} // namespace

std::vector<emulated::Variant> emulated::other_variants() {
  return {
      {"vector_add",
       {{"ELEMENTS", std::int64_t{4}},
        {"block_size_x", std::int64_t{64}},
        {"blocks_per_sm", std::int64_t{4}}},
       run_two<v0::vector_add_v0>},
      {"vector_add",
       {{"ELEMENTS", std::int64_t{1}},
        {"block_size_x", std::int64_t{32}},
        {"blocks_per_sm", std::int64_t{0}}},
       run_two<v1::vector_add_v1>},
      {"transpose_bench",
       {{"TILE", std::int64_t{32}}, {"ROWS", std::int64_t{8}}, {"PAD", std::int64_t{1}}},
       run_transpose},
      {"sgemm_bench",
       {{"BM", std::int64_t{32}},
        {"BN", std::int64_t{32}},
        {"BK", std::int64_t{8}},
        {"TM", std::int64_t{4}},
        {"TN", std::int64_t{2}}},
       run_two<g0::sgemm_g0>},
      {"histogram_bench",
       {{"BLOCK", std::int64_t{64}}, {"ITEMS", std::int64_t{4}}, {"REPL", std::int64_t{2}}},
       run_histogram},
  };
}
