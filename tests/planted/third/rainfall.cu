// Rain of many days by station: rows of 256 stations, one row a day, added up by column.
//
//   DAYS  days that a thread adds up before it hands on their sum
//
// Block 256, a column each; a block takes 256 days in a row, eight at once. DAYS divides 8 or is a multiple of it.
#define STATIONS 256
#define SPAN 256
#define AHEAD 8

extern "C" __global__ void __launch_bounds__(256)
    rainfall(const int* __restrict__ rain, int* __restrict__ total) {
  const int* day = rain + (blockIdx.x * SPAN) * STATIONS + threadIdx.x;
  int* mine = total + threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int first = 0; first < SPAN; first += AHEAD) {
    int fell[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k)
      fell[k] = day[(first + k) * STATIONS];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      sum += fell[k];
      if ((first + k + 1) % DAYS == 0) {
        atomicAdd(mine, sum);
        sum = 0;
      }
    }
  }
}
