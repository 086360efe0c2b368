// Transmission of a stack of lossless layers, one wavenumber per thread (characteristic matrices).
#if NUMBER == 8
typedef double Number;
#else
typedef float Number;
#endif

extern "C" __global__ void thinfilm(float* transmission, const float* wavenumber, const float* depth, const float* index,
                                    int n, int layers) {
  __shared__ float4 stack[128];
  for (int k = threadIdx.x; k < layers; k += blockDim.x)
    stack[k] = make_float4(depth[k] * index[k], index[k], 1.0f / index[k], 0.0f);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Number g = wavenumber[i];
  Number a = 1, b = 0, c = 0, d = 1;
#pragma unroll 4
  for (int k = 0; k < layers; ++k) {
    float4 layer = stack[k];
    Number p = g * Number(layer.x);
    Number q = p * p;
    Number co = Number(1) + q * (Number(-0.5f) + q * (Number(0.0416666f) + q * (Number(-0.0013888f) + q * Number(2.4801e-5f))));
    Number si = p * (Number(1) + q * (Number(-0.1666667f) + q * (Number(0.0083333f) + q * (Number(-1.98412e-4f) + q * Number(2.7557e-6f)))));
    Number up = si * Number(layer.y), down = si * Number(layer.z);
    Number na = a * co - b * up, nb = a * down + b * co;
    Number nc = c * co + d * up, nd = d * co - c * down;
    a = na, b = nb, c = nc, d = nd;
  }
  float even = float(a + d), odd = float(b + c);
  transmission[i] = 4.0f / (even * even + odd * odd);
}
