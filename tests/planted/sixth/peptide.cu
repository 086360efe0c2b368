// Mass of peptides of 16 residues, a byte each (0 to 31).
__constant__ float mass[32];
#if TABLE_IN_SHARED
#define LOOK(c) table[(c) & 31]
#else
#define LOOK(c) mass[(c) & 31]
#endif
extern "C" __global__ void __launch_bounds__(256) peptide(float* out, const uint4* chains, int n) {
#if TABLE_IN_SHARED
  __shared__ float table[32];
  if (threadIdx.x < 32) table[threadIdx.x] = mass[threadIdx.x];
  __syncthreads();
#endif
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const uint4 c = chains[i];
    float sum = 18.0f;
    const unsigned part[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
    for (int p = 0; p < 4; ++p) sum += (LOOK(part[p]) + LOOK(part[p] >> 8)) + (LOOK(part[p] >> 16) + LOOK(part[p] >> 24));
    out[i] = sum;
  }
}
