// SPDX-License-Identifier: Apache-2.0
// SQLite files that say they are an export of nsys.
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::nsys_databases {

void run(const std::uint8_t* bytes, std::size_t count) {
  const auto file = file_with(text_of(bytes, count), "profile.sqlite");
  for (const char* beside : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(file.string() + beside);
  is_profile(file);
  answered([&] {
    for (const Recording& recording : recordings_of(read_profile(file)))
      describe(recording);
  });
}

} // namespace gridsmith::fuzz::nsys_databases
