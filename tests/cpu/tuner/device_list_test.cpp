// SPDX-License-Identifier: Apache-2.0
// How often a worker is asked for its devices, with scripts in its place.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"

namespace device_list_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A worker that adds a letter to the file "runs" whenever it is started.
void write_worker(const test::Folder& folder, const std::string& script) {
  const fs::path worker = folder / "gridsmith-worker";
  test::write(worker,
              "#!/bin/sh\ncd '" + folder.path().string() + "'\nprintf x >> runs\n" + script);
  fs::permissions(worker, fs::perms::owner_all);
}

} // namespace

TEST_CASE("a worker that lacks a library is started once, so its loader complains once") {
  const test::Folder folder;
  write_worker(folder, "exit 127\n");
  CHECK_THAT(query_devices(folder.path()).reason, contains_text("a library that it needs"));
  CHECK(test::read_file(folder / "runs") == "x");
}

TEST_CASE("a worker that something outside ended is asked once more") {
  const test::Folder folder;
  write_worker(folder, "[ $(cat runs) = x ] && kill -9 $$\n"
                       "echo '{\"devices\": [], \"reason\": \"none here\"}'\n");
  CHECK(query_devices(folder.path()).reason == "none here");
  CHECK(test::read_file(folder / "runs") == "xx");
}

TEST_CASE("a wrong device number names the devices that there are; no device at all says why") {
  const DeviceList two{{device_of_capability(80), device_of_capability(90)}, ""},
      none{{}, "no driver"};
  CHECK(two.at(1).compute_capability == 90);
  for (const int number : {-1, 2})
    CHECK_THROWS_WITH(two.at(number),
                      "no device " + std::to_string(number) + "; there are devices 0 to 1");
  CHECK_THROWS_AS(two.at(2), NoSuchDevice);
  CHECK_THROWS_WITH(none.at(0), "no CUDA device here (no driver)");
  CHECK_THROWS_WITH(none.at(0, "a replay needs none"),
                    "no CUDA device here (no driver); a replay needs none");
}

} // namespace device_list_test
