// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/device_workspace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace gridsmith {

namespace {

CounterValues counter_values(const Differences& of) {
  const double sizes = std::sqrt(of.got_squares) * std::sqrt(of.want_squares);
  const double cosine = sizes > 0                                     ? of.products / sizes
                        : of.got_squares == 0 && of.want_squares == 0 ? 1
                                                                      : 0;
  CounterValues values;
  const auto add = [&](std::string_view counter, double value) {
    if (std::isfinite(value))
      values.emplace(find_counter(counter)->cupti, value);
  };
  add("max_abs_difference", std::bit_cast<double>(of.max_absolute));
  add("max_rel_difference", std::bit_cast<double>(of.max_relative));
  const auto elements = static_cast<double>(of.elements);
  add("mean_abs_difference", of.absolute / elements);
  add("mean_rel_difference", of.relative / elements);
  add("rms_difference", std::sqrt(of.squares / elements));
  add("max_ulp_difference", static_cast<double>(of.max_ulp));
  add("cosine", std::clamp(cosine, -1.0, 1.0));
  return values;
}

} // namespace

void DeviceWorkspace::Spans::begin(cudaStream_t stream) {
  if (events_.size() < used_ + 2) {
    events_.push_back(make_event());
    events_.push_back(make_event());
  }
  check(cudaEventRecord(events_[used_].get(), stream));
}

void DeviceWorkspace::Spans::end(cudaStream_t stream) {
  check(cudaEventRecord(events_[used_ + 1].get(), stream));
  used_ += 2;
}

double DeviceWorkspace::Spans::sum_ms() const {
  double sum = 0;
  for (std::size_t i = 0; i < used_; i += 2)
    sum += elapsed_ms(events_[i], events_[i + 1]);
  return sum;
}

DeviceWorkspace::DeviceWorkspace(ArgumentData& data, const EventStopwatch& caches,
                                 cudaStream_t stream, std::function<void(DataSeed)> expect,
                                 std::uint64_t seed, std::size_t largest_batch, const Looks& looks)
    : data_(data), caches_(caches), stream_(stream), expect_(std::move(expect)), seed_(seed),
      verdicts_(allocate(largest_batch * data.verdicts() * sizeof(Disagreement))),
      host_verdicts_(allocate_pinned(largest_batch * data.verdicts() * sizeof(Disagreement))),
      spans_(largest_batch) {
  if (looks.differences)
    differences_ = allocate(largest_batch * sizeof(Differences));
  if (looks.digests)
    digests_ = allocate(largest_batch * sizeof(std::uint64_t));
}

void DeviceWorkspace::use_seed(DataSeed seed) {
  seed_ = seed;
  expect_(seed);
}

void DeviceWorkspace::repair() {
  data_.repair();
  if (std::exchange(expected_changed_, false)) {
    data_.forget_expected();
    expect_(seed_);
  }
}

void DeviceWorkspace::begin(std::size_t launches) {
  launches_ = launches;
  for (LaunchSpans& spans : spans_) {
    spans.around.clear();
    spans.launch.clear();
  }
  check(cudaMemsetAsync(verdicts_.get(), 0, launches * data_.verdicts() * sizeof(Disagreement),
                        stream_));
  if (differences_)
    check(cudaMemsetAsync(differences_.get(), 0, launches * sizeof(Differences), stream_));
  if (digests_)
    check(cudaMemsetAsync(digests_.get(), 0, launches * sizeof(std::uint64_t), stream_));
}

void DeviceWorkspace::prepare(std::size_t number, Occasion which) {
  occasion_ = which;
  spanned(spans_[number].around, [&] {
    data_.prepare(which == Occasion::first ? Poison::impossible : Poison::plausible);
    caches_.flush();
  });
}

/// Enqueues a launch on data that differs in a few elements, and makes the data as it was.
void DeviceWorkspace::launch_on_changed(Kernel& kernel) {
  data_.vary();
  kernel.prepare();
  kernel.launch();
  data_.unvary();
}

void DeviceWorkspace::launch(std::size_t number, Kernel& kernel) {
  kernel.gather();
  if (occasion_ == Occasion::behind)
    launch_on_changed(kernel); // the first launch of its code lets those behind it wait
  caches_.hold();
  if (occasion_ == Occasion::behind)
    launch_on_changed(kernel);
  kernel.prepare();
  spanned(spans_[number].launch, [&] { kernel.launch(); });
  check(cudaStreamSynchronize(stream_));
  kernel.settle();
}

void DeviceWorkspace::judge(std::size_t number) {
  spanned(spans_[number].around, [&] {
    data_.judge(static_cast<Disagreement*>(verdicts_.get()) + number * data_.verdicts());
    if (differences_)
      data_.differences(differences() + number);
    if (digests_)
      data_.add_digest(digests() + number);
  });
}

template <typename T>
std::vector<T> DeviceWorkspace::copied(const DeviceMemory& memory) const {
  if (!memory)
    return {};
  std::vector<T> all(launches_);
  check(cudaMemcpy(all.data(), memory.get(), all.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return all;
}

std::vector<JudgedLaunch> DeviceWorkspace::read() {
  const std::size_t each = data_.verdicts();
  check(cudaMemcpyAsync(host_verdicts_.get(), verdicts_.get(),
                        launches_ * each * sizeof(Disagreement), cudaMemcpyDeviceToHost, stream_));
  check(cudaStreamSynchronize(stream_));
  const auto* verdicts = static_cast<const Disagreement*>(host_verdicts_.get());
  std::vector<JudgedLaunch> launches(launches_);
  for (std::size_t i = 0; i < launches_; ++i) {
    launches[i].judgement = data_.judgement({verdicts + i * each, each});
    expected_changed_ = expected_changed_ || launches[i].judgement.expected_changed;
    launches[i].gpu_ms = spans_[i].around.sum_ms();
    if (spans_[i].launch.empty())
      continue;
    launches[i].launch_ms = spans_[i].launch.sum_ms();
    launches[i].gpu_ms += *launches[i].launch_ms;
  }
  const auto differences = copied<Differences>(differences_);
  for (std::size_t i = 0; i < differences.size(); ++i)
    if (differences[i].elements > 0)
      launches[i].differences = counter_values(differences[i]);
  const auto digests = copied<std::uint64_t>(digests_);
  for (std::size_t i = 0; i < digests.size(); ++i)
    launches[i].digest = ResultDigest{seed_, digests[i]};
  return launches;
}

std::size_t DeviceWorkspace::prepare_repeat(Kernel& kernel) {
  data_.restore();
  kernel.prepare();
  // In rotation, what is launched on was used too long ago to be cached.
  if (caches_.regime() == Regime::cold || caches_.regime() == Regime::rotate)
    caches_.flush();
  else
    kernel.launch();
  check(cudaStreamSynchronize(stream_));
  return 1;
}

void DeviceWorkspace::repeat(Kernel& kernel) {
  kernel.launch();
  check(cudaStreamSynchronize(stream_));
}

} // namespace gridsmith
