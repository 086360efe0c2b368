// gridsmith: WIDTH=4
// Linear interpolation in a table that begins again beyond its ends, four places of a thread. The way
// back into the table is a selection: no rounding down, and the index is never out of it twice.
constexpr int clamped = 0, wrapped = 1;

struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

template <int address>
__device__ __forceinline__ float at(const float* __restrict__ table, float place, int entries) {
  if constexpr (address == wrapped)
    place += place < 0.0f ? 1.0f : place >= 1.0f ? -1.0f : 0.0f;
  else
    place = __saturatef(place);
  const float t = place * entries + 0.5f; // an entry to the right: positive
  const int k = int(t);
  const float fraction = t - k;
  const int lower = k > 0 ? k - 1 : address == wrapped ? entries - 1 : 0;
  const int upper = k < entries ? k : address == wrapped ? 0 : entries - 1;
  const float a = __ldg(table + lower), b = __ldg(table + upper);
  return a + fraction * (b - a);
}

template <int address>
__global__ void __launch_bounds__(block_size_x)
    interpolation(const float* __restrict__ places, const float* __restrict__ global_table,
                  float* __restrict__ out, unsigned long long, int n, int entries) {
  const unsigned vectors = unsigned(n) / WIDTH;
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < vectors;
       i += gridDim.x * block_size_x) {
    Vector v = reinterpret_cast<const Vector*>(places)[i];
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      v.element[e] = at<address>(global_table, v.element[e], entries);
    reinterpret_cast<Vector*>(out)[i] = v;
  }
  const unsigned rest = vectors * WIDTH + threadIdx.x;
  if (blockIdx.x == 0 && rest < unsigned(n))
    out[rest] = at<address>(global_table, places[rest], entries);
}
