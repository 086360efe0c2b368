// out[i] = 2 in[i] + 1 of n floats that begin and end in the host's memory. What is timed is all of
// it: to the device, the kernel, and back.
//
// What it teaches: the way to the device is a fiftieth as wide as the device's memory, so that what
// is done with the data hardly counts (the time, against 8 n bytes). Pageable memory is copied twice,
// by the driver into pinned memory of its own; pinned memory is read by the copy engines themselves;
// chunks on several streams have both directions and the kernel at work together. A kernel can read
// and write pinned memory without any copy, and managed pages move when they are asked to. For a few
// KiB what counts is how many calls there are.
//
//   MEMORY   pageable, pinned, zero_copy, managed
//   CHUNKS   parts that are moved and computed one after the other
//   STREAMS  the parts take turns on so many; those of different streams overlap
//
// Right for any block and grid (of a chunk: ceil(n / CHUNKS / block_size_x)). Any n < 2^31.
extern "C" __global__ void __launch_bounds__(block_size_x)
    host_transfer(const float* __restrict__ in, float* __restrict__ out, int n) {
  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < n; i += gridDim.x * block_size_x)
    out[i] = 2.0f * in[i] + 1.0f;
}
