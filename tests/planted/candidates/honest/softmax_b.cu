// Softmax of rows. A row that fits in registers, 16 floats of each lane of a warp or 64 (40 by single
// loads, 32 in large blocks) of each thread of the block, is read once; the block then does its rows
// one after the other. Longer rows are read twice: for the largest element and the sum together, and
// for the result. By 16 bytes where arrays and rows allow it.
constexpr int threads = block_size_x * block_size_y;
constexpr int resident = threads < 512 ? 640 / threads : 1; // blocks of an SM
constexpr float lowest = -3.402823466e38f;

template <int width>
struct alignas(4 * width) Pack {
  float at[width];
};

__device__ __forceinline__ int thread_of_block() {
  return threadIdx.y * block_size_x + threadIdx.x;
}

__device__ __forceinline__ float across(float value, int distance) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}

struct Largest {
  static __device__ __forceinline__ float join(float a, float b) { return fmaxf(a, b); }
};

struct Sum {
  static __device__ __forceinline__ float join(float a, float b) { return a + b; }
};

// The values of a team, joined, in all of its threads.
template <class Operation, int team>
__device__ __forceinline__ float of_team(float value, float* scratch) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::join(value, across(value, distance));
  if constexpr (team > 32) {
    const int t = thread_of_block();
    __syncthreads(); // what was there before has been read
    if (t % 32 == 0)
      scratch[t / 32] = value;
    __syncthreads();
    value = scratch[0];
#pragma unroll
    for (int w = 1; w < team / 32; ++w)
      value = Operation::join(value, scratch[w]);
  }
  return value;
}

template <int team, int width, int loads>
__device__ __forceinline__ void kept_row(const float* __restrict__ in, float* __restrict__ out,
                                         int columns, float* scratch) {
  const int t = thread_of_block() % team, packs = columns / width;
  const Pack<width>* const from = reinterpret_cast<const Pack<width>*>(in);
  Pack<width>* const to = reinterpret_cast<Pack<width>*>(out);
  Pack<width> kept[loads];
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    const int i = t + l * team;
    if (i < packs) {
      kept[l] = from[i];
    } else {
#pragma unroll
      for (int e = 0; e < width; ++e)
        kept[l].at[e] = lowest;
    }
  }
  float largest = lowest;
#pragma unroll
  for (int l = 0; l < loads; ++l)
#pragma unroll
    for (int e = 0; e < width; ++e)
      largest = fmaxf(largest, kept[l].at[e]);
  largest = of_team<Largest, team>(largest, scratch);
  float sum = 0.0f;
#pragma unroll
  for (int l = 0; l < loads; ++l)
    if (t + l * team < packs)
#pragma unroll
      for (int e = 0; e < width; ++e) {
        kept[l].at[e] = expf(kept[l].at[e] - largest);
        sum += kept[l].at[e];
      }
  const float factor = 1.0f / of_team<Sum, team>(sum, scratch);
#pragma unroll
  for (int l = 0; l < loads; ++l)
    if (const int i = t + l * team; i < packs) {
#pragma unroll
      for (int e = 0; e < width; ++e)
        kept[l].at[e] *= factor;
      to[i] = kept[l];
    }
}

// The largest of some elements, and the sum of exp(element - largest).
struct Share {
  float largest, sum;

  template <int packs, int width>
  __device__ __forceinline__ void add(const Pack<width> (&piece)[packs]) {
    float next = largest;
#pragma unroll
    for (int p = 0; p < packs; ++p)
#pragma unroll
      for (int e = 0; e < width; ++e)
        next = fmaxf(next, piece[p].at[e]);
    sum *= expf(largest - next);
#pragma unroll
    for (int p = 0; p < packs; ++p)
#pragma unroll
      for (int e = 0; e < width; ++e)
        sum += expf(piece[p].at[e] - next);
    largest = next;
  }
};

template <int width>
__device__ __forceinline__ void streamed_row(const float* __restrict__ in, float* __restrict__ out,
                                             int columns, float* scratch) {
  constexpr int loads = 4;
  const int t = thread_of_block(), packs = columns / width;
  const Pack<width>* const from = reinterpret_cast<const Pack<width>*>(in);
  Pack<width>* const to = reinterpret_cast<Pack<width>*>(out);
  Share own = {lowest, 0.0f};
  int i = t;
  for (; i + (loads - 1) * threads < packs; i += loads * threads) {
    Pack<width> piece[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      piece[l] = from[i + l * threads];
    own.add(piece);
  }
  for (; i < packs; i += threads) {
    const Pack<width> piece[1] = {from[i]};
    own.add(piece);
  }
  const float largest = of_team<Largest, threads>(own.largest, scratch);
  const float factor =
      1.0f / of_team<Sum, threads>(own.sum * expf(own.largest - largest), scratch);
  i = t;
  for (; i + (loads - 1) * threads < packs; i += loads * threads) {
    Pack<width> piece[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      piece[l] = from[i + l * threads];
#pragma unroll
    for (int l = 0; l < loads; ++l) {
#pragma unroll
      for (int e = 0; e < width; ++e)
        piece[l].at[e] = expf(piece[l].at[e] - largest) * factor;
      to[i + l * threads] = piece[l];
    }
  }
  for (; i < packs; i += threads) {
    Pack<width> piece = from[i];
#pragma unroll
    for (int e = 0; e < width; ++e)
      piece.at[e] = expf(piece.at[e] - largest) * factor;
    to[i] = piece;
  }
}

template <int width>
__device__ __forceinline__ void compute(const float* __restrict__ in, float* __restrict__ out,
                                        int rows, int columns, float* scratch) {
  constexpr int of_lane = 16, of_thread = threads >= 512 ? 32 : width == 4 ? 64 : 40;
  const int first = blockIdx.x * block_size_y, end = min(first + block_size_y, rows);
  if (columns <= 32 * of_lane) {
    for (int row = first + thread_of_block() / 32; row < end; row += threads / 32) {
      const size_t at = size_t(row) * columns;
      kept_row<32, width, of_lane / width>(in + at, out + at, columns, scratch);
    }
  } else {
    for (int row = first; row < end; ++row) {
      const size_t at = size_t(row) * columns;
      if (columns <= threads * of_thread)
        kept_row<threads, width, of_thread / width>(in + at, out + at, columns, scratch);
      else
        streamed_row<width>(in + at, out + at, columns, scratch);
    }
  }
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y, resident)
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  __shared__ float scratch[threads / 32];
  const size_t bits = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out);
  if (columns % 4 == 0 && bits % 16 == 0)
    compute<4>(in, out, rows, columns, scratch);
  else
    compute<1>(in, out, rows, columns, scratch);
}
