// Brings a year of radial velocities to the frame of the sun: one observatory, one orbit, one date per call.
__device__ __forceinline__ float sine(float x) {
  float q = x * x;
  return x * (1.0f + q * (-0.16666667f + q * (0.00833333f + q * (-1.984127e-4f + q * (2.755732e-6f - q * 2.505211e-8f)))));
}
__device__ __forceinline__ float cosine(float x) {
  float q = x * x;
  return 1.0f + q * (-0.5f + q * (0.04166667f + q * (-0.00138889f + q * (2.480159e-5f + q * (-2.755732e-7f + q * 2.08768e-9f)))));
}

extern "C" __global__ void sidereal(float* out, const float* in, float mean, float eccentricity, float perihelion,
                                    float tilt, float speed, float declination) {
  float e = mean;
#pragma unroll
  for (int k = 0; k < 24; ++k) e = mean + eccentricity * sine(e);
  float ce = cosine(e), se = sine(e);
  float side = 1.0f - eccentricity * eccentricity;
  float along = -se, across = side * (1.0f + 0.5f * eccentricity * eccentricity) * ce;
  float cp = cosine(perihelion), sp = sine(perihelion), ct = cosine(tilt), st = sine(tilt);
  float vx = cp * along - sp * across, vy = (sp * along + cp * across) * ct, vz = (sp * along + cp * across) * st;
  float cd = cosine(declination), sd = sine(declination);
  float shift = speed * (vx * cd + vy * sd * cd + vz * sd);
  float stretch = 1.0f + 0.5f * shift * shift;

  int first = blockIdx.x * (blockDim.x * SAMPLES) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < SAMPLES; ++k) out[first + k * blockDim.x] = in[first + k * blockDim.x] * stretch + shift;
}
