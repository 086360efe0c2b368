// Variants of kernels/transpose/transpose.cu compiled for the host, each in its namespace.
#include "emulated_cuda.hpp"
#include "emulated_kernels.hpp"

#define VARIANT naive
#define TILE 16
#define ROWS 4
#define PADDING 0
#define ELEMENTS 1
#define STREAM 0
#define BAND 1
#define transpose transpose_t0
#define transpose_reference transpose_reference_t0

namespace t0 {
#include "gridsmith/kernels/catalogue/transpose/transpose.cu"
}

#undef VARIANT
#undef TILE
#undef ROWS
#undef PADDING
#undef ELEMENTS
#undef STREAM
#undef BAND
#undef transpose
#undef transpose_reference

#define VARIANT tiled
#define TILE 32
#define ROWS 8
#define PADDING 1
#define ELEMENTS 1
#define STREAM 1
#define BAND 1
#define transpose transpose_t1
#define transpose_reference transpose_reference_t1

namespace t1 {
#include "gridsmith/kernels/catalogue/transpose/transpose.cu"
}

#undef VARIANT
#undef TILE
#undef ROWS
#undef PADDING
#undef ELEMENTS
#undef STREAM
#undef BAND
#undef transpose
#undef transpose_reference

#define VARIANT tiled
#define TILE 16
#define ROWS 16
#define PADDING 0
#define ELEMENTS 1
#define STREAM 0
#define BAND 1
#define transpose transpose_t2
#define transpose_reference transpose_reference_t2

namespace t2 {
#include "gridsmith/kernels/catalogue/transpose/transpose.cu"
}

#undef VARIANT
#undef TILE
#undef ROWS
#undef PADDING
#undef ELEMENTS
#undef STREAM
#undef BAND
#undef transpose
#undef transpose_reference

#define VARIANT blocked
#define TILE 64
#define ROWS 8
#define PADDING 0
#define ELEMENTS 4
#define STREAM 1
#define BAND 8
#define transpose transpose_t3
#define transpose_reference transpose_reference_t3

namespace t3 {
#include "gridsmith/kernels/catalogue/transpose/transpose.cu"
}

#undef VARIANT
#undef TILE
#undef ROWS
#undef PADDING
#undef ELEMENTS
#undef STREAM
#undef BAND
#undef transpose
#undef transpose_reference

#define VARIANT blocked
#define TILE 32
#define ROWS 8
#define PADDING 0
#define ELEMENTS 4
#define STREAM 0
#define BAND 1
#define transpose transpose_t4
#define transpose_reference transpose_reference_t4

namespace t4 {
#include "gridsmith/kernels/catalogue/transpose/transpose.cu"
}

#undef VARIANT
#undef TILE
#undef ROWS
#undef PADDING
#undef ELEMENTS
#undef STREAM
#undef BAND
#undef transpose
#undef transpose_reference

#define VARIANT blocked
#define TILE 16
#define ROWS 4
#define PADDING 0
#define ELEMENTS 2
#define STREAM 1
#define BAND 8
#define transpose transpose_t5
#define transpose_reference transpose_reference_t5

namespace t5 {
#include "gridsmith/kernels/catalogue/transpose/transpose.cu"
}

#undef VARIANT
#undef TILE
#undef ROWS
#undef PADDING
#undef ELEMENTS
#undef STREAM
#undef BAND
#undef transpose
#undef transpose_reference

namespace {

using Kernel = void(const float*, float*, int, int);

template <Kernel* kernel>
void run(const gridsmith::Geometry& geometry, const std::vector<std::int64_t>& extents,
         const std::vector<const void*>& inputs, void* output) {
  emulated::launch(geometry, [&] {
    kernel(static_cast<const float*>(inputs[0]), static_cast<float*>(output),
           static_cast<int>(extents[0]), static_cast<int>(extents[1]));
  });
}

} // namespace

std::vector<emulated::Variant> emulated::transpose_variants() {
  return {
      {"transpose",
       {{"VARIANT", std::string("naive")},
        {"TILE", std::int64_t{16}},
        {"ROWS", std::int64_t{4}},
        {"PADDING", std::int64_t{0}},
        {"ELEMENTS", std::int64_t{1}},
        {"STREAM", std::int64_t{0}},
        {"BAND", std::int64_t{1}}},
       run<t0::transpose_t0>},
      {"transpose",
       {{"VARIANT", std::string("tiled")},
        {"TILE", std::int64_t{32}},
        {"ROWS", std::int64_t{8}},
        {"PADDING", std::int64_t{1}},
        {"ELEMENTS", std::int64_t{1}},
        {"STREAM", std::int64_t{1}},
        {"BAND", std::int64_t{1}}},
       run<t1::transpose_t1>},
      {"transpose",
       {{"VARIANT", std::string("tiled")},
        {"TILE", std::int64_t{16}},
        {"ROWS", std::int64_t{16}},
        {"PADDING", std::int64_t{0}},
        {"ELEMENTS", std::int64_t{1}},
        {"STREAM", std::int64_t{0}},
        {"BAND", std::int64_t{1}}},
       run<t2::transpose_t2>},
      {"transpose",
       {{"VARIANT", std::string("blocked")},
        {"TILE", std::int64_t{64}},
        {"ROWS", std::int64_t{8}},
        {"PADDING", std::int64_t{0}},
        {"ELEMENTS", std::int64_t{4}},
        {"STREAM", std::int64_t{1}},
        {"BAND", std::int64_t{8}}},
       run<t3::transpose_t3>},
      {"transpose",
       {{"VARIANT", std::string("blocked")},
        {"TILE", std::int64_t{32}},
        {"ROWS", std::int64_t{8}},
        {"PADDING", std::int64_t{0}},
        {"ELEMENTS", std::int64_t{4}},
        {"STREAM", std::int64_t{0}},
        {"BAND", std::int64_t{1}}},
       run<t4::transpose_t4>},
      {"transpose",
       {{"VARIANT", std::string("blocked")},
        {"TILE", std::int64_t{16}},
        {"ROWS", std::int64_t{4}},
        {"PADDING", std::int64_t{0}},
        {"ELEMENTS", std::int64_t{2}},
        {"STREAM", std::int64_t{1}},
        {"BAND", std::int64_t{8}}},
       run<t5::transpose_t5>},
  };
}
