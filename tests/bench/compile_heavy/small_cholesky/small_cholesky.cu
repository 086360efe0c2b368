// Solves one system with a symmetric positive definite matrix of 20 x 20 for each thread, by Cholesky's
// factorisation in registers: templates unroll every step, because registers have no index at run time.
// The lower triangle has 210 values, so that registers decide, and their bound is a parameter.
//
//   LOOKING  left    a column is completed from all those before it
//            right   a column that is complete is subtracted from all those after it
//            rows    row after row: a row is completed from those above it
//   LOAD     whole   the triangle is read first
//            column  each column, or row, is read when its turn comes (right-looking reads all first)
//   ROOT     exact: sqrt and division; fast: rsqrtf and multiplication
//   SOLVE    after   forward substitution after the factorisation; along: in step with it
//   REGISTERS  the most that a thread may have, a compiler option
//
// Element (row, column) of system i is a[(row * 20 + column) * count + i]. Grid ceil(count / BLOCK).
#define left 0
#define right 1
#define rows 2
#define whole 0
#define column 1
#define exact 0
#define fast 1
#define after 0
#define along 1

constexpr int size = 20;

template <int Value>
struct Number {
  static constexpr int value = Value;
};

template <int First, int Last, class Body>
__device__ __forceinline__ void each(Body body) {
  if constexpr (First < Last) {
    body(Number<First>{});
    each<First + 1, Last>(body);
  }
}

struct Triangle {
  float value[size * (size + 1) / 2];
  float inverse[size]; // of the diagonal

  template <int Row, int Column>
  __device__ __forceinline__ float& at() {
    static_assert(Column <= Row && Row < size);
    return value[Row * (Row + 1) / 2 + Column];
  }
};

template <int Row, int Column>
__device__ __forceinline__ void read(Triangle& l, const float* __restrict__ a, int count, int i) {
  l.at<Row, Column>() = a[(Row * size + Column) * count + i];
}

template <int Row>
__device__ __forceinline__ void read_row(Triangle& l, const float* __restrict__ a, int count,
                                         int i) {
  each<0, Row + 1>([&](auto c) { read<Row, decltype(c)::value>(l, a, count, i); });
}

template <int Pivot>
__device__ __forceinline__ void root(Triangle& l) {
#if ROOT == fast
  l.inverse[Pivot] = rsqrtf(l.at<Pivot, Pivot>());
  l.at<Pivot, Pivot>() *= l.inverse[Pivot];
#else
  l.at<Pivot, Pivot>() = sqrtf(l.at<Pivot, Pivot>());
  l.inverse[Pivot] = 1.0f / l.at<Pivot, Pivot>();
#endif
}

template <int Row>
__device__ __forceinline__ void substitute(Triangle& l, float (&x)[size]) {
  each<0, Row>([&](auto k) { x[Row] -= l.at<Row, decltype(k)::value>() * x[decltype(k)::value]; });
  x[Row] *= l.inverse[Row];
}

template <int Row>
__device__ __forceinline__ void substitute_back(Triangle& l, float (&x)[size]) {
  each<Row + 1, size>([&](auto r) { x[Row] -= l.at<decltype(r)::value, Row>() * x[decltype(r)::value]; });
  x[Row] *= l.inverse[Row];
}

// Of column Column and those below its diagonal what column Step takes away.
template <int Step, int Column>
__device__ __forceinline__ void take_away_column(Triangle& l) {
  each<Column, size>([&](auto r) {
    constexpr int row = decltype(r)::value;
    l.at<row, Column>() -= l.at<row, Step>() * l.at<Column, Step>();
  });
}

// Of element (Row, Column) what the columns before it take away.
template <int Row, int Column>
__device__ __forceinline__ void take_away(Triangle& l) {
  each<0, Column>([&](auto k) {
    constexpr int inner = decltype(k)::value;
    l.at<Row, Column>() -= l.at<Row, inner>() * l.at<Column, inner>();
  });
}

template <int Step>
__device__ __forceinline__ void step(Triangle& l, const float* __restrict__ a, int count, int i) {
#if LOOKING == rows
  each<0, Step + 1>([&](auto c) {
    constexpr int inner = decltype(c)::value;
#if LOAD == column
    read<Step, inner>(l, a, count, i);
#endif
    take_away<Step, inner>(l);
    if constexpr (inner < Step)
      l.at<Step, inner>() *= l.inverse[inner];
    else
      root<Step>(l);
  });
#elif LOOKING == left
  each<Step, size>([&](auto r) {
    constexpr int row = decltype(r)::value;
#if LOAD == column
    read<row, Step>(l, a, count, i);
#endif
    take_away<row, Step>(l);
    if constexpr (row == Step)
      root<Step>(l);
    else
      l.at<row, Step>() *= l.inverse[Step];
  });
#else
  root<Step>(l);
  each<Step + 1, size>(
      [&](auto r) { l.at<decltype(r)::value, Step>() *= l.inverse[Step]; });
  each<Step + 1, size>([&](auto c) { take_away_column<Step, decltype(c)::value>(l); });
#endif
}

extern "C" __global__ void small_cholesky(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ x_out, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count)
    return;
  Triangle l;
#if LOAD == whole || LOOKING == right
  each<0, size>([&](auto r) { read_row<decltype(r)::value>(l, a, count, i); });
#endif
  float x[size];
  each<0, size>([&](auto r) { x[decltype(r)::value] = b[decltype(r)::value * count + i]; });
  each<0, size>([&](auto s) {
    step<decltype(s)::value>(l, a, count, i);
#if SOLVE == along
    substitute<decltype(s)::value>(l, x);
#endif
  });
#if SOLVE == after
  each<0, size>([&](auto s) { substitute<decltype(s)::value>(l, x); });
#endif
  each<0, size>([&](auto s) { substitute_back<size - 1 - decltype(s)::value>(l, x); });
  each<0, size>([&](auto r) { x_out[decltype(r)::value * count + i] = x[decltype(r)::value]; });
}
