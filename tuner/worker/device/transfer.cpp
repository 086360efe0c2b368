// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gridsmith {
namespace {

constexpr int no_result = 0xff; // bytes: NaN, or an unlikely integer

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device;
}

/// @param to_host else to the current device
void prefetch(const void* data, std::size_t bytes, bool to_host, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation place{};
  place.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = to_host ? 0 : current_device();
  check(cudaMemPrefetchAsync(data, bytes, place, 0, stream));
#else
  check(cudaMemPrefetchAsync(data, bytes, to_host ? cudaCpuDeviceId : current_device(), stream));
#endif
}

} // namespace

HostBuffers::HostBuffers(const std::vector<ArgumentSpec>& arguments, ArgumentData& data,
                         HostMemory memory, cudaStream_t stream)
    : data_(data), memory_(memory), stream_(stream) {
  if (memory_ == HostMemory::managed)
    check_managed(arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const auto& buffer = arguments[i].buffer; buffer && buffer->host != HostSide::none)
      add({.argument = i,
           .side = buffer->host,
           .elements = buffer->elements,
           .element_bytes = size_of(buffer->type),
           .filled = *static_cast<void**>(data.pointers()[i])});
}

void HostBuffers::check_managed(const std::vector<ArgumentSpec>& arguments) const {
  int moves = 0;
  check(cudaDeviceGetAttribute(&moves, cudaDevAttrConcurrentManagedAccess, current_device()));
  if (moves == 0)
    throw Error("managed memory is not prefetched on this device");
  std::size_t wanted = 0, free = 0, total = 0;
  for (const ArgumentSpec& argument : arguments)
    if (const auto& buffer = argument.buffer; buffer && buffer->host != HostSide::none)
      wanted += buffer->elements * size_of(buffer->type);
  check(cudaMemGetInfo(&free, &total));
  if (wanted > free / 2)
    throw Error("too much managed memory: more than half of the device's free memory");
}

void HostBuffers::add(Vector vector) {
  const std::size_t bytes = vector.bytes();
  if (memory_ == HostMemory::pageable) {
    vector.host = pageable_.emplace_back(new std::uint8_t[bytes]).get();
  } else if (memory_ == HostMemory::managed) {
    check(cudaMallocManaged(&vector.host, bytes));
    device_.emplace_back(vector.host);
    vector.device = vector.host;
  } else {
    vector.host = pinned_.emplace_back(allocate_pinned(bytes)).get();
  }
  if (memory_ == HostMemory::zero_copy)
    check(cudaHostGetDevicePointer(&vector.device, vector.host, 0));
  else if (!vector.device)
    vector.device = device_.emplace_back(allocate(bytes)).get();
  vectors_.push_back(vector);
}

void HostBuffers::gather() {
  gathered_at_ = data_.fills();
  for (const Vector& one : vectors_) {
    if (one.device != one.host && memory_ != HostMemory::zero_copy)
      check(cudaMemsetAsync(one.device, no_result, one.bytes(), stream_));
    if (one.side == HostSide::source)
      check(cudaMemcpyAsync(one.host, one.filled, one.bytes(), cudaMemcpyDefault, stream_));
    check(cudaStreamSynchronize(stream_)); // before the host writes
    if (one.side == HostSide::target)
      std::memset(one.host, no_result, one.bytes());
  }
}

void HostBuffers::update() {
  if (gathered_at_ != data_.fills())
    gather();
}

void HostBuffers::move_to_host() const {
  if (memory_ == HostMemory::managed)
    for (const Vector& one : vectors_)
      prefetch(one.host, one.bytes(), true, stream_);
}

void HostBuffers::settle() const {
  for (const Vector& one : vectors_)
    if (one.side == HostSide::target)
      check(cudaMemcpyAsync(one.filled, one.host, one.bytes(), cudaMemcpyDefault, stream_));
  check(cudaStreamSynchronize(stream_));
}

TransferKernel::TransferKernel(LoadedKernel kernel, HostTransfer transfer,
                               std::shared_ptr<HostBuffers> buffers,
                               const std::vector<ArgumentSpec>& arguments, ArgumentData& data,
                               cudaStream_t stream)
    : kernel_(std::move(kernel)), constants_(data), transfer_(transfer),
      buffers_(std::move(buffers)), arguments_(data.pointers(), data.pointers() + arguments.size()),
      stream_(stream), forked_(make_event()) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].scalar && arguments[i].scalar->chunk_elements)
      counts_.push_back(i);
  for (int s = 0; transfer_.streams > 1 && s < transfer_.streams; ++s) {
    streams_.push_back(make_stream());
    joined_.push_back(make_event());
  }
}

void TransferKernel::prepare() {
  constants_.update(kernel_);
  buffers_->update();
  buffers_->move_to_host();
}

void TransferKernel::launch() {
  constants_.update(kernel_);
  const std::size_t elements = buffers_->vectors().front().elements;
  const auto chunks = static_cast<std::size_t>(transfer_.chunks);
  const std::size_t each = (elements + chunks - 1) / chunks;
  check(cudaEventRecord(forked_.get(), stream_));
  for (const Stream& stream : streams_)
    check(cudaStreamWaitEvent(stream.get(), forked_.get()));
  for (std::size_t c = 0; c * each < elements; ++c)
    launch_chunk(c * each, std::min(each, elements - c * each),
                 streams_.empty() ? stream_ : streams_[c % streams_.size()].get());
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    check(cudaEventRecord(joined_[s].get(), streams_[s].get()));
    check(cudaStreamWaitEvent(stream_, joined_[s].get()));
  }
}

void TransferKernel::launch_chunk(std::size_t first, std::size_t elements, cudaStream_t stream) {
  const bool copies =
      transfer_.memory == HostMemory::pageable || transfer_.memory == HostMemory::pinned;
  const auto each = [&](HostSide side, const auto& action) {
    for (const HostBuffers::Vector& one : buffers_->vectors())
      if (one.side == side)
        action(static_cast<std::uint8_t*>(one.host) + first * one.element_bytes,
               static_cast<std::uint8_t*>(one.device) + first * one.element_bytes,
               elements * one.element_bytes);
  };
  each(HostSide::source, [&](void* host, void* device, std::size_t bytes) {
    if (copies)
      check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    else if (transfer_.memory == HostMemory::managed)
      prefetch(device, bytes, false, stream);
  });
  std::vector<void*> arguments = arguments_;
  std::vector<void*> places(arguments.size());
  for (const HostBuffers::Vector& one : buffers_->vectors()) {
    places[one.argument] = static_cast<std::uint8_t*>(one.device) + first * one.element_bytes;
    arguments[one.argument] = &places[one.argument];
  }
  std::uint64_t count = elements; // little-endian: an int of any width begins with it
  for (const std::size_t i : counts_)
    arguments[i] = &count;
  kernel_.launch(arguments.data(), stream);
  each(HostSide::target, [&](void* host, void* device, std::size_t bytes) {
    if (copies)
      check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    else if (transfer_.memory == HostMemory::managed)
      prefetch(device, bytes, true, stream);
  });
}

} // namespace gridsmith
