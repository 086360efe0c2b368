// x -> p(x), a polynomial of degree 11, 32 times for each element. Block 256, grid n / 256.
//
//   LITERAL_BYTES  size of the coefficients' type: 8, as a literal without a suffix, or 4
#if LITERAL_BYTES == 8
#define C(literal) literal
#else
#define C(literal) literal##f
#endif

constexpr int steps = 32;

extern "C" __global__ void __launch_bounds__(256)
    poly_steps(const float* __restrict__ in, float* __restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float x = in[i];
#pragma unroll 2
  for (int step = 0; step < steps; ++step)
    x = C(0.3) +
        x * (C(-0.7) +
             x * (C(0.11) +
                  x * (C(-0.13) +
                       x * (C(0.07) +
                            x * (C(0.017) +
                                 x * (C(-0.023) +
                                      x * (C(0.019) +
                                           x * (C(-0.029) +
                                                x * (C(0.031) +
                                                     x * (C(0.037) + x * C(-0.041)))))))))));
  out[i] = x;
}
