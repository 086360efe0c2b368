// SPDX-License-Identifier: Apache-2.0
// Readers of recordings, a target each. What one accepts makes a space, so that it can be replayed.
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz {

namespace recordings {

namespace {

using Reader = Recording (*)(std::string_view text, const std::string& name);

void run(Reader read, const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const Recording recording = read(text_of(bytes, count), "input");
    describe(recording);
    answered([&] { RecordedSpace(recording).optimum_ms(); });
  });
}

} // namespace

} // namespace recordings

namespace gridsmith_recording {

void run(const std::uint8_t* bytes, std::size_t count) {
  recordings::run(read_gridsmith_recording, bytes, count);
}

} // namespace gridsmith_recording

namespace kernel_tuner_cache {

void run(const std::uint8_t* bytes, std::size_t count) {
  recordings::run(read_kernel_tuner_cache, bytes, count);
}

} // namespace kernel_tuner_cache

namespace ktt {

void run(const std::uint8_t* bytes, std::size_t count) {
  recordings::run(read_ktt, bytes, count);
}

} // namespace ktt

namespace t4 {

void run(const std::uint8_t* bytes, std::size_t count) {
  recordings::run(read_t4, bytes, count);
}

} // namespace t4

namespace wisdom {

void run(const std::uint8_t* bytes, std::size_t count) {
  recordings::run(read_only_wisdom, bytes, count);
}

} // namespace wisdom

} // namespace gridsmith::fuzz
