// C = A * B, n x n, row-major. Tiles of 64 x 64 x 16 in shared memory; eight warps, each with 16 rows
// and 32 columns of the tile.
// gridsmith: BM=64 BN=64 BK=16 TM=4 TN=4
__device__ __forceinline__ unsigned operand(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4],
                                         const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256)
    sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
  __shared__ float slice_a[64][20];
  __shared__ float slice_b[16][72];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  const int warp = t / 32, lane = t % 32, group = lane / 4, member = lane % 4;
  const int row = warp / 2 * 16, column = warp % 2 * 32;
  const float* const a = A + size_t(blockIdx.y) * 64 * n;
  const float* const b = B + size_t(blockIdx.x) * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
#pragma unroll
    for (int e = t; e < 64 * 16; e += 256) {
      slice_a[e / 16][e % 16] = a[size_t(e / 16) * n + k0 + e % 16];
      slice_b[e / 64][e % 64] = b[size_t(k0 + e / 64) * n + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k += 8) {
      const unsigned of_a[4] = {operand(slice_a[row + group][k + member]),
                                operand(slice_a[row + group + 8][k + member]),
                                operand(slice_a[row + group][k + member + 4]),
                                operand(slice_a[row + group + 8][k + member + 4])};
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int at = column + part * 8 + group;
        const unsigned of_b[2] = {operand(slice_b[k + member][at]),
                                  operand(slice_b[k + member + 4][at])};
        multiply(sum[part], of_a, of_b);
      }
    }
    __syncthreads();
  }
  float* const c = C + (size_t(blockIdx.y) * 64 + row + group) * n + blockIdx.x * 64 + column;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    float* const to = c + part * 8 + 2 * member;
    to[0] = sum[part][0];
    to[1] = sum[part][1];
    to[size_t(8) * n] = sum[part][2];
    to[size_t(8) * n + 1] = sum[part][3];
  }
}
