// CUB's algorithms for whole devices. The temporary memory that they ask for is allocated once.
#include "gridsmith/tests/bench/vendors/rival.hpp"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <memory>

namespace gridsmith::vendors {
namespace {

struct Less {
  template <class T>
  __device__ __host__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

/// @param call with temporary memory and its size, which it says where there is no memory
template <class Call>
Rival rival(const char* name, Call call) {
  std::size_t bytes = 0;
  check_call(call(nullptr, bytes));
  void* memory = nullptr;
  check_call(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
  const std::shared_ptr<void> owned(memory, [](void* held) { cudaFree(held); });
  return {name, [call, owned, bytes]() mutable { check_call(call(owned.get(), bytes)); }};
}

template <class T>
T* as(void* memory) {
  return static_cast<T*>(memory);
}

Rival histogram(const Job& job) {
  return rival("CUB histogram", [=](void* memory, std::size_t& bytes) {
    constexpr int bins = 256;
    return cub::DeviceHistogram::HistogramEven(memory, bytes, as<const unsigned char>(job.buffers[0]),
                                               as<int>(job.buffers[1]), bins + 1, 0, bins,
                                               int(job.extents[0]), job.stream);
  });
}

template <class T>
Rival sum(const Job& job) {
  return rival("CUB reduce", [=](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, as<const T>(job.buffers[0]), as<T>(job.buffers[1]),
                                  int(job.extents[0]), job.stream);
  });
}

Rival maximum(const Job& job) {
  return rival("CUB reduce", [=](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Max(memory, bytes, as<const int>(job.buffers[0]), as<int>(job.buffers[1]),
                                  int(job.extents[0]), job.stream);
  });
}

Rival scan(const Job& job) {
  return rival("CUB scan", [=](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, as<const unsigned>(job.buffers[0]),
                                         as<unsigned>(job.buffers[1]), int(job.extents[0]), job.stream);
  });
}

Rival radix_sort(const Job& job) {
  return rival("CUB radix sort", [=](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, as<const unsigned>(job.buffers[0]),
                                          as<unsigned>(job.buffers[1]), int(job.extents[0]), 0, 32,
                                          job.stream);
  });
}

Rival merge_sort(const Job& job) {
  return rival("CUB merge sort", [=](void* memory, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortKeysCopy(memory, bytes, as<const unsigned>(job.buffers[0]),
                                              as<unsigned>(job.buffers[1]), int(job.extents[0]), Less{},
                                              job.stream);
  });
}

struct Times {
  int factor;

  __device__ __host__ int operator()(int i) const { return i * factor; }
};

Rival sort_of_rows(const Job& job) {
  const int rows = int(job.extents[0]), columns = int(job.extents[1]);
  const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Times{columns});
  return rival("CUB segmented sort", [=](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(memory, bytes, as<const unsigned>(job.buffers[0]),
                                              as<unsigned>(job.buffers[1]), rows * columns, rows, begins,
                                              begins + 1, job.stream);
  });
}

} // namespace

std::vector<Rival> cub_rivals(const Job& job) {
  const std::string& kernel = job.kernel;
  if (kernel.rfind("histogram", 0) == 0 && kernel != "histogram_bench") // which takes words
    return {histogram(job)};
  if (kernel == "reduction" || kernel == "reduction_cub")
    return {sum<float>(job)};
  if (kernel == "reduction_int")
    return {sum<unsigned>(job)};
  if (kernel == "reduction_max")
    return {maximum(job)};
  if (kernel == "scan" || kernel == "scan_cub")
    return {scan(job)};
  if (kernel == "radix_sort" || kernel == "merge_sort")
    return {radix_sort(job), merge_sort(job)};
  if (kernel == "sort_rows_cub")
    return {sort_of_rows(job)};
  return {};
}

} // namespace gridsmith::vendors
