// C = A * B on tensor cores, row-major: A is m x k, B is k x n, C is m x n, in single precision.
// The kernel is a template of what is multiplied, and a definition names the instance:
// matmul_tensor.json halves, matmul_tf32.json floats of which the tensor cores use 19 bits; both
// are summed in single precision. Any m, n, k.
//
// What it teaches: a tensor core multiplies faster than anything brings its operands
// (sm__inst_executed_pipe_tensor.sum against smsp__cycles_active.sum). So slices are on their way
// from global to shared memory while others are used, past registers, STAGES of them; a warp
// multiplies WM x WN elements for each WM + WN that it reads from shared memory; and lines of a
// slice that begin at the same bank cost a wavefront for each row of a fragment
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum / smsp__inst_executed_op_shared_ld.sum)
// until they are padded.
//
//   BM, BN   rows and columns of C per block
//   BK       depth of a slice of A and B
//   WM, WN   rows and columns of C per warp
//   STAGES   slices in shared memory, all but one of them on their way
//   PADDING  1: lines of a slice are a little longer than they need be
//   BAND     blocks are taken in bands of that many block rows, column by column, so that those
//            that run at the same time share more of A and B in the L2
//   ASYNC    1: by cp.async, 16 bytes at a time, which needs n and k to be multiples of what fits;
//            0: element by element, through registers
//
// Block 32 * (BM / WM) * (BN / WN), grid (ceil(n / BN), ceil(m / BM)); dynamic shared memory for
// STAGES slices. The layouts of fragments are those of the PTX ISA, "Matrix fragments for
// mma.m16n8k16" and "mma.m16n8k8"; from compute capability 8.0 on.
#define THREADS (32 * (BM / WM) * (BN / WN))

// ---- the machine's words

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return (unsigned)__cvta_generic_to_shared(at);
}

// 16 bytes, zeros where there is nothing.
__device__ __forceinline__ void copy_async(void* to, const void* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(to)), "l"(from), "r"(there ? 16 : 0)
               : "memory");
}

__device__ __forceinline__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until at most that many of the groups are still on their way.
template <int groups>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" : : "n"(groups) : "memory");
}

// Four squares of 8 lines of 16 bytes; lane l has line l % 8 of square l / 8.
__device__ __forceinline__ void load_squares(unsigned (&to)[4], const void* line) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(line))
               : "memory");
}

// Each turned, as 8 x 8 halves.
__device__ __forceinline__ void load_squares_turned(unsigned (&to)[4], const void* line) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(line))
               : "memory");
}

__device__ __forceinline__ void multiply_halves(float (&c)[4], const unsigned (&a)[4],
                                                const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void multiply_tf32(float (&c)[4], const unsigned (&a)[4],
                                              const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ unsigned nearest_tf32(unsigned bits) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
}

__device__ __forceinline__ float half_value(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

// ---- what is multiplied

// A fragment of A are 16 rows of 32 bytes, one of B the columns for two multiplications, that is 16.
struct Fp16 {
  typedef unsigned short Element;
  static constexpr int depth = 16; // of one multiplication
  static constexpr int piece = 8;  // elements of 16 bytes

  static __device__ __forceinline__ void load_a(unsigned (&to)[4], const Element* corner,
                                                int line) {
    const int lane = threadIdx.x % 32;
    load_squares(to, corner + lane % 16 * line + lane / 16 * piece);
  }

  static __device__ __forceinline__ void load_b(unsigned (&left)[2], unsigned (&right)[2],
                                                const Element* corner, int line) {
    const int lane = threadIdx.x % 32;
    unsigned squares[4];
    load_squares_turned(squares, corner + lane % 16 * line + lane / 16 * piece);
    left[0] = squares[0];
    left[1] = squares[1];
    right[0] = squares[2];
    right[1] = squares[3];
  }

  static __device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4],
                                                  const unsigned (&b)[2]) {
    multiply_halves(c, a, b);
  }

  static __device__ __forceinline__ float value(Element element) { return half_value(element); }
};

// rounded: to the nearest number that the tensor core knows; else it cuts the bits off that it does
// not use.
template <int rounded>
struct Tf32 {
  typedef float Element;
  static constexpr int depth = 8;
  static constexpr int piece = 4;

  static __device__ __forceinline__ void load_a(unsigned (&to)[4], const Element* corner,
                                                int line) {
    const int lane = threadIdx.x % 32;
    load_squares(to, corner + lane % 16 * line + lane / 16 * piece);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = as_used(to[i]);
  }

  // There is no turned load of words this wide; lines of B that are padded lie eight banks apart.
  static __device__ __forceinline__ void load_b(unsigned (&left)[2], unsigned (&right)[2],
                                                const Element* corner, int line) {
    const int lane = threadIdx.x % 32;
    const unsigned* const from =
        reinterpret_cast<const unsigned*>(corner) + lane % 4 * line + lane / 4;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      left[i] = as_used(from[4 * i * line]);
      right[i] = as_used(from[4 * i * line + 8]);
    }
  }

  static __device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4],
                                                  const unsigned (&b)[2]) {
    multiply_tf32(c, a, b);
  }

  static __device__ __forceinline__ float value(Element element) { return element; }

private:
  static __device__ __forceinline__ unsigned as_used(unsigned bits) {
    return rounded ? nearest_tf32(bits) : bits;
  }
};

// ---- slices

__device__ __forceinline__ size_t at(int row, int column, int columns) {
  return (size_t)row * columns + column;
}

// Of a matrix, `lines` lines of `length` elements, as it lies in shared memory; zeros beyond the
// matrix. With ASYNC whole pieces are inside or outside.
template <class Kind, int lines, int length, int padding>
struct Slice {
  typedef typename Kind::Element Element;
  static constexpr int line = length + PADDING * padding, size = lines * line;

  static __device__ __forceinline__ void load(Element* to, const Element* __restrict__ from,
                                              int row0, int column0, int rows, int columns) {
    constexpr int pieces = length / Kind::piece;
#pragma unroll
    for (int i = threadIdx.x; i < lines * pieces; i += THREADS) {
      const int y = i / pieces, x = i % pieces * Kind::piece;
      load_piece(to + y * line + x, from, row0 + y, column0 + x, rows, columns);
    }
  }

private:
  static __device__ __forceinline__ void load_piece(Element* to, const Element* __restrict__ from,
                                                    int row, int column, int rows, int columns) {
#if ASYNC
    const bool there = row < rows && column < columns;
    copy_async(to, there ? from + at(row, column, columns) : from, there);
#else
#pragma unroll
    for (int e = 0; e < Kind::piece; ++e)
      to[e] = row < rows && column + e < columns ? from[at(row, column + e, columns)] : Element(0);
#endif
  }
};

template <class Kind>
struct Block {
  typedef typename Kind::Element Element;
  typedef Slice<Kind, BM, BK, Kind::piece> A;
  typedef Slice<Kind, BK, BN, 8> B;

  Element* slices; // in shared memory: STAGES times A, then B
  const Element* __restrict__ a;
  const Element* __restrict__ b;
  int row0, column0, m, n, k;
  float sum[WM / 16][WN / 8][4] = {};

  __device__ __forceinline__ void load(int slice) {
    Element* const to = slices + slice % STAGES * (A::size + B::size);
    A::load(to, a, row0, slice * BK, m, k);
    B::load(to + A::size, b, slice * BK, column0, k, n);
  }

  __device__ __forceinline__ int warp_row() const { return threadIdx.x / 32 / (BN / WN) * WM; }

  __device__ __forceinline__ int warp_column() const { return threadIdx.x / 32 % (BN / WN) * WN; }

  __device__ __forceinline__ void multiply(int slice) {
    const Element* const slice_a =
        slices + slice % STAGES * (A::size + B::size) + warp_row() * A::line;
    const Element* const slice_b =
        slices + slice % STAGES * (A::size + B::size) + A::size + warp_column();
#pragma unroll
    for (int i = 0; i < BK; i += Kind::depth) {
      unsigned of_a[WM / 16][4], of_b[WN / 8][2];
#pragma unroll
      for (int y = 0; y < WM / 16; ++y)
        Kind::load_a(of_a[y], slice_a + y * 16 * A::line + i, A::line);
#pragma unroll
      for (int x = 0; x < WN / 8; x += 2)
        Kind::load_b(of_b[x], of_b[x + 1], slice_b + i * B::line + x * 8, B::line);
#pragma unroll
      for (int y = 0; y < WM / 16; ++y)
#pragma unroll
        for (int x = 0; x < WN / 8; ++x)
          Kind::multiply(sum[y][x], of_a[y], of_b[x]);
    }
  }

  __device__ __forceinline__ void multiply_all() {
    const int count = (k + BK - 1) / BK;
    for (int slice = 0; slice < STAGES - 1; ++slice) {
      if (slice < count)
        load(slice);
      end_group();
    }
    for (int slice = 0; slice < count; ++slice) {
      wait_for_groups<STAGES - 2>();
      __syncthreads(); // the slice is there for all, and the one before is used by none
      if (slice + STAGES - 1 < count)
        load(slice + STAGES - 1);
      end_group();
      multiply(slice);
    }
  }

  __device__ __forceinline__ void store(float* __restrict__ c) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int y = 0; y < WM / 16; ++y)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int x = 0; x < WN / 8; ++x) {
          const int row = row0 + warp_row() + y * 16 + half * 8 + lane / 4;
          const int column = column0 + warp_column() + x * 8 + lane % 4 * 2;
          store_two(c, row, column, sum[y][x][2 * half], sum[y][x][2 * half + 1]);
        }
  }

  __device__ __forceinline__ void store_two(float* __restrict__ c, int row, int column, float left,
                                            float right) const {
    if (row >= m || column >= n)
      return;
    float* const to = c + at(row, column, n);
    if (n % 2 == 0)
      *reinterpret_cast<float2*>(to) = make_float2(left, right);
    else {
      to[0] = left;
      if (column + 1 < n)
        to[1] = right;
    }
  }
};

template <class Kind>
__global__ void __launch_bounds__(THREADS) matmul(const typename Kind::Element* __restrict__ a,
                                                  const typename Kind::Element* __restrict__ b,
                                                  float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char memory[];
  int block_row = blockIdx.y, block_column = blockIdx.x;
#if BAND > 1
  const unsigned number = blockIdx.y * gridDim.x + blockIdx.x, band = number / (BAND * gridDim.x);
  const unsigned height = min((unsigned)BAND, gridDim.y - band * BAND); // the last may be lower
  const unsigned rest = number - band * BAND * gridDim.x;
  block_row = band * BAND + rest % height;
  block_column = rest / height;
#endif
  Block<Kind> block{reinterpret_cast<typename Kind::Element*>(memory),
                    a,
                    b,
                    block_row * BM,
                    block_column * BN,
                    m,
                    n,
                    k};
  block.multiply_all();
  block.store(c);
}

// The reference: one element per thread, summed in double. Block (32, 8), grid (ceil(n / 32),
// ceil(m / 8)).
//
// Tolerances, for operands in [-1, 1) and k = 4096: sums, below 128, are cut at 2^-24 of themselves
// each time that a product of 16 is added, that is 256 times. In TF32 an operand errs by less than
// 2^-10 of itself: the sum by twice that of itself where all are cut, and by chance by 64 products'
// errors of some 2^-13, of which six standard deviations are allowed.
template <class Kind>
__global__ void matmul_reference(const typename Kind::Element* __restrict__ a,
                                 const typename Kind::Element* __restrict__ b,
                                 float* __restrict__ c, int m, int n, int k) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n)
    return;
  double sum = 0.0;
  for (int i = 0; i < k; ++i)
    sum += (double)Kind::value(a[at(row, i, k)]) * Kind::value(b[at(i, column, n)]);
  c[at(row, column, n)] = (float)sum;
}
