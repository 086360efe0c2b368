// Inclusive scan of n words of four bytes: out[i] = values[0] + ... + values[i]. The kernel is a
// template of the element type; scan.json names that of unsigned integers, which wrap, so that one
// element left out or taken twice is found.
//
// What it teaches: what a pass over memory costs, and what a block's scan costs beside it. One pass
// moves 8 n bytes; three passes, which sum all before they scan it, read n words more wherever they
// are no longer in the L2 (dram__bytes_read.sum). Inside a block, the tree of Blelloch does n
// additions where that of Hillis and Steele does n log n
// (smsp__thread_inst_executed_pred_on.sum), and yet loses until its strides, powers of two, are
// padded off each other's banks (l1tex__data_pipe_lsu_wavefronts_mem_shared.sum /
// smsp__inst_executed_op_shared.sum); shuffles need neither. Lanes that read their own run of
// words touch as many sectors as the run is long (sectors per request); striped loads, turned in
// shared memory, touch four, and by 16 bytes a lane a quarter as many instructions.
//
//   SCAN    hillis_steele    every level adds to all, between two buffers
//           blelloch         up and down a tree in place
//           blelloch_padded  as blelloch, with a word free after every 32
//           shuffle          warps in registers, then their sums
//   PASSES  1  decoupled look-back: a block tells the sum of its tile, sums what the tiles before
//              have told, back to the first that knows all before it, and tells that of its own
//           3  a block has one run of tiles: it sums them, sums the sums of the blocks before it,
//              and scans the tiles; three passes of one launch
//   ITEMS   elements of one thread, which are neighbours when they are scanned, but for rows
//   ACCESS  blocked  a thread loads and stores its own neighbours one by one
//           vectors  the same, by 16 bytes
//           striped  a warp loads and stores 32 neighbours at a time, and shared memory turns them
//           warps    as striped by 16 bytes a lane, and each warp turns its own: no barrier of the block
//           rows     a lane holds four neighbours of each row of 128, by 16 bytes, and the warp scans
//                    row after row: nothing is turned, and shared memory has no part in it
//   NUMBER  how a block of one pass knows its tile
//           by_ticket  blocks are numbered as they begin, by an atomic that their loads wait for
//           by_index   by blockIdx: nothing to wait for, but right only as long as blocks begin in
//                      their order, as they are seen to on every device and are promised on none
//   WINDOW  tiles that a block looks back at together, 32 of each warp. What is under way has told its
//           sum alone, so 32 by 32 the way back to a tile that knows all before it is as many loads
//           long, one after another; tiles as large as registers allow shorten it as well
//
// Right for any block of a power of two of at least 32 threads, which is left to Gridsmith
// (block_size_x): with one pass grid ceil(n / (block_size_x * ITEMS)), with three passes any
// (blocks_per_sm). `tickets` and `states` are zero before the first launch, and any launch leaves
// them as the next one needs them. Any n < 2^31 - 2^15.
#define hillis_steele 0
#define blelloch 1
#define blelloch_padded 2
#define shuffle 3

#define blocked 0
#define vectors 1
#define striped 2
#define warps 3
#define rows 4

#define by_ticket 0
#define by_index 1

#define TILE (block_size_x * ITEMS)

// ---- inside a block

__device__ constexpr int padded(int i) {
  return i + i / 32;
}

template <class T>
struct Prefix {
  T before, total; // of the threads before this one, of all threads of the block
};

template <class T>
__device__ __forceinline__ T scan_warp(T sum) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 >= distance)
      sum += other;
  }
  return sum;
}

template <class T>
__device__ __forceinline__ T sum_warp(T part) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    part += __shfl_xor_sync(0xffffffffu, part, distance);
  return part;
}

// Each of these ends with a barrier, so that it can be called again.
#if SCAN == shuffle

template <class T>
__device__ __forceinline__ Prefix<T> scan_block(T own) {
  __shared__ T of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const T sum = scan_warp(own);
  if (lane == 31)
    of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0)
    of_warp[lane] = scan_warp(lane < block_size_x / 32 ? of_warp[lane] : T(0));
  __syncthreads();
  const T left = __shfl_up_sync(0xffffffffu, sum, 1);
  const Prefix<T> prefix = {(lane > 0 ? left : T(0)) + (warp > 0 ? of_warp[warp - 1] : T(0)),
                            of_warp[block_size_x / 32 - 1]};
  __syncthreads();
  return prefix;
}

#elif SCAN == hillis_steele

template <class T>
__device__ __forceinline__ Prefix<T> scan_block(T own) {
  __shared__ T sums[2][block_size_x];
  const int t = threadIdx.x;
  int now = 0;
  sums[now][t] = own;
  __syncthreads();
  for (int distance = 1; distance < block_size_x; distance *= 2) {
    sums[1 - now][t] = sums[now][t] + (t >= distance ? sums[now][t - distance] : T(0));
    now = 1 - now;
    __syncthreads();
  }
  const Prefix<T> prefix = {t > 0 ? sums[now][t - 1] : T(0), sums[now][block_size_x - 1]};
  __syncthreads();
  return prefix;
}

#else

__device__ constexpr int place(int i) {
  return SCAN == blelloch_padded ? padded(i) : i;
}

template <class T>
__device__ __forceinline__ Prefix<T> scan_block(T own) {
  __shared__ T sums[padded(block_size_x)];
  const int t = threadIdx.x;
  sums[place(t)] = own;
  __syncthreads();
  for (int distance = 1; distance < block_size_x; distance *= 2) {
    const int right = 2 * distance * (t + 1) - 1;
    if (right < block_size_x)
      sums[place(right)] += sums[place(right - distance)];
    __syncthreads();
  }
  const T total = sums[place(block_size_x - 1)];
  __syncthreads();
  if (t == 0)
    sums[place(block_size_x - 1)] = T(0);
  __syncthreads();
  for (int distance = block_size_x / 2; distance > 0; distance /= 2) {
    const int right = 2 * distance * (t + 1) - 1;
    if (right < block_size_x) {
      const T left = sums[place(right - distance)];
      sums[place(right - distance)] = sums[place(right)];
      sums[place(right)] += left;
    }
    __syncthreads();
  }
  const T before = sums[place(t)];
  __syncthreads();
  return {before, total};
}

#endif

// ---- a tile

template <class T>
struct alignas(16) Vector {
  T element[4];
};

// The elements of a thread. Those past the end are zero, and are not stored.
template <class T>
struct Items {
  T item[ITEMS];

  __device__ __forceinline__ void load(const T* __restrict__ values, unsigned first, unsigned n) {
    const unsigned own = first + of_thread();
#if ACCESS == striped
    T* const turned = exchange();
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned at = j * block_size_x + threadIdx.x;
      turned[padded(at)] = first + at < n ? values[first + at] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      item[j] = turned[padded(threadIdx.x * ITEMS + j)];
    __syncthreads();
#elif ACCESS == warps
    if (first + TILE <= n) {
      Vector<T>* const turned = exchange_of_warp();
      const unsigned lane = threadIdx.x % 32;
      const auto* const from = reinterpret_cast<const Vector<T>*>(values + first + of_warp());
#pragma unroll
      for (int v = 0; v < ITEMS / 4; ++v)
        turned[apart(v * 32 + lane)] = from[v * 32 + lane];
      __syncwarp();
#pragma unroll
      for (int v = 0; v < ITEMS / 4; ++v)
        unpack(4 * v, turned[apart(lane * (ITEMS / 4) + v)]);
      __syncwarp();
    } else
      load_own(values, own, n);
#elif ACCESS == vectors || ACCESS == rows
    if (own + place_of(ITEMS - 1) < n) {
#pragma unroll
      for (int v = 0; v < ITEMS; v += 4)
        unpack(v, load_vector(values + own + place_of(v)));
    } else
      load_own(values, own, n);
#else
    load_own(values, own, n);
#endif
  }

  __device__ __forceinline__ void store(T* __restrict__ out, unsigned first, unsigned n) const {
    const unsigned own = first + of_thread();
#if ACCESS == striped
    T* const turned = exchange();
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      turned[padded(threadIdx.x * ITEMS + j)] = item[j];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned at = j * block_size_x + threadIdx.x;
      if (first + at < n)
        out[first + at] = turned[padded(at)];
    }
    __syncthreads();
#elif ACCESS == warps
    if (first + TILE <= n) {
      Vector<T>* const turned = exchange_of_warp();
      const unsigned lane = threadIdx.x % 32;
      auto* const to = reinterpret_cast<Vector<T>*>(out + first + of_warp());
#pragma unroll
      for (int v = 0; v < ITEMS / 4; ++v)
        turned[apart(lane * (ITEMS / 4) + v)] = packed(4 * v);
      __syncwarp();
#pragma unroll
      for (int v = 0; v < ITEMS / 4; ++v)
        to[v * 32 + lane] = turned[apart(v * 32 + lane)];
      __syncwarp();
    } else
      store_own(out, own, n);
#elif ACCESS == vectors || ACCESS == rows
    if (own + place_of(ITEMS - 1) < n) {
#pragma unroll
      for (int v = 0; v < ITEMS; v += 4)
        *reinterpret_cast<Vector<T>*>(out + own + place_of(v)) = packed(v);
    } else
      store_own(out, own, n);
#else
    store_own(out, own, n);
#endif
  }

  // Each becomes the sum of the thread's up to it. Returns the last.
  __device__ __forceinline__ T scan() {
#pragma unroll
    for (int j = 1; j < ITEMS; ++j)
      item[j] += item[j - 1];
    return item[ITEMS - 1];
  }

#if ACCESS == rows

  // Each becomes the sum of the warp's up to it. Returns the last.
  __device__ __forceinline__ T scan_over_warp() {
    T to_here[ITEMS / 4], before = T(0); // of the row, of the rows before
#pragma unroll
    for (int v = 0; v < ITEMS; v += 4) {
#pragma unroll
      for (int e = 1; e < 4; ++e)
        item[v + e] += item[v + e - 1];
      to_here[v / 4] = item[v + 3];
    }
    // All rows at once, because a shuffle waits for the one before.
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2)
#pragma unroll
      for (int row = 0; row < ITEMS / 4; ++row) {
        const T other = __shfl_up_sync(0xffffffffu, to_here[row], distance);
        if (threadIdx.x % 32 >= distance)
          to_here[row] += other;
      }
#pragma unroll
    for (int v = 0; v < ITEMS; v += 4) {
      const T left = __shfl_up_sync(0xffffffffu, to_here[v / 4], 1);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        item[v + e] += before + (threadIdx.x % 32 > 0 ? left : T(0));
      before += __shfl_sync(0xffffffffu, to_here[v / 4], 31);
    }
    return before;
  }

#else

  __device__ __forceinline__ T scan_over_warp() {
    const T to_here = scan_warp(scan()), left = __shfl_up_sync(0xffffffffu, to_here, 1);
    add(threadIdx.x % 32 > 0 ? left : T(0));
    return __shfl_sync(0xffffffffu, to_here, 31);
  }

#endif

  __device__ __forceinline__ void add(T before) {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      item[j] += before;
  }

private:
  // Of the first element in the tile, and of each after that one.
#if ACCESS == rows
  static __device__ __forceinline__ unsigned of_thread() {
    return threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32 * 4;
  }

  static __device__ constexpr int place_of(int i) { return i / 4 * 128 + i % 4; }
#else
  static __device__ __forceinline__ unsigned of_thread() { return threadIdx.x * ITEMS; }

  static __device__ constexpr int place_of(int i) { return i; }
#endif

#if ACCESS == warps
  // Vectors of 16 bytes with a place free after every eight, which are all banks.
  static __device__ constexpr int apart(int i) { return i + i / 8; }

  static __device__ __forceinline__ unsigned of_warp() { return threadIdx.x / 32 * (32 * ITEMS); }

  static __device__ __forceinline__ Vector<T>* exchange_of_warp() {
    __shared__ Vector<T> vectors_of_all[block_size_x / 32][apart(32 * ITEMS / 4)];
    return vectors_of_all[threadIdx.x / 32];
  }
#endif

  // As a type that the compiler knows: a structure of ours is loaded word by word.
  static __device__ __forceinline__ Vector<T> load_vector(const T* __restrict__ from) {
    const uint4 bits = *reinterpret_cast<const uint4*>(from);
    return *reinterpret_cast<const Vector<T>*>(&bits);
  }

  __device__ __forceinline__ void unpack(int at, const Vector<T>& vector) {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      item[at + e] = vector.element[e];
  }

  __device__ __forceinline__ Vector<T> packed(int at) const {
    Vector<T> vector = {};
#pragma unroll
    for (int e = 0; e < 4; ++e)
      vector.element[e] = item[at + e];
    return vector;
  }

#if ACCESS == striped
  static __device__ __forceinline__ T* exchange() {
    __shared__ T words[padded(TILE)];
    return words;
  }
#endif

  __device__ __forceinline__ void load_own(const T* __restrict__ values, unsigned own, unsigned n) {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      item[j] = own + place_of(j) < n ? values[own + place_of(j)] : T(0);
  }

  __device__ __forceinline__ void store_own(T* __restrict__ out, unsigned own, unsigned n) const {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      if (own + place_of(j) < n)
        out[own + place_of(j)] = item[j];
  }
};

// ---- between blocks

// Blocks are numbered as they begin, so that who waits for a lower number waits for a block that
// runs. Numbers are below 2^32, above them stands how often the kernel was launched: what a former
// launch left in `states` is not of this one.
struct Ticket {
  unsigned number, launch;
};

#if NUMBER == by_index

// Every block adds one when it ends: before it does, fewer than all of this launch have.
__device__ __forceinline__ Ticket take_ticket(const unsigned long long* ended) {
  const unsigned long long so_far = *reinterpret_cast<const volatile unsigned long long*>(ended);
  return {blockIdx.x, unsigned(so_far / gridDim.x)};
}

__device__ __forceinline__ void end_ticket(unsigned long long* ended) {
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(ended, 1ull);
}

#else

__device__ __forceinline__ void end_ticket(unsigned long long*) {
}

__device__ __forceinline__ Ticket take_ticket(unsigned long long* tickets) {
  __shared__ Ticket shared;
  if (threadIdx.x == 0) {
    const unsigned long long taken = atomicAdd(tickets, 1ull);
    shared = {unsigned(taken), unsigned(taken >> 32)};
    if (shared.number == gridDim.x - 1) // the last: nobody takes another in this launch
      atomicAdd(tickets, (1ull << 32) - gridDim.x);
  }
  __syncthreads();
  return shared;
}

#endif

enum Told : unsigned { nothing, sum, sum_of_all };

// What a block tells the others is one word of 64 bits, so that whoever sees a part of it sees all,
// and no fence is needed: the sum, what it is a sum of, and the launch.
template <class T>
__device__ __forceinline__ void tell(unsigned long long* states, Ticket ticket, Told told,
                                     T value) {
  const unsigned bits = *reinterpret_cast<const unsigned*>(&value),
                 head = ticket.launch << 2 | told;
  reinterpret_cast<volatile unsigned long long*>(states)[ticket.number] =
      (unsigned long long)head << 32 | bits;
}

template <class T>
struct Heard {
  T value;
  bool of_all;
};

// What block `number` has told in this launch; waits until it has.
template <class T>
__device__ __forceinline__ Heard<T> hear(const unsigned long long* states, unsigned number,
                                         unsigned launch) {
  unsigned long long seen;
  unsigned head;
  do {
    seen = reinterpret_cast<const volatile unsigned long long*>(states)[number];
    head = unsigned(seen >> 32);
  } while (head % 4 == nothing || (head ^ launch << 2) > 3);
  const unsigned bits = unsigned(seen);
  return {*reinterpret_cast<const T*>(&bits), head % 4 == sum_of_all};
}

// The sum of the warp's parts up to the first that is of all, if one is.
template <class T>
__device__ __forceinline__ Heard<T> gather(Heard<T> part) {
  const unsigned ends = __ballot_sync(0xffffffffu, part.of_all);
  if (ends != 0 && threadIdx.x % 32 >= __ffs(ends))
    part.value = T(0);
  return {sum_warp(part.value), ends != 0};
}

// The sum of all tiles before this one, which tells its own meanwhile. Called by all threads; the
// first WINDOW look back.
template <class T>
__device__ __forceinline__ T look_back(unsigned long long* states, Ticket ticket, T total) {
  __shared__ Heard<T> of_warp[WINDOW / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool tells = threadIdx.x == 0;
  if (tells)
    tell(states, ticket, ticket.number > 0 ? sum : sum_of_all, total);
  Heard<T> before = {T(0), ticket.number == 0};
  for (int nearest = int(ticket.number) - 1; !before.of_all; nearest -= WINDOW) {
    if (threadIdx.x < WINDOW) {
      const int number = nearest - int(threadIdx.x);
      const Heard<T> heard = gather(number >= 0 ? hear<T>(states, number, ticket.launch)
                                                : Heard<T>{T(0), true});
      if (lane == 0)
        of_warp[warp] = heard;
    }
    __syncthreads();
    const Heard<T> heard = gather(lane < WINDOW / 32 ? of_warp[lane] : Heard<T>{T(0), false});
    before = {before.value + heard.value, heard.of_all};
    if (!before.of_all)
      __syncthreads(); // before of_warp is written again
  }
  if (tells && ticket.number > 0)
    tell(states, ticket, sum_of_all, T(before.value + total));
  return before.value;
}

#if PASSES == 1 && SCAN == shuffle

// Every warp scans the sums of the warps for itself: two barriers in all.
template <class T>
__device__ __forceinline__ void scan_all(const T* __restrict__ values, T* __restrict__ out,
                                         unsigned long long* states, Ticket ticket, unsigned n) {
  __shared__ T of_warp[32];
  const unsigned first = ticket.number * TILE;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Items<T> items;
  items.load(values, first, n);
  const T of_own = items.scan_over_warp();
  if (lane == 0)
    of_warp[warp] = of_own;
  __syncthreads();
  const T to_here = scan_warp(lane < block_size_x / 32 ? of_warp[lane] : T(0));
  const T left = __shfl_sync(0xffffffffu, to_here, warp > 0 ? warp - 1 : 0);
  const T before = look_back(states, ticket, __shfl_sync(0xffffffffu, to_here, 31));
  items.add(before + (warp > 0 ? left : T(0)));
  items.store(out, first, n);
}

#elif PASSES == 1

template <class T>
__device__ __forceinline__ void scan_all(const T* __restrict__ values, T* __restrict__ out,
                                         unsigned long long* states, Ticket ticket, unsigned n) {
  const unsigned first = ticket.number * TILE;
  Items<T> items;
  items.load(values, first, n);
  const Prefix<T> prefix = scan_block(items.scan());
  items.add(prefix.before + look_back(states, ticket, prefix.total));
  items.store(out, first, n);
}

#else

template <class T>
__device__ __forceinline__ void scan_all(const T* __restrict__ values, T* __restrict__ out,
                                         unsigned long long* states, Ticket ticket, unsigned n) {
  const unsigned tiles = (n + TILE - 1) / TILE, each = (tiles + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(ticket.number * each, tiles) * TILE;
  const unsigned end = min((ticket.number + 1) * each, tiles) * TILE;
  Items<T> items;
  T own = T(0);
  for (unsigned first = begin; first < end; first += TILE) {
    items.load(values, first, n);
    own += items.scan();
  }
  const T total = scan_block(own).total;
  if (threadIdx.x == 0)
    tell(states, ticket, sum, total);
  T heard = T(0);
  for (unsigned other = threadIdx.x; other < ticket.number; other += block_size_x)
    heard += hear<T>(states, other, ticket.launch).value;
  T before = scan_block(heard).total;
  for (unsigned first = begin; first < end; first += TILE) {
    items.load(values, first, n);
    const Prefix<T> prefix = scan_block(items.scan());
    items.add(before + prefix.before);
    items.store(out, first, n);
    before += prefix.total;
  }
}

#endif

template <class T>
__global__ void __launch_bounds__(block_size_x)
    scan(const T* __restrict__ values, T* __restrict__ out, unsigned long long* states,
         unsigned long long* tickets, int n) {
  scan_all(values, out, states, take_ticket(tickets), unsigned(n));
  end_ticket(tickets);
}

// The reference: one block goes from the first element to the last. Block 1024, grid 1.
template <class T>
__global__ void scan_reference(const T* __restrict__ values, T* __restrict__ out,
                               unsigned long long*, unsigned long long*, int n) {
  __shared__ T sums[1024];
  const int t = threadIdx.x;
  T before = T(0);
  for (int first = 0; first < n; first += 1024) {
    sums[t] = first + t < n ? values[first + t] : T(0);
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
      const T left = t >= distance ? sums[t - distance] : T(0);
      __syncthreads();
      sums[t] += left;
      __syncthreads();
    }
    if (first + t < n)
      out[first + t] = before + sums[t];
    before += sums[1023];
    __syncthreads();
  }
}
