// The limits that the kernels are measured against, in one run: device-to-device copy and cuBLAS's
// FP32 GEMM (pedantic: no TF32). Needs a device; asserts nothing.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

/// Median of `runs` timed calls after three warm-ups, ms.
double median_ms(int runs, const std::function<void()>& work) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = -3; i < runs; ++i) {
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

void gemm(int n) {
  const std::size_t elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<float> host(elements);
  for (std::size_t i = 0; i < elements; ++i) // not zeros: they run faster than real data
    host[i] = static_cast<float>((i * 2654435761u) % 2048) / 1024.0f - 1.0f;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  for (float** one : {&a, &b, &c}) {
    cudaMalloc(reinterpret_cast<void**>(one), elements * sizeof(float));
    cudaMemcpy(*one, host.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  }
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
  const float one = 1, zero = 0;
  const double ms = median_ms(20, [&] {
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  });
  std::printf("cuBLAS SGEMM %d^3, pedantic FP32: %.4f ms, %.1f TFLOP/s\n", n, ms,
              2.0 * n * n * n / ms / 1e9);
  cublasDestroy(handle);
  for (float* buffer : {a, b, c})
    cudaFree(buffer);
}

} // namespace

int main() {
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
  for (const int n : {1024, 2048, 4096})
    gemm(n);
}
