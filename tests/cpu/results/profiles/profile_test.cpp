// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/measurement/quantities.hpp"
#include "gridsmith/results/profiles/metric_names.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <cmath>

namespace profile_test {

using namespace gridsmith;

namespace {

const std::filesystem::path data = GRIDSMITH_SOURCE_DIR "/tests/data/profiles";

Profile profile(const std::string& name) {
  CHECK(is_profile(data / name));
  return read_profile(data / name);
}

double counter(const ProfiledLaunch& launch, const std::string& name) {
  const auto found = launch.counters.find(name);
  return found == launch.counters.end() ? std::nan("") : found->second;
}

const std::string read_bytes = "dram__bytes_read.sum";
const std::string read_rate = "dram__bytes_read.sum.per_second";
const std::string occupancy_percent = "sm__warps_active.avg.pct_of_peak_sustained_active";

} // namespace

TEST_CASE("ncu's raw page: preamble, thousands, n/a, several kernels and launches") {
  const Profile found = profile("ncu_raw.csv");
  CHECK(found.tool == "ncu");
  REQUIRE(found.launches.size() == 5);
  const ProfiledLaunch& first = found.launches[0];
  CHECK(first.kernel == "void rotate<(int)32, float>(const float *, float *, int)");
  CHECK(first.base == "rotate");
  CHECK(first.template_arguments == "32, float");
  REQUIRE(first.geometry);
  CHECK(first.geometry->grid[1] == 128);
  CHECK(first.geometry->block[0] == 32);
  CHECK(first.time_ms == Approx(0.05));
  CHECK(counter(first, read_bytes) == 67108864);
  CHECK(counter(first, read_rate) == 1342177280000);
  CHECK(counter(first, "lts__t_sector_hit_rate.pct") == 51.5);
  CHECK(first.registers == 24);
  CHECK(first.static_shared_bytes == 4224);
  CHECK(first.dynamic_shared_bytes == 0);
  CHECK(first.notes.empty());
  CHECK(std::isnan(counter(found.launches[2], read_rate)));
  REQUIRE(found.devices.size() == 1);
  CHECK(found.devices[0].name == "NVIDIA H200");
  CHECK(found.devices[0].compute_capability == 90);
  CHECK(found.devices[0].sm_count == 132);
  CHECK(found.devices[0].max_threads_per_sm == 2048);               // of its capability
  CHECK(found.set_aside == SetAside{{"attribute of the device", 1}, // its PCI bus
                                    {"value that is no number", 1},
                                    {"word about the launch", 1}});
}

TEST_CASE("ncu's raw page with scaled units, and without columns for shape and device") {
  const Profile found = profile("ncu_raw_scaled.csv");
  REQUIRE(found.launches.size() == 1); // the second is cut off
  CHECK(found.set_aside == SetAside{{"row that is cut off", 1}});
  const ProfiledLaunch& launch = found.launches[0];
  CHECK(counter(launch, read_bytes) == Approx(67.11e6));
  CHECK(counter(launch, read_rate) == Approx(1342.18e9));
  CHECK(counter(launch, "dram__cycles_elapsed.avg.per_second") == Approx(1.59e9));
  CHECK(counter(launch, "gpu__time_duration.sum") == Approx(50000));
  CHECK(counter(launch, "inst_executed") == 8388608);
  CHECK(launch.time_ms == Approx(0.05));
  REQUIRE(launch.geometry);
  CHECK(launch.geometry->block[1] == 8);
  CHECK(launch.static_shared_bytes == 4220);
  CHECK(launch.notes.size() == 1); // 4224, as rounded
  CHECK(found.devices[0].name.empty());
}

TEST_CASE("a locale that swaps the separators is found by the whole file") {
  const Profile found = profile("ncu_raw_comma.csv");
  REQUIRE(found.launches.size() == 2);
  CHECK(counter(found.launches[0], read_bytes) == 27595520);
  CHECK(counter(found.launches[0], "lts__t_sector_hit_rate.pct") == 65.77);
  CHECK(counter(found.launches[1], read_bytes) == 1024); // alone it could be 1.024
  CHECK(counter(found.launches[1], "lts__t_sector_hit_rate.pct") == 65.125);
  CHECK(found.launches[0].time_ms == Approx(0.0512));
  CHECK(found.devices[0].name == "device 1 of compute capability 8.6");
  CHECK(found.set_aside.empty());
}

TEST_CASE("ncu's details page: labels by section, rules, command line metrics") {
  const Profile found = profile("ncu_details.csv");
  REQUIRE(found.launches.size() == 2);
  const ProfiledLaunch& first = found.launches[0];
  CHECK(first.time_ms == Approx(0.0512));
  CHECK(counter(first, "dram__cycles_elapsed.avg.per_second") == Approx(2.62e9));
  CHECK(counter(first, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed") == 45.7);
  CHECK(counter(first, "dram__bytes.sum.per_second") == Approx(1.31e12)); // the same label
  CHECK(counter(first, "lts__t_sector_hit_rate.pct") == 51.5);
  CHECK(counter(first, occupancy_percent) == 88.25);
  CHECK(counter(first, "smsp__inst_executed_op_global_ld.sum") == 524288);
  CHECK(counter(first, "dram__bytes_write.sum") == Approx(67.11e6));
  CHECK(counter(first, "ncu__elapsed_cycles") == 84120);
  CHECK(first.registers == 24);
  CHECK(first.static_shared_bytes == 4220);
  CHECK(found.launches[1].geometry->block[1] == 16);
  CHECK(found.set_aside ==
        SetAside{{"rule", 1}, {"value in an unknown unit", 1}, {"value that is no number", 1}});
}

TEST_CASE("ncu's details page of old versions tells totals only") {
  const Profile found = profile("ncu_details_old.csv");
  REQUIRE(found.launches.size() == 2);
  CHECK(found.launches[0].time_ms == Approx(1.25));
  CHECK(found.launches[1].time_ms == Approx(1.5));
  CHECK(counter(found.launches[0], "sm__throughput.avg.pct_of_peak_sustained_elapsed") == 30.5);
  CHECK_FALSE(found.launches[0].geometry);
  CHECK(found.launches[0].blocks == 16384);
  const auto recordings = recordings_of(found);
  REQUIRE(recordings.size() == 1);
  REQUIRE(recordings[0].measurements.size() == 1);
  CHECK(to_text(recordings[0].measurements[0].configuration) ==
        "GRID=16384 blocks BLOCK=256 threads");
  CHECK(recordings[0].measurements[0].geometry.threads_per_block() == 256);
}

TEST_CASE("nvprof's metrics and events: units, levels, names without a counterpart") {
  const Profile found = profile("nvprof_metrics.csv");
  CHECK(found.tool == "nvprof");
  REQUIRE(found.launches.size() == 3);
  const ProfiledLaunch& first = found.launches[0];
  CHECK(first.base == "rotate");
  CHECK(first.template_arguments == "32, float");
  REQUIRE(first.several);
  CHECK(first.several->calls == 10);
  CHECK(counter(first, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") == 13);
  CHECK(counter(first, occupancy_percent) == Approx(88.25));
  CHECK(counter(first, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct") == 100);
  CHECK(counter(first, read_rate) == Approx(301.25 * 1073741824.0));
  CHECK(counter(first, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 2097152);
  CHECK(counter(first, "smsp__thread_inst_executed_per_inst_executed.ratio") == 16);
  CHECK(counter(first, "nvprof__dram_utilization") == 5);
  CHECK(counter(found.launches[1], "nvprof__dram_utilization") == 1);
  CHECK(found.set_aside == SetAside{{"value that is no number", 1}});
  REQUIRE(found.devices.size() == 2);
  CHECK(found.devices[0].name == "Tesla V100-PCIE-16GB (0)"); // two of one name
  CHECK(found.devices[1].name == "Tesla V100-PCIE-16GB (1)");
}

TEST_CASE("nvprof's GPU trace, with and without memory types") {
  const Profile found = profile("nvprof_trace.csv");
  REQUIRE(found.launches.size() == 3);
  CHECK(found.set_aside == SetAside{{"memory operation", 1}});
  CHECK(found.launches[0].time_ms == Approx(0.06425));
  CHECK(found.launches[0].base == "rotate");
  CHECK(found.launches[0].geometry->grid[0] == 128);
  CHECK(found.launches[0].static_shared_bytes == 4224); // 4.125 KB
  CHECK(found.launches[0].dynamic_shared_bytes == 256);
  CHECK(found.devices[0].name == "GeForce RTX 2080 Ti");
  const Profile old = profile("nvprof_trace_17.csv");
  REQUIRE(old.launches.size() == 1);
  CHECK(old.launches[0].time_ms == Approx(0.06425));
  CHECK(old.launches[0].static_shared_bytes == 4224);
  CHECK(old.launches[0].dynamic_shared_bytes == 512);
}

TEST_CASE("nvprof's summary, with and without a column for the type") {
  for (const char* name : {"nvprof_summary.csv", "nvprof_summary_old.csv"}) {
    INFO(name);
    const Profile found = profile(name);
    REQUIRE(found.launches.size() == 1);
    REQUIRE(found.launches[0].several);
    CHECK(found.launches[0].several->calls == 10);
    CHECK(found.launches[0].several->average_ms == Approx(0.065));
    CHECK(found.launches[0].several->least_ms == Approx(0.064));
    CHECK(found.launches[0].several->most_ms == Approx(0.0675));
  }
  CHECK(profile("nvprof_summary.csv").set_aside ==
        SetAside{{"call of the API", 1}, {"memory operation", 1}});
  CHECK(profile("nvprof_summary_old.csv").set_aside == SetAside{{"call of the API", 2}});
}

TEST_CASE("nsys stats: sums of kernels, of old and new versions, by shape") {
  const Profile found = profile("nsys_kern_sum.csv");
  CHECK(found.tool == "nsys");
  REQUIRE(found.launches.size() == 2); // not the API's table
  CHECK(found.launches[0].template_arguments == "32, float");
  CHECK(found.launches[0].several->median_ms == Approx(0.0645));
  CHECK(found.launches[0].several->average_ms == Approx(0.065));
  CHECK(found.launches[1].base == "fill_ones");
  const Profile old = profile("nsys_gpukernsum.csv");
  REQUIRE(old.launches.size() == 1); // commas without quotes
  CHECK(old.launches[0].base == "rotate");
  CHECK(old.launches[0].several->average_ms == Approx(0.065));
  CHECK(old.launches[0].several->most_ms == Approx(0.0675));
  const Profile shapes = profile("nsys_kern_gb_sum.csv");
  REQUIRE(shapes.launches.size() == 2);
  CHECK(shapes.launches[0].several->median_ms == Approx(0.0645)); // in us
  CHECK(shapes.launches[1].geometry->grid[1] == 64);
  CHECK(shapes.launches[1].geometry->block[1] == 16);
}

TEST_CASE("nsys stats: the trace goes before the sums of the same launches") {
  const Profile found = profile("nsys_trace.csv");
  REQUIRE(found.launches.size() == 3);
  CHECK(found.launches[0].time_ms == Approx(0.064));
  CHECK(found.launches[0].registers == 24);
  CHECK(found.launches[0].static_shared_bytes == 4000);
  CHECK(found.launches[0].notes.size() == 1);
  CHECK(found.set_aside ==
        SetAside{{"memory operation", 1}, {"sum over launches that are listed", 1}});
  const auto recordings = recordings_of(found);
  REQUIRE(recordings.size() == 2); // two devices of one name
  CHECK(recordings[0].device.name == "NVIDIA GeForce RTX 3060 (0)");
  CHECK(contains(recordings[0].conditions, "shared memory as rounded by the tool"));
}

TEST_CASE("recordings of a profile: one per kernel, a measurement per shape") {
  const auto recordings = recordings_of(profile("ncu_raw.csv"));
  REQUIRE(recordings.size() == 2);
  const Recording& rotate = recordings[0];
  CHECK(rotate.format == "ncu");
  CHECK(rotate.kernel == "rotate");
  CHECK(rotate.device.name == "NVIDIA H200");
  REQUIRE(rotate.measurements.size() == 2);
  const Measurement& row = rotate.measurements[0];
  CHECK(to_text(row.configuration) == "TEMPLATE=32, float GRID=128x128x1 BLOCK=32x8x1");
  REQUIRE(row.times_ms.size() == 3);
  CHECK(cost_ms(row) == Approx(0.051));
  CHECK(row.counters.at(occupancy_percent) == 88.5);
  CHECK(row.counters.at(read_bytes) == 67108864);
  CHECK(row.compile_facts->registers_per_thread == 24);
  CHECK(row.geometry.block[0] == 32);
  REQUIRE(rotate.parameters.size() == 3);
  CHECK(rotate.parameters[0].values.size() == 2);
  CHECK(RecordedSpace(rotate).space().size() == 2);
  CHECK(RecordedSpace(rotate).optimum_ms() == Approx(0.051));
  CHECK(recordings[1].kernel == "fill_ones");
  CHECK(to_text(recordings[1].measurements[0].configuration) == "GRID=65536x1x1 BLOCK=256x1x1");
}

TEST_CASE("processes of one file may each call another GPU 0") {
  const Profile found = read_profile(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"CC\",\"device__attribute_display_name\","
      "\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"nsecond\"\n"
      "\"0\",\"1\",\"k\",\"0\",\"8.6\",\"A\",\"1000\"\n\"1\",\"2\",\"k\",\"0\",\"9.0\",\"B\",\"2000\"\n"
      "\"2\",\"2\",\"\",\"0\",\"9.0\",\"B\",\"2000\"\n",
      "f");
  CHECK(found.launches.size() == 2);
  CHECK(found.set_aside == SetAside{{"row without a name", 1}});
  REQUIRE(found.devices.size() == 2);
  CHECK(found.devices[0].name == "A");
  CHECK(found.devices[1].name == "B");
  CHECK(recordings_of(found).size() == 2);
}

TEST_CASE("dynamic shared memory tells launches apart where it varies") {
  const std::string head = "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,"
                           "StcSMem (B),DymSMem (B),Device,Name\n";
  const auto rows = [&](const std::string& shared) {
    return recordings_of(read_profile(
        head + "1,100,1,1,1,32,1,1,8,0,0,G (0),k\n2,200,1,1,1,32,1,1,8,0," + shared + ",G (0),k\n",
        "f"));
  };
  REQUIRE(rows("0").at(0).measurements.size() == 1);
  REQUIRE(rows("64").at(0).measurements.size() == 2);
  CHECK(to_text(rows("64")[0].measurements[1].configuration) ==
        "GRID=1x1x1 BLOCK=32x1x1 SHARED=64");
  CHECK(rows("64")[0].measurements[1].geometry.dynamic_shared_bytes == 64);
}

TEST_CASE("what a file does not state is unknown, and nothing follows from it") {
  const auto of = [](const std::string& columns, const std::string& values) {
    return recordings_of(read_profile("Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ," +
                                          columns + "Device,Name\n1,100,1,1,1,32,1,1," + values +
                                          "G (0),k\n",
                                      "f"))
        .at(0)
        .measurements.at(0);
  };
  const Measurement two = of("Reg/Trd,StcSMem (B),", "8,64,");
  CHECK(two.compile_facts->static_shared_bytes == 64);
  for (const char* unknown : {"local_bytes", "spill_bytes"})
    CHECK_FALSE(facts_of(two).contains(unknown));
  for (const char* unknown :
       {"spill_bytes", "local_bytes", "spill_store_bytes", "spill_load_bytes"})
    CHECK_FALSE(measured_fact(unknown).value(two, {}));
  CHECK_FALSE(of("", "").compile_facts);
  CHECK_FALSE(of("StcSMem (B),", "64,").compile_facts);
  const Measurement registers_alone = of("Reg/Trd,", "8,");
  CHECK_FALSE(registers_alone.compile_facts);
  CHECK(registers_alone.counters.at("launch__registers_per_thread") == 8);
}

TEST_CASE("launches without a duration are counted") {
  const Profile found =
      read_profile("Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Name\n"
                   "1,100,1,1,1,32,1,1,G (0),k\n2,0,1,1,1,32,1,1,G (0),k\n"
                   "3,0,1,1,1,32,1,1,G (0),k\n",
                   "f");
  CHECK(to_text(found.set_aside) == "2 durations that are not above 0");
  CHECK(recordings_of(found).at(0).measurements.at(0).times_ms.size() == 1);
}

TEST_CASE("what no device can launch is set aside") {
  const std::string text = "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Name\n"
                           "1,100,1,1,1,4096,1,1,G (0),k\n2,100,1,1,1,64,1,1,G (0),k\n";
  const auto recordings = recordings_of(read_profile(text, "f"));
  REQUIRE(recordings.size() == 1);
  CHECK(recordings[0].measurements.size() == 1);
  CHECK(recordings[0].set_aside == SetAside{{"launch that no device can run", 1}});
}

TEST_CASE("what is no profile is refused in one line that says what is read") {
  const test::Folder folder;
  const auto refused = [&](const std::string& name, const std::string& text) {
    test::write(folder / name, text);
    CHECK_FALSE(is_profile(folder / name));
    const std::string said = message_of([&] { read_profile(folder / name); });
    CHECK(contains(said, name));
    CHECK_FALSE(contains(said, "\n"));
    return said;
  };
  for (const std::string text : {"", " \n\n", "hello\n", "a,b,c\n1,2,3\n", "{\"cache\": {}}"}) {
    INFO(text);
    const std::string said = refused("file.csv", text);
    for (const char* format : {"ncu --csv", "nvprof --csv", "nsys stats", "SQLite", ".ncu-rep"})
      CHECK(contains(said, format));
  }
  CHECK(contains(refused("empty.csv", ""), "empty.csv: is empty; expected"));
  CHECK(contains(refused("a.ncu-rep", "NVR"), "ncu --import FILE --csv --page raw"));
  CHECK(contains(refused("a.nsys-rep", "x"), "nsys export --type sqlite"));
  CHECK(contains(message_of([&] { read_profile("/no/such/file"); }), "/no/such/file"));
}

TEST_CASE("ncu's rows may end behind the value") {
  const std::string titles =
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\",\"Rule Name\",\"Rule Type\"\n";
  const std::string text =
      titles + "\"0\",\"k\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ns\",\"406240\",\n"
               "\"0\",\"k\",\"Occupancy\",\"Achieved Occupancy\",\"%\",\"15.53\"\n"
               "\"0\",\"k\",\"Occupancy\",\"\",\"\",\"\",\"Theoretical\",\"OPT\"\n"
               "\"0\",\"k\",\"Occupancy\",\"Theoretical Occupancy\",\"%\",\"1";
  const Profile found = read_profile(text, "f.csv");
  REQUIRE(found.launches.size() == 1);
  CHECK(found.launches[0].time_ms == Approx(0.40624));
  CHECK(counter(found.launches[0], occupancy_percent) == 15.53);
  CHECK(to_text(found.set_aside) == "1 row that is cut off, 1 rule");
}

TEST_CASE("UTF-16, as PowerShell writes it, is read") {
  const test::Folder folder;
  const std::string text = test::read_file(data / "ncu_details.csv");
  const Profile plain = read_profile(text, "f.csv");
  for (const bool big_endian : {false, true})
    for (const bool marked : {false, true}) {
      std::string wide = marked ? (big_endian ? "\xFE\xFF" : "\xFF\xFE") : "";
      for (const char c : text) {
        wide += big_endian ? '\0' : c;
        wide += big_endian ? c : '\0';
      }
      test::write(folder / "wide.csv", wide);
      CHECK(is_profile(folder / "wide.csv"));
      const Profile found = read_profile(folder / "wide.csv");
      REQUIRE(found.launches.size() == plain.launches.size());
      CHECK(found.launches[0].time_ms == plain.launches[0].time_ms);
      CHECK(found.set_aside == plain.set_aside);
    }
}

TEST_CASE("a profiler that could not profile is quoted with the cure") {
  const test::Folder folder;
  const auto said = [&](const std::string& text) {
    test::write(folder / "f.csv", text);
    CHECK(is_profile(folder / "f.csv"));
    return message_of([&] { read_profile(folder / "f.csv"); });
  };
  CHECK(contains(said("==PROF== Connected to process 7 (/a/b)\n==PROF== Disconnected from process "
                      "7\n==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. k\n"),
                 "f.csv: ncu profiled no kernel; look at its --kernel-name"));
  CHECK(contains(said("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"
                      "==WARNING== No kernels were profiled.\n"),
                 "NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK(contains(said("==31== Warning: No profile data collected.\n"), "need ncu or nsys"));
  test::write(folder / "f.csv", "a line that says ERR_NVGPUCTRPERM\n");
  CHECK_FALSE(is_profile(folder / "f.csv")); // the program's own
}

TEST_CASE("rows of unified memory are no kernels") {
  const Profile found =
      read_profile("\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\","
                   "\"Name\"\n,%,ms,,us,us,us,\n"
                   "\"GPU activities\",90,9,3,3000,2900,3100,\"k(int)\"\n"
                   "\"GPU activities\",10,1,1,1,1,1,\"[Unified Memory Memcpy HtoD]\"\n"
                   "\"GPU activities\",10,1,1,1,1,1,\"[Unified Memory CPU page faults]\"\n",
                   "f.csv");
  REQUIRE(found.launches.size() == 1);
  CHECK(to_text(found.set_aside) == "2 memory operations");
}

TEST_CASE("a profile without kernels says what it has instead") {
  CHECK(message_of([] {
          read_profile("Time (%),Total Time (ns),Instances,Name\n50,1,1,[CUDA memset]\n", "f.csv");
        }) == "f.csv: no launch of a kernel is in this profile (skipped: 1 memory operation)");
}

TEST_CASE("cut off anywhere, a profile is read in part or refused") {
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    INFO(entry.path());
    if (entry.path().extension() != ".csv")
      continue;
    const std::string whole = test::read_file(entry.path());
    for (std::size_t size = 0; size < whole.size(); size += 37)
      try {
        for (const Recording& one : recordings_of(read_profile(whole.substr(0, size), "f")))
          CHECK_FALSE(one.measurements.empty());
      } catch (const InputError&) {
        CHECK(true);
      }
  }
}

TEST_CASE("names are mapped where they mean the same, and only there") {
  CHECK(counter_of_nvprof("achieved_occupancy")->factor == 100);
  CHECK(counter_of_nvprof("gld_throughput")->name ==
        "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second");
  CHECK_FALSE(counter_of_nvprof("dram_utilization"));
  CHECK_FALSE(counter_of_nvprof("stall_sync"));
  CHECK_FALSE(counter_of_nvprof("gld_requested_throughput"));
  CHECK(counter_of_ncu_label("GPU Speed Of Light", "SOL SM")->name ==
        "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  CHECK(counter_of_ncu_label("Warp State Statistics", "Avg. Active Threads Per Warp")->name ==
        "smsp__thread_inst_executed_per_inst_executed.ratio");
  CHECK_FALSE(counter_of_ncu_label("Occupancy", "Duration"));
  CHECK_FALSE(counter_of_ncu_label("Anything", "Duration"));
  CHECK(foreign_counter("ncu", "SM Busy [%]") == "ncu__sm_busy_pct");
}

} // namespace profile_test
