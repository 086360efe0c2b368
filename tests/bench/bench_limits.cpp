// SPDX-License-Identifier: Apache-2.0
// The limits that the kernels are measured against, in one run: device-to-device copy and cuBLAS's
// FP32 GEMM (pedantic: no TF32) with a flushed L2, as Gridsmith times. Needs a device; asserts nothing.
//   bench_limits [MxNxK...]
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

/// Median of `runs` timed calls after three warm-ups, ms; `before` each, not timed.
double median_ms(
    int runs, const std::function<void()>& work, const std::function<void()>& before = [] {}) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = -3; i < runs; ++i) {
    before();
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (i >= 0)
      times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return static_cast<double>(times[static_cast<std::size_t>(runs) / 2]);
}

void copy(std::size_t bytes) {
  void *from = nullptr, *to = nullptr;
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMemset(from, 1, bytes);
  const double ms =
      median_ms(20, [&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); });
  std::printf("copy of %zu MB: %.4f ms, %.0f GB/s read + written\n", bytes >> 20, ms,
              2 * static_cast<double>(bytes) / ms / 1e6);
  cudaFree(from);
  cudaFree(to);
}

/// Not zeros: they run faster than real data.
float* numbers(std::size_t count) {
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i)
    host[i] = static_cast<float>((i * 2654435761u) % 2048) / 1024.0f - 1.0f;
  float* device = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), count * sizeof(float));
  cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

/// Row-major A (m x k) times B (k x n), which cuBLAS sees as the columns of B^T A^T.
void gemm(cublasHandle_t handle, int m, int n, int k) {
  const auto area = [](int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  constexpr int flushed = 64 << 20;
  float *a = numbers(area(m, k)), *b = numbers(area(k, n)), *c = numbers(area(m, n)),
        *other = numbers(flushed), *sum = numbers(1);
  const float one = 1, zero = 0;
  const auto multiply = [&] {
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
  };
  const auto flush = [&] { // reads only: nothing is left to be written back
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasSasum(handle, flushed, other, 1, sum);
  };
  const double ms = median_ms(20, multiply, flush);
  std::printf("cuBLAS SGEMM %dx%dx%d, pedantic FP32, L2 flushed: %.4f ms, %.1f TFLOP/s\n", m, n, k,
              ms, 2.0 * m * n * k / ms / 1e9);
  for (float* buffer : {a, b, c, other, sum})
    cudaFree(buffer);
}

} // namespace

int main(int count, char** words) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 0;
  }
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%s\n", properties.name);
  copy(256u << 20);
  copy(1u << 30);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
  if (count == 1)
    for (const int n : {1024, 2048, 4096})
      gemm(handle, n, n, n);
  for (int i = 1; i < count; ++i)
    if (int m = 0, n = 0, k = 0; std::sscanf(words[i], "%dx%dx%d", &m, &n, &k) == 3)
      gemm(handle, m, n, k);
  cublasDestroy(handle);
}
