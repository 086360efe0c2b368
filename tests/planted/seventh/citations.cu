// Walks over a web of pages of 32 links: a walker of 32 lanes reads a page, follows one of its links, and keeps a digest.
extern "C" __global__ void __launch_bounds__(GROUP)
citations(unsigned* digest, const int* __restrict__ links, int pages, int hops) {
  const int t = blockIdx.x * GROUP + threadIdx.x;
  const int lane = t & 31;
  int page = (int)((unsigned)(t >> 5) * 2654435761u) & (pages - 1);
  unsigned sum = 0;
#pragma unroll 1
  for (int hop = 0; hop < hops; ++hop) {
    int link = links[page * 32 + lane];
    sum = sum * 31u + (unsigned)link;
    page = __shfl_sync(0xffffffffu, link, hop & 31);
  }
  digest[t] = sum;
}
