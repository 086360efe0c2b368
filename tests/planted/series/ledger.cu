// Interest of sixteen accounts of a customer over two thousand days.
extern "C" __global__ void __launch_bounds__(128)
ledger(float* __restrict__ out, const float* __restrict__ in, float rate, float fee, int n) {
  const int customer = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int first = 0; first < 16; first += ACCOUNTS) {
    float balance[ACCOUNTS];
#pragma unroll
    for (int k = 0; k < ACCOUNTS; ++k)
      balance[k] = in[(first + k) * n + customer];
#pragma unroll 8
    for (int day = 0; day < 2048; ++day)
#pragma unroll
      for (int k = 0; k < ACCOUNTS; ++k)
        balance[k] = balance[k] * rate + fee;
#pragma unroll
    for (int k = 0; k < ACCOUNTS; ++k)
      out[(first + k) * n + customer] = balance[k];
  }
}
