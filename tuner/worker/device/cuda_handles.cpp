// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/cuda_handles.hpp"

#include <fmt/format.h>

#include <string_view>

namespace gridsmith {

namespace {

std::string_view file_in_tree(std::string_view path) {
  const std::size_t at = path.rfind("tuner/");
  return at == std::string_view::npos ? path : path.substr(at);
}

} // namespace

std::string plain_text(cudaError_t code) {
  return fmt::format("{}: {}", cudaGetErrorName(code), cudaGetErrorString(code));
}

CudaError::CudaError(cudaError_t code, const std::source_location& place)
    : DeviceError(fmt::format("{} ({}:{})", plain_text(code), file_in_tree(place.file_name()),
                              place.line())),
      code_(code) {
}

std::string CudaError::plain() const {
  return plain_text(code_);
}

void check(cudaError_t code, const std::source_location& place) {
  if (code == cudaSuccess)
    return;
  cudaGetLastError();
  throw CudaError(code, place);
}

bool CudaError::context_lost() const {
  cudaGetLastError();
  return cudaDeviceSynchronize() != cudaSuccess;
}

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  return Event(event);
}

DeviceMemory allocate(std::size_t bytes, const std::source_location& place) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), place);
  return DeviceMemory(memory);
}

RowMemory allocate_rows(std::size_t row_bytes, std::size_t rows) {
  void* memory = nullptr;
  std::size_t pitch = 0;
  check(cudaMallocPitch(&memory, &pitch, row_bytes, rows));
  return {DeviceMemory(memory), pitch};
}

Texture::Texture(const TextureArray& array, const cudaTextureDesc& description) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array.get();
  check(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
}

TextureArray allocate_array(const cudaChannelFormatDesc& format, std::size_t columns,
                            std::size_t rows) {
  cudaArray_t array = nullptr;
  check(cudaMallocArray(&array, &format, columns, rows));
  return TextureArray(array);
}

PinnedMemory allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes));
  return PinnedMemory(memory);
}

double elapsed_ms(const Event& from, const Event& to) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, from.get(), to.get()));
  return static_cast<double>(ms);
}

} // namespace gridsmith
