// Writes the seeds that hold our own binary forms, frames and a store, as today's program makes them:
// fuzz_seeds tests/fuzz/seeds. To be run again when a message or the schema of stores changes.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdio>
#include <fstream>

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const Bytes> some_bytes() {
  return std::make_shared<const Bytes>(Bytes{0x7f, 'E', 'L', 'F'});
}

Measurement measurement(std::int64_t x, double ms) {
  Measurement made;
  made.configuration = {{"X", x}, {"PAD", true}, {"S", 0.5}, {"MODE", std::string("row")}};
  made.status = Status::correct;
  made.geometry = {{256, 2, 1}, {32, 8, 1}, 4096};
  made.times_ms = {ms, ms};
  made.compile_facts.emplace().registers_per_thread = 32;
  made.counters = {{"dram__bytes_read.sum", 4096.0}};
  return made;
}

std::vector<Message> messages() {
  const Launchable launchable{some_bytes(), "_Z1kPf", Geometry{{256, 2, 1}, {32, 8, 1}, 0}};
  CompileJob compile;
  compile.request.source = std::make_shared<const SourceBundle>();
  compile.request.options = {"-DX=1"};
  CodeObject code;
  code.cubin = some_bytes();
  code.facts.registers_per_thread = 32;
  OpenWork open;
  open.arguments = {{.buffer = BufferSpec{}, .scalar = {}}, {.buffer = {}, .scalar = ScalarSpec{}}};
  open.reference.kernel = launchable;
  open.reference.element = {{"", "i"}};
  open.reference.extents = {{"m", 8192}};
  open.counters = {"dram__bytes_read.sum"};
  WorkOpened opened;
  opened.device = device_of_capability(90);
  opened.peaks = {{"copy", 4000, "GB/s", "2026-11-21T08:00:00Z", "cold", "GPU-1"}};
  return {Hello{"0.1.0", "13.0", "abc"},
          compile,
          code,
          open,
          EvaluateBatch{.jobs = {{1, "X=1", launchable}}, .best_ms = 0.5},
          BestSoFar{1, 0.5},
          opened,
          WorkRefused{"no device", true},
          StageBegun{1, "verify", 512.25},
          Executed{1, measurement(1, 0.5), 513},
          ContextLost{1, Status::runtime, "an illegal memory access"},
          MeasurePeaks{0, some_bytes(), some_bytes(), {"copy", "l2_read"}},
          PeakMeasured{"copy", opened.peaks.front(), ""},
          UseDevice{0, some_bytes(), open.counters},
          DeviceReady{310.5}};
}

void write_frames(const fs::path& folder) {
  fs::create_directories(folder);
  Bytes stream;
  for (const Message& message : messages()) {
    const Bytes frame = encode(message);
    stream.insert(stream.end(), frame.begin(), frame.end());
    const auto write = [&](const std::string& name, const std::uint8_t* first, std::size_t count) {
      std::ofstream(folder / (name + std::to_string(message.index())), std::ios::binary)
          .write(reinterpret_cast<const char*>(first), static_cast<std::streamsize>(count));
    };
    write("frame", frame.data(), frame.size());
    write("document", frame.data() + 8, frame.size() - 8);
  }
  std::ofstream(folder / "stream", std::ios::binary)
      .write(reinterpret_cast<const char*>(stream.data()),
             static_cast<std::streamsize>(stream.size()));
  // A list in a list and so on, far deeper than a message is; a fuzzer of short inputs finds none.
  constexpr char levels = 0x10; // times 256
  std::ofstream(folder / "deep", std::ios::binary)
      << std::string({0, levels, 0, 0, 0, 0, 0, 0}) << std::string(levels << 8, '\x81');
}

void write_store(const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path file = folder / "today";
  fs::remove(file);
  const ScopeKey key = {"k", "s", "d", "GPU", "u", "1", "13.0", "64", "cold", "default"};
  {
    Store store = Store::open(file, Store::Mode::read_write);
    const ScopeId scope =
        store.declare(key, device_of_capability(90), {{"X", {std::int64_t{1}, std::int64_t{2}}}});
    const RunId run = store.begin_run(scope, {"default", 1, {}});
    for (std::int64_t x = 1; x < 3; ++x)
      store.add(scope, measurement(x, 0.5 * static_cast<double>(x)), run);
    store.add_answer(scope, {"", rank(store.all(scope))});
    store.keep_peaks(device_of_capability(90),
                     {{"copy", 4000, "GB/s", "2026-11-21T08:00:00Z", "cold", "GPU-1"}});
  }
  // Small pages: more of what is changed at random means something.
  Database::open(file, Database::Mode::read_write)
      .run("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM");
}

} // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  write_frames(fs::path(words[1]) / "frames");
  write_store(fs::path(words[1]) / "stores");
}
