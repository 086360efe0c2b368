// A key's place is the number of those before it: smaller ones, and equal ones with a lower index.
// Block 256, grid n / 256.
extern "C" __global__ void reference(const unsigned* __restrict__ before,
                                     unsigned* __restrict__ after) {
  const int i = blockIdx.x * 256 + threadIdx.x, own = i % 4096;
  const unsigned* const keys = before + (i - own);
  const unsigned key = keys[own];
  int place = 0;
  for (int other = 0; other < 4096; ++other)
    place += keys[other] < key || (keys[other] == key && other < own);
  after[i - own + place] = key;
}
