// The reference of reduction_cub.cu, apart from it so that CUB is not compiled for it: one block,
// one tree, in double precision. Block 1024, grid 1.
//
// The tolerance: numbers in [-1, 1) are as often above as below 0, so that sums of 2^26 of them, and
// all that they pass through, stay below some 2^15, where a float's last bit is 2^-9; the additions
// to out, up to 2^17 of them, are rounded as often up as down, which makes some 200 times half a bit, 0.2.
extern "C" __global__ void reduction_cub_reference(const float* __restrict__ values, float* out,
                                                   int n) {
  __shared__ double joined[1024];
  double own = 0;
  for (int i = threadIdx.x; i < n; i += 1024)
    own += values[i];
  joined[threadIdx.x] = own;
  for (int distance = 512; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance)
      joined[threadIdx.x] += joined[threadIdx.x + distance];
  }
  if (threadIdx.x == 0)
    *out = float(joined[0]);
}
