// Frames of 1024 samples, times a window, plus a tilt. A block has a frame, a thread four samples,
// 256 apart. Block 256, grid frames.
//
//   TABLE_SPACE  where window and tilt are read: 1 __constant__ variables, 0 the arguments
constexpr int frame = 1024, threads = 256;

__constant__ float window[frame];
__constant__ float tilt[frame];

extern "C" __global__ void __launch_bounds__(threads)
    windowed(const float* __restrict__ in, float* __restrict__ out,
             const float* __restrict__ window_argument, const float* __restrict__ tilt_argument) {
  const size_t first = static_cast<size_t>(blockIdx.x) * frame;
  float v[frame / threads];
#pragma unroll
  for (int k = 0; k < frame / threads; ++k)
    v[k] = in[first + k * threads + threadIdx.x];
#pragma unroll
  for (int k = 0; k < frame / threads; ++k) {
    const int i = k * threads + threadIdx.x;
    const float factor = TABLE_SPACE == 1 ? window[i] : window_argument[i];
    const float offset = TABLE_SPACE == 1 ? tilt[i] : tilt_argument[i];
    out[first + i] = v[k] * factor + offset;
  }
}
