// Eight words for each of n particles, made from its two: particles[8 * p + f], f = 0 ... 7. A
// block makes 256 particles in shared memory and then writes them; neighbouring threads write words
// that are LANE_STEP apart, 8 or 1.
// Block 256, grid n / 256.
#define pitch 260 // at least 256, and 4 modulo 32

extern "C" __global__ void __launch_bounds__(256)
    make_particles(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                   unsigned* __restrict__ particles) {
  __shared__ unsigned made[8 * pitch];
  const unsigned first = blockIdx.x * 256, t = threadIdx.x;
  const unsigned x = a[first + t], y = b[first + t];
  const unsigned fields[8] = {x, y, x + y, x - y, x ^ y, x & y, x | y, x + 2 * y};
#pragma unroll
  for (int f = 0; f < 8; ++f)
    made[f * pitch + t] = fields[f];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned word = LANE_STEP == 8 ? t * 8 + k : k * 256 + t;
    particles[first * 8 + word] = made[word % 8 * pitch + word / 8];
  }
}
