// out[i] = 2 * in[i], and one way to fail per value of FAULT. X only makes several good configurations.
#if FAULT == 14
template <int N>
struct Bomb {
  static constexpr int value = Bomb<N + 1>::value + Bomb<N + 2>::value;
};
#endif

extern "C" __global__ void faulty_reference(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2.0f * in[i];
}

extern "C" __global__ void faulty(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float value = 2.0f * in[i];
  for (int k = 0; k < X * 200; ++k) // X = 0 is the fastest
    value = value * 1.0f + 0.0f * clock();
#if FAULT == 1
  value = undeclared_name;
#elif FAULT == 2
  value += i == 1000;
#elif FAULT == 3
  if (i == 1000)
    value = __int_as_float(0x7fffffff);
#elif FAULT == 4
  if (i == 1000)
    return;
#elif FAULT == 5
  if (i == n - 1)
    out[n] = value;
#elif FAULT == 6
  if (i == 1000)
    *(volatile float*)0x10 = value;
#elif FAULT == 7
  if (i == 1000)
    *(volatile float*)((char*)out + 1) = value;
#elif FAULT == 8
  if (i == 1000)
    __assertfail("i != 1000", "faulty.cu", 43, "faulty", 1);
#elif FAULT == 9
  if (i == 1000)
    __trap();
#elif FAULT == 10
  while (((volatile const float*)in)[i] < 10.0f) {
  }
#elif FAULT == 11
  // With the dynamic shared memory of the definition more than a block may have.
  __shared__ volatile float big[5000];
  big[threadIdx.x] = value;
  value = big[threadIdx.x];
#elif FAULT == 13
  // About 200 live registers in a block of 1024 threads: more than an SM has.
  float keep[192];
#pragma unroll
  for (int k = 0; k < 192; ++k)
    keep[k] = ((volatile const float*)in)[(i + k * 7919) % n];
  __syncthreads();
#pragma unroll
  for (int k = 191; k >= 0; --k)
    value += 0.0f * keep[k];
#elif FAULT == 14
  value += Bomb<0>::value;
#endif
  out[i] = value;
}
