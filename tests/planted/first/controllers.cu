// One step of n controllers: the output follows the error and its sum.
//
// Block BLOCK, grid ceil(n / BLOCK). Any n.
extern "C" __global__ void __launch_bounds__(BLOCK)
    controllers(const float* __restrict__ error, float* __restrict__ sum, float* __restrict__ out,
                int n, float gain, float sum_gain) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n)
    return;
  const float now = sum[i] + error[i];
  sum[i] = now;
  out[i] = gain * error[i] + sum_gain * now;
}
