// Layer norm of rows: out = (in - mean) / sqrt(variance + 1e-5) * scale + shift.
//
// A row of up to 32 or 16 floats for each thread of its team is kept in registers, and read once: the
// team is a warp if that is enough, else the whole block, which then does its rows one after the other.
// Longer rows are read twice: once for mean and variance, by pieces of 16 elements (or 4) whose own
// mean and squares are joined (nothing cancels), and once for the result. By 16 bytes where arrays and
// rows allow it.
constexpr int threads = block_size_x * block_size_y;
// Single loads take more registers beside the elements.
template <int width>
constexpr int kept_floats = width == 4 && threads < 512 ? 32 : 16;

constexpr int resident = threads < 512 ? 768 / threads : 1; // blocks of an SM
constexpr float epsilon = 1e-5f;

template <int width>
struct alignas(4 * width) Pack {
  float at[width];
};

struct Arrays {
  const float* __restrict__ in;
  const float* __restrict__ scale;
  const float* __restrict__ shift;
  float* __restrict__ out;
};

__device__ __forceinline__ float across(float value, int distance) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}

__device__ __forceinline__ int thread_of_block() {
  return threadIdx.y * block_size_x + threadIdx.x;
}

// In all threads of the team.
template <int team>
__device__ __forceinline__ float sum_of_team(float value, float* scratch) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += across(value, distance);
  if constexpr (team > 32) {
    const int t = thread_of_block();
    __syncthreads(); // what was there before has been read
    if (t % 32 == 0)
      scratch[t / 32] = value;
    __syncthreads();
    value = 0.0f;
#pragma unroll
    for (int w = 0; w < team / 32; ++w)
      value += scratch[w];
  }
  return value;
}

template <int width>
__device__ __forceinline__ Pack<width> normalised(Pack<width> pack, const Arrays& arrays, int i,
                                                  float mean, float factor) {
  const Pack<width> scales = reinterpret_cast<const Pack<width>*>(arrays.scale)[i];
  const Pack<width> shifts = reinterpret_cast<const Pack<width>*>(arrays.shift)[i];
#pragma unroll
  for (int e = 0; e < width; ++e)
    pack.at[e] = (pack.at[e] - mean) * factor * scales.at[e] + shifts.at[e];
  return pack;
}

template <int team, int width>
__device__ __forceinline__ void kept_row(const Arrays& arrays, int row, int columns,
                                         float* scratch) {
  constexpr int loads = kept_floats<width> / width;
  const int t = thread_of_block() % team, packs = columns / width;
  const Pack<width>* const from =
      reinterpret_cast<const Pack<width>*>(arrays.in + size_t(row) * columns);
  Pack<width>* const to = reinterpret_cast<Pack<width>*>(arrays.out + size_t(row) * columns);
  Pack<width> kept[loads];
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    const int i = t + l * team;
    if (i < packs)
      kept[l] = from[i];
    else
      kept[l] = Pack<width>{};
  }
  float sum = 0.0f;
#pragma unroll
  for (int l = 0; l < loads; ++l)
#pragma unroll
    for (int e = 0; e < width; ++e)
      sum += kept[l].at[e];
  const float mean = sum_of_team<team>(sum, scratch) / columns;
  float squares = 0.0f;
#pragma unroll
  for (int l = 0; l < loads; ++l)
    if (t + l * team < packs)
#pragma unroll
      for (int e = 0; e < width; ++e) {
        const float difference = kept[l].at[e] - mean;
        squares += difference * difference;
      }
  const float factor = rsqrtf(sum_of_team<team>(squares, scratch) / columns + epsilon);
#pragma unroll
  for (int l = 0; l < loads; ++l)
    if (const int i = t + l * team; i < packs)
      to[i] = normalised<width>(kept[l], arrays, i, mean, factor);
}

// Mean, and sum of squared differences from it, of so many elements.
struct Spread {
  float count, mean, squares;

  __device__ __forceinline__ void join(float other_count, float other_mean, float other_squares) {
    const float both = count + other_count;
    const float share = both > 0.0f ? other_count / both : 0.0f;
    const float difference = other_mean - mean;
    mean += difference * share;
    squares += other_squares + difference * difference * count * share;
    count = both;
  }

  template <int packs, int width>
  __device__ __forceinline__ void add(const Pack<width> (&piece)[packs]) {
    float sum = 0.0f, rest = 0.0f;
#pragma unroll
    for (int p = 0; p < packs; ++p)
#pragma unroll
      for (int e = 0; e < width; ++e)
        sum += piece[p].at[e];
    const float middle = sum * (1.0f / (packs * width));
#pragma unroll
    for (int p = 0; p < packs; ++p)
#pragma unroll
      for (int e = 0; e < width; ++e) {
        const float difference = piece[p].at[e] - middle;
        rest += difference * difference;
      }
    join(packs * width, middle, rest);
  }
};

template <int width>
__device__ __forceinline__ void streamed_row(const Arrays& arrays, int row, int columns,
                                             float* scratch) {
  constexpr int loads = 4, warps = threads / 32;
  const int t = thread_of_block(), packs = columns / width;
  const Pack<width>* const from =
      reinterpret_cast<const Pack<width>*>(arrays.in + size_t(row) * columns);
  Pack<width>* const to = reinterpret_cast<Pack<width>*>(arrays.out + size_t(row) * columns);
  Spread spread = {0.0f, 0.0f, 0.0f};
  int i = t;
  for (; i + (loads - 1) * threads < packs; i += loads * threads) {
    Pack<width> piece[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      piece[l] = from[i + l * threads];
    spread.add(piece);
  }
  for (; i < packs; i += threads) {
    const Pack<width> piece[1] = {from[i]};
    spread.add(piece);
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const float count = across(spread.count, distance), mean = across(spread.mean, distance),
                squares = across(spread.squares, distance);
    spread.join(count, mean, squares);
  }
  __syncthreads(); // what was there before has been read
  if (t % 32 == 0) {
    scratch[t / 32] = spread.count;
    scratch[warps + t / 32] = spread.mean;
    scratch[2 * warps + t / 32] = spread.squares;
  }
  __syncthreads();
  Spread whole = {0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int w = 0; w < warps; ++w)
    whole.join(scratch[w], scratch[warps + w], scratch[2 * warps + w]);
  const float factor = rsqrtf(whole.squares / columns + epsilon);
  i = t;
  for (; i + (loads - 1) * threads < packs; i += loads * threads) {
    Pack<width> piece[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      piece[l] = from[i + l * threads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      to[i + l * threads] =
          normalised<width>(piece[l], arrays, i + l * threads, whole.mean, factor);
  }
  for (; i < packs; i += threads)
    to[i] = normalised<width>(from[i], arrays, i, whole.mean, factor);
}

template <int width>
__device__ __forceinline__ void compute(const Arrays& arrays, int rows, int columns,
                                        float* scratch) {
  for (int first = blockIdx.x * block_size_y; first < rows; first += gridDim.x * block_size_y) {
    const int end = min(first + block_size_y, rows);
    if (columns <= 32 * kept_floats<width>) {
      for (int row = first + thread_of_block() / 32; row < end; row += threads / 32)
        kept_row<32, width>(arrays, row, columns, scratch);
    } else if (columns <= threads * kept_floats<width>) {
      for (int row = first; row < end; ++row)
        kept_row<threads, width>(arrays, row, columns, scratch);
    } else {
      for (int row = first; row < end; ++row)
        streamed_row<width>(arrays, row, columns, scratch);
    }
  }
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y, resident)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  __shared__ float scratch[3 * (threads / 32)];
  const Arrays arrays = {in, scale, shift, out};
  const size_t bits = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(scale) |
                      reinterpret_cast<size_t>(shift) | reinterpret_cast<size_t>(out);
  if (columns % 4 == 0 && bits % 16 == 0)
    compute<4>(arrays, rows, columns, scratch);
  else
    compute<1>(arrays, rows, columns, scratch);
}
