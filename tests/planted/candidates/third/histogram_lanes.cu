// 256-bin histogram of bytes: a counter for each lane, all in its own bank, so that no two lanes of a
// warp ever wait for each other, and few blocks (the others are idle) that clear and join them.
extern "C" __global__ void __launch_bounds__(BLOCK)
histogram(const unsigned int *__restrict__ data, unsigned int *hist, int nwords)
{
    __shared__ __align__(16) unsigned int bins[256 * 32];
    constexpr unsigned chunk = BLOCK * ITEMS;
    constexpr int vectors = (ITEMS + 3) / 4;
    const unsigned active = min(gridDim.x, 512u);
    if (blockIdx.x >= active)
        return;
    const unsigned tid = threadIdx.x;
    unsigned int *const own = bins + tid % 32;
    const bool wide = ITEMS % 4 == 0 && (reinterpret_cast<size_t>(data) & 15) == 0;
    uint4 next[vectors] = {};
    const auto whole = [&](unsigned c) { return (size_t)(c + 1) * chunk <= (size_t)nwords; };
    const auto fetch = [&](unsigned c) {
        if (wide && c < gridDim.x && whole(c)) {
            const uint4 *const from = reinterpret_cast<const uint4 *>(data + (size_t)c * chunk);
#pragma unroll
            for (int v = 0; v < vectors; ++v)
                next[v] = from[v * BLOCK + tid];
        }
    };
    const auto count = [&](unsigned w) {
        atomicAdd(own + (w & 255u) * 32, 1u);
        atomicAdd(own + (w >> 8 & 255u) * 32, 1u);
        atomicAdd(own + (w >> 16 & 255u) * 32, 1u);
        atomicAdd(own + (w >> 24) * 32, 1u);
    };
    fetch(blockIdx.x);
    for (unsigned i = tid; i < 256 * 32 / 4; i += BLOCK)
        reinterpret_cast<uint4 *>(bins)[i] = make_uint4(0u, 0u, 0u, 0u);
    __syncthreads();
    for (unsigned c = blockIdx.x; c < gridDim.x; c += active) {
        if (wide && whole(c)) {
            uint4 now[vectors];
#pragma unroll
            for (int v = 0; v < vectors; ++v)
                now[v] = next[v];
            fetch(c + active);
#pragma unroll
            for (int v = 0; v < vectors; ++v) {
                count(now[v].x);
                count(now[v].y);
                count(now[v].z);
                count(now[v].w);
            }
        } else {
            fetch(c + active);
            for (int i = 0; i < ITEMS; ++i) {
                const size_t p = (size_t)c * chunk + (size_t)i * BLOCK + tid;
                if (p < (size_t)nwords)
                    count(data[p]);
            }
        }
    }
    __syncthreads();
    for (unsigned b = tid; b < 256; b += BLOCK) {
        unsigned sum = 0u;
#pragma unroll
        for (unsigned copy = 0; copy < 32; ++copy)
            sum += bins[b * 32 + (b + copy) % 32];
        if (sum)
            atomicAdd(hist + b, sum);
    }
}
