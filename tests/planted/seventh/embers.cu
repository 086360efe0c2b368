// Fire front on a map: cells above the ignition heat burn through a step, all others only cool.
__device__ __forceinline__ float burn(float heat, float wind) {
  float fuel = 1.0f, h = heat;
#pragma unroll 8
  for (int k = 0; k < 48; ++k) {
    float rate = h * (0.02f + h * (0.015f + h * 0.004f)) * (1.0f + wind * h);
    float used = rate * fuel * (0.5f + 0.25f * fuel);
    fuel -= 0.3f * used;
    h = h + 0.2f * used - 0.01f * h * h;
  }
  return h + 0.1f * fuel;
}

extern "C" __global__ void embers(float* next, const float* heat, float ignition, float wind) {
  size_t first = (size_t)blockIdx.x * 4096;
#if LISTED == 1
  __shared__ float cells[4096];
  __shared__ unsigned short list[4096];
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  float h[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) h[k] = heat[first + 256 * k + threadIdx.x];
  unsigned votes[16];
  int total = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    votes[k] = __ballot_sync(0xffffffffu, h[k] > ignition);
    total += __popc(votes[k]);
  }
  int lane = threadIdx.x % 32, place = 0;
  if (lane == 0) place = atomicAdd(&count, total);
  place = __shfl_sync(0xffffffffu, place, 0);
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    int at = 256 * k + threadIdx.x;
    bool hot = h[k] > ignition;
    if (hot) list[place + __popc(votes[k] & ((1u << lane) - 1))] = at;
    cells[at] = hot ? h[k] : 0.98f * h[k];
    place += __popc(votes[k]);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += 256) cells[list[k]] = burn(cells[list[k]], wind);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 16; ++k) next[first + 256 * k + threadIdx.x] = cells[256 * k + threadIdx.x];
#else
#pragma unroll 1
  for (int k = threadIdx.x; k < 4096; k += 256) {
    float h = heat[first + k];
    if (h > ignition)
      h = burn(h, wind);
    else
      h = 0.98f * h;
    next[first + k] = h;
  }
#endif
}
