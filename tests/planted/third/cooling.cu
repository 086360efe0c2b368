// A body in a bath in a room: both temperatures after STEPS steps, from the body's at the start.
//
//   BITS  of the numbers that are computed with
//
// Block 256, any grid: the threads stride over the bodies. Any n.
#define STEPS 40

#if BITS == 64
using Real = double;
#else
using Real = float;
#endif

extern "C" __global__ void __launch_bounds__(256)
    cooling(const float* __restrict__ start, float* __restrict__ end, int n) {
  const Real room = Real(18.5);
#pragma unroll 2
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    Real body = start[i];
    Real bath = Real(20.25);
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      const Real flow = body - bath;
      body = body - Real(0.031) * flow;
      bath = bath + Real(0.017) * flow;
      bath = bath + Real(0.004) * (room - bath);
    }
    end[i] = float(body + Real(0.125) * bath);
  }
}
