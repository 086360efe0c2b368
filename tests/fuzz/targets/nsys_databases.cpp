// SPDX-License-Identifier: Apache-2.0
// SQLite files that say they are an export of nsys.
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

using namespace gridsmith;
using namespace gridsmith::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const auto file = file_with(text_of(bytes, count), "profile.sqlite");
  for (const char* beside : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(file.string() + beside);
  is_profile(file);
  answered([&] {
    for (const Recording& recording : recordings_of(read_profile(file)))
      describe(recording);
  });
  return 0;
}
