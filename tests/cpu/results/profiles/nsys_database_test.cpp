// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/database/database.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

namespace nsys_database_test {

using namespace gridsmith;

namespace {

const std::string names = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                          "INSERT INTO StringIds VALUES (1, 'rotate'), (2, 'void rotate<(int)32, "
                          "float>(const float *, float *, int)'), (3, 'fill');";

std::filesystem::path made(const test::Folder& folder, const std::string& sql) {
  const auto file = folder / "a.sqlite";
  std::filesystem::remove(file);
  Database::open(file, Database::Mode::read_write).run(sql);
  return file;
}

} // namespace

TEST_CASE("an SQLite export of nsys: names, shapes, devices by process") {
  const test::Folder folder;
  const auto file = made(
      folder,
      names +
          "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
          "CREATE TABLE TARGET_INFO_GPU(vmId INT, id INT, name TEXT, chipName TEXT, smCount INT, "
          "l2CacheSize INT, totalMemory INT, computeMajor INT, computeMinor INT);"
          "INSERT INTO TARGET_INFO_GPU VALUES (0, 5, 'NVIDIA H200', 'GH100', 132, 62914560, "
          "150000000000, 9, 0), (0, 6, 'NVIDIA H200', 'GH100', 132, 62914560, 150000000000, 9, 0);"
          "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INT, cudaId INT, pid INT);"
          "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (5, 0, 11), (6, 1, 11);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, streamId INT, "
          "demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ "
          "INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory "
          "INT, localMemoryPerThread INT, clusterX INT);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
          "(1000, 51000, 0, 7, 2, 1, 24, 128, 128, 1, 32, 8, 1, 4224, 0, 0, 1),"
          "(60000, 112000, 0, 7, 2, 1, 24, 128, 128, 1, 32, 8, 1, 4224, 0, 0, 1),"
          "(120000, 170000, 1, 7, 3, 3, 10, 64, 1, 1, 256, 1, 1, 0, 1024, 8, 1),"
          "(300000, 300000, 0, 7, 2, 1, 24, 128, 128, 1, 32, 8, 1, 4224, 0, 0, 1),"
          "(400000, 390000, 0, 7, 2, 1, 24, 128, 128, 1, 32, 8, 1, 4224, 0, 0, 1),"
          "(180000, 190000, 1, 7, 99, NULL, 10, 64, 1, 1, 256, 1, 1, 0, 1024, 8, 1);");
  CHECK(is_profile(file));
  const Profile found = read_profile(file);
  CHECK(found.tool == "nsys");
  REQUIRE(found.launches.size() == 5);
  CHECK(found.set_aside ==
        SetAside{{"duration that is not above 0", 2}, {"row without a name", 1}});
  CHECK(found.launches[0].time_ms == Approx(0.05));
  CHECK(found.launches[0].template_arguments == "32, float");
  CHECK(found.launches[0].static_shared_bytes == 4224);
  CHECK(found.launches[2].dynamic_shared_bytes == 1024);
  CHECK(found.launches[2].local_bytes == 8);
  REQUIRE(found.devices.size() == 2);
  CHECK(found.devices[0].name == "NVIDIA H200 (0)");
  CHECK(found.devices[1].name == "NVIDIA H200 (1)");
  CHECK(found.devices[1].compute_capability == 90);
  CHECK(found.devices[1].sm_count == 132);
  const auto recordings = recordings_of(found);
  REQUIRE(recordings.size() == 2);
  CHECK(recordings[0].measurements.at(0).times_ms.size() == 2);
  CHECK(to_text(recordings[1].measurements.at(0).configuration) == "GRID=64x1x1 BLOCK=256x1x1");
}

TEST_CASE("an export with few columns, and one whose processes see other GPUs") {
  const test::Folder folder;
  const Profile few = read_profile(made(
      folder, names + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, shortName INT);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 2000, 1);"));
  REQUIRE(few.launches.size() == 1);
  CHECK(few.launches[0].time_ms == Approx(0.002));
  CHECK_FALSE(few.launches[0].geometry);
  CHECK(few.devices[0].name.empty());
  const Profile shared = read_profile(made(
      folder, names + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, "
                      "shortName INT);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 2000, 0, 1);"
                      "CREATE TABLE TARGET_INFO_GPU(id INT, name TEXT);"
                      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A'), (1, 'B');"
                      "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INT, cudaId INT, pid INT);"
                      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1), (1, 0, 2);"));
  CHECK(shared.devices.at(0).name == "device 0"); // A or B: nobody knows
}

TEST_CASE("other SQLite files are refused, or are none of ours to judge") {
  const test::Folder folder;
  const auto said = [&](const std::string& sql) {
    const auto file = made(folder, sql);
    return message_of([&] { read_profile(file); });
  };
  const std::string nvvp = "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);"
                           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(_id_ INT, name INT);";
  CHECK(contains(said(nvvp), "a.sqlite: is a profile of nvprof in SQLite, which is not read"));
  CHECK(is_profile(made(folder, nvvp))); // so that it is refused as what it is
  CHECK(contains(said("CREATE TABLE other(x INT);"), "a.sqlite: holds no kernels"));
  CHECK_FALSE(is_profile(made(folder, "CREATE TABLE other(x INT);")));
  CHECK(contains(said(names), "holds no kernels"));
  CHECK(contains(said(names + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT);"),
                 "no launch of a kernel"));
  const auto file = made(folder, names);
  std::string bytes = test::read_file(file);
  std::fill(bytes.begin() + 100, bytes.end(), '\7');
  test::write(file, bytes);
  CHECK_THROWS_AS(read_profile(file), InputError);
}

} // namespace nsys_database_test
