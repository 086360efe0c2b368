// SPDX-License-Identifier: Apache-2.0
// The kernels of the catalogue beside what a vendor's library takes for the same job, and beside the device's limits: a
// table in Markdown, a row as soon as it is measured. Needs a device; asserts nothing.
//   bench_catalogue [KERNEL...] [--from FILE...]
// The best configurations, the worst and the spaces are those of the files: stores, recordings, or the recordings of the
// catalogue. What is compared is measured now, in turn, in this process.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tests/bench/vendors/compare.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"
#include "gridsmith/tuner/processes/installation.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"
#include "gridsmith/tuner/worker/peaks/peak_bench.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

using namespace gridsmith;
using namespace gridsmith::vendors;
namespace fs = std::filesystem;

namespace {

/// What is aimed at: the time of `against` over ours, at least.
struct Target {
  const char* kernel;
  const char* problem; ///< "": any
  const char* against; ///< a contender, or the first word of its name
  double ratio;
};

constexpr std::array<Target, 18> targets{{{"transpose", "", "copy kernel", 0.97},
                                          {"copy", "", "copy kernel", 0.98},
                                          {"copy_async", "", "copy kernel", 0.98},
                                          {"copy_packed", "", "copy kernel", 0.98},
                                          {"copy_pitched", "", "copy kernel", 0.98},
                                          {"reduction", "", "CUB", 0.97},
                                          {"reduction_int", "", "CUB", 0.97},
                                          {"reduction_max", "", "CUB", 0.97},
                                          {"scan", "", "CUB", 0.97},
                                          {"histogram", "", "CUB", 1.1},
                                          {"histogram_skewed", "", "CUB", 1.1},
                                          {"histogram_constant", "", "CUB", 1.1},
                                          {"matmul", "4096x4096x4096", "cuBLAS", 0.95},
                                          {"matmul", "1024x1024x1024", "cuBLAS", 1.0},
                                          {"matmul_split", "1024x1024x1024", "cuBLAS", 1.0},
                                          {"radix_sort", "", "CUB radix", 0.7},
                                          {"merge_sort", "", "CUB merge", 0.7},
                                          {"transpose_steps", "", "its slowest step", 14}}};

/// What a file holds of a kernel at a problem, and the best of it to be compared.
struct Row {
  KernelInstance instance;
  Export held;
  Configuration best, standard; ///< the second is asked first: the default where there is one
  std::uint64_t space = 0;      ///< configurations
};

/// Of this kernel and problem, from the newest; nothing where no file holds any of it.
std::optional<Export> held_of(const std::vector<fs::path>& files, const std::string& kernel,
                              const std::string& problem) {
  for (const fs::path& file : files)
    for (const Holding& holding : holdings_of(file))
      if (holding.kernel == kernel && holding.problem == problem && holding.correct > 0)
        return holding.load();
  return std::nullopt;
}

/// The shipped recordings of a kernel.
std::vector<fs::path> recordings_of(const fs::path& definition) {
  std::vector<fs::path> files;
  if (const fs::path folder = definition.parent_path() / "recordings"; fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      files.push_back(entry.path());
  return files;
}

std::optional<Row> row_of(const fs::path& file, const ProblemSize& problem, const Device& device,
                          const std::vector<fs::path>& from) {
  const KernelDefinition definition = read_definition(file);
  auto held = held_of(from.empty() ? recordings_of(file) : from, definition.name, to_text(problem));
  if (!held || !has_best(*held))
    return std::nullopt;
  Row row{instantiate(definition, problem, device), std::move(*held), {}, {}, 0};
  const auto best = in_space(best_of(row.held).configuration, row.instance);
  if (!best) {
    fmt::print(stderr, "{} {}: the best that is held is not in the space any more\n",
               definition.name, to_text(problem));
    return std::nullopt;
  }
  row.best = *best;
  const SearchSpace space = build_space(row.instance);
  row.space = space.size();
  row.standard = first_configuration(row.instance, space);
  return row;
}

/// The same configuration of the copy, for as many bytes as the kernel's work model has.
std::optional<Row> copy_of(const Row& copy, const Row& row) {
  const auto bytes = static_cast<std::int64_t>(row.instance.model_bytes / 2); // read and written
  constexpr std::int64_t least = 1 << 16, most = 0x7fffffff;                  // its n is an int
  if (bytes < least || bytes > most)
    return std::nullopt;
  Row same = copy;
  same.instance = instantiate(copy.instance.definition, {{bytes}}, copy.instance.device);
  if (!in_space(same.best, same.instance))
    return std::nullopt;
  return same;
}

/// Compiles what rows need, all at once.
class Compilations {
public:
  explicit Compilations(CompilerPool& pool) : pool_(pool) {}

  /// @return its number
  std::size_t add(CompileRequest request) {
    requests_.push_back(std::move(request));
    return requests_.size() - 1;
  }

  void run() { codes_ = compile_all(pool_, requests_, {}); }

  /// @throws Error
  const CodeObject& code(std::size_t number) const {
    const Code& code = codes_[number];
    if (!code || !code->cubin)
      throw Error("does not compile: " + (code ? code->error.value_or("") : ""));
    return *code;
  }

private:
  CompilerPool& pool_;
  std::vector<CompileRequest> requests_;
  std::vector<Code> codes_;
};

/// A row on its way through the compilers.
struct Asked {
  const Row* row = nullptr;
  std::size_t tuned = 0;
  std::optional<std::size_t> reference = {};
};

Asked ask(Compilations& compilations, const Row& row) {
  Asked one{.row = &row, .tuned = compilations.add(compile_request(row.instance, row.best))};
  if (row.instance.definition.reference.kernel)
    one.reference = compilations.add(reference_compile_request(row.instance, row.best));
  return one;
}

Tuned compiled(const Compilations& compilations, const Asked& one) {
  const KernelInstance& instance = one.row->instance;
  Tuned tuned{instance.definition.name, instance.problem.extents, open_work(instance, {}, 1), {}};
  const CodeObject& code = compilations.code(one.tuned);
  tuned.launchable = {code.cubin, code.kernel, launch_geometry(instance, one.row->best)};
  if (one.reference) {
    const CodeObject& reference = compilations.code(*one.reference);
    tuned.open.reference.kernel =
        Launchable{reference.cubin, reference.kernel, reference_geometry(instance, one.row->best)};
  }
  return tuned;
}

// ---- what is said of a row

struct PeaksOfNow {
  double fp32 = 0, tensor = 0; ///< GFLOP/s; 0: not measured
};

struct Limit {
  std::string name;
  double ms = 0;
};

/// The longer of moving the bytes as the copy kernel does and of the arithmetic at the measured peak.
Limit limit_of(const Row& row, const std::vector<Contender>& contenders, const PeaksOfNow& peaks) {
  Limit limit;
  for (const Contender& one : contenders)
    if (one.name == "copy kernel")
      limit = {"copy", one.median_ms()};
  const std::string& name = row.instance.definition.name;
  const bool half = name == "matmul_tensor" || name == "attention_half",
             tf32 = name == "matmul_tf32";
  const double peak = half ? peaks.tensor : tf32 ? peaks.tensor / 2 : peaks.fp32;
  const double ms = peak > 0 ? row.instance.model_flops / peak / 1e6 : 0; // GFLOP/s
  if (ms > limit.ms)
    limit = {half ? "tensor FP16" : tf32 ? "tensor FP16 / 2" : "FP32", ms};
  return limit;
}

/// Medians of what gave a right result. @pre there is one
struct Extremes {
  double worst_ms = 0;
  std::optional<double> default_ms;
  double best_ms = 0;
};

Extremes extremes_of(const Row& row) {
  Extremes found;
  found.best_ms = cost_ms(best_of(row.held)).value_or(0);
  for (const Measurement& one : row.held.recording.measurements) {
    const auto ms = one.correct() ? cost_ms(one) : std::nullopt;
    if (!ms)
      continue;
    found.worst_ms = std::max(found.worst_ms, *ms);
    if (one.configuration == row.standard)
      found.default_ms = ms;
  }
  return found;
}

/// Of the course's steps, each at its best shape, the slowest over the fastest; nothing of other kernels.
std::optional<double> gain_of_steps(const Row& row) {
  std::map<std::string, double> best;
  for (const Measurement& one : row.held.recording.measurements)
    for (const auto& [name, value] : one.configuration)
      if (const auto ms = cost_ms(one); name == "STEP" && one.correct() && ms) {
        const auto place = best.try_emplace(to_text(value), *ms).first;
        place->second = std::min(place->second, *ms);
      }
  if (best.empty())
    return std::nullopt;
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(best.begin(), best.end(), by_time)->second /
         std::min_element(best.begin(), best.end(), by_time)->second;
}

/// Where it is aimed at something, how far it came.
std::string target_text(const Row& row, const std::vector<Contender>& contenders) {
  std::string text;
  for (const Target& target : targets) {
    if (target.kernel != row.instance.definition.name ||
        (*target.problem && target.problem != to_text(row.instance.problem)))
      continue;
    std::optional<double> ratio;
    if (target.against == std::string("its slowest step"))
      ratio = gain_of_steps(row);
    for (const Contender& one : contenders)
      if (one.name.starts_with(target.against))
        ratio = one.median_ms() / contenders.front().median_ms();
    if (ratio)
      text += fmt::format("{}{:.3g} of {}: {:.3f}, {}", text.empty() ? "" : "; ", target.ratio,
                          target.against, *ratio, *ratio >= target.ratio ? "met" : "**missed**");
  }
  return text;
}

void print_row(const Row& row, const std::vector<Contender>& contenders, const PeaksOfNow& peaks) {
  const double ours = contenders.front().median_ms();
  const Extremes extremes = extremes_of(row);
  const Limit limit = limit_of(row, contenders, peaks);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < contenders.size(); ++i) {
    const Contender& one = contenders[i];
    others.push_back(fmt::format("{} {:.4g} ({:.3f}){}", one.name, one.median_ms(),
                                 one.median_ms() / ours,
                                 one.differs ? " of another result: " + *one.differs : ""));
  }
  const auto over_best = [&](double ms) { return ms / extremes.best_ms; };
  const auto& defaults = extremes.default_ms;
  fmt::print(
      "| {} | {} | {} of {} | {:.4g} | {} | {:.4g} | {:.1f} | {} | {:.4g} | {} | {} | {} |\n",
      row.instance.definition.name, to_text(row.instance.problem),
      row.held.recording.measurements.size(), row.space, extremes.worst_ms,
      defaults ? fmt::format("{:.4g}", *defaults) : "", extremes.best_ms,
      over_best(extremes.worst_ms), defaults ? fmt::format("{:.2f}", over_best(*defaults)) : "",
      ours, limit.ms > 0 ? fmt::format("{:.3f} of {}", limit.ms / ours, limit.name) : "",
      fmt::join(others, ", "), target_text(row, contenders));
  std::fflush(stdout);
}

void print_head(const Device& device, const PeaksOfNow& peaks) {
  fmt::print(
      "{}, driver {}: FP32 {:.1f} TFLOP/s, tensor FP16 by mma.sync {:.0f} TFLOP/s. Worst, default and best are "
      "of what is held; what stands behind \"again\" was measured in turn, each with the L2 flushed; in brackets "
      "its time over ours.\n\n",
      device.name, device.driver_version, peaks.fp32 / 1e3, peaks.tensor / 1e3);
  fmt::print(
      "| kernel | problem | measured | worst ms | default ms | best ms | worst / best | default / best | again ms "
      "| of the limit | others ms (over ours) | target |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
}

// ---- the run

CompilerSettings compilers_for(const Installation& installation, const Device& device) {
  return compiler_settings({.cache = false, .installation = installation}, {installation.catalogue},
                           device.compute_capability);
}

PeaksOfNow measured_peaks(const Device& device, const CodeObject& own, const CodeObject& peak_code,
                          const HostClock& clock) {
  PeakBench bench(
      device, {.ordinal = 0, .device_code = own.cubin, .peak_code = peak_code.cubin, .names = {}},
      clock);
  PeaksOfNow peaks;
  peaks.fp32 = bench.measure("fp32_fma").value;
  peaks.tensor = bench.measure("tensor_fp16").value;
  return peaks;
}

/// Kernels and problems: the first problem of each, and of matmul the second too, which has a target.
std::vector<Row> rows_of(const Installation& installation, const Device& device,
                         const std::vector<std::string>& names, const std::vector<fs::path>& from) {
  std::vector<Row> rows;
  for (const fs::path& file : catalogue(installation.catalogue)) {
    const std::string name = file.stem().string();
    if (!names.empty() && name != "copy" &&
        std::find(names.begin(), names.end(), name) == names.end())
      continue;
    const KernelDefinition definition = read_definition(file);
    if (definition.transfer) // what is timed there is no kernel
      continue;
    const auto& problems = definition.problem_sizes;
    const std::size_t wanted = name == "matmul" ? 2 : 1;
    for (std::size_t i = 0; i < std::min(wanted, problems.size()); ++i)
      if (auto row = row_of(file, problems[i], device, from))
        rows.push_back(std::move(*row));
      else
        fmt::print(stderr, "{} {}: nothing is held\n", name, to_text(problems[i]));
  }
  return rows;
}

void compare_all(const std::vector<std::string>& names, const std::vector<fs::path>& from) {
  const Installation installation = find_installation();
  const DeviceList list = query_devices(installation.programs);
  if (list.devices.empty()) {
    fmt::print("skipped: {}\n", list.reason);
    return;
  }
  const Device& device = list.devices.front();
  const std::vector<Row> rows = rows_of(installation, device, names, from);
  const auto copy = std::find_if(rows.begin(), rows.end(), [](const Row& row) {
    return row.instance.definition.name == "copy";
  });
  std::vector<std::optional<Row>> copies;
  copies.reserve(rows.size());
  for (const Row& row : rows)
    copies.push_back(copy == rows.end() ? std::nullopt : copy_of(*copy, row));

  CompilerPool pool(compilers_for(installation, device));
  Compilations compilations(pool);
  const std::size_t own = compilations.add(device_code_request()),
                    peak = compilations.add(peak_code_request());
  std::vector<Asked> asked;
  std::vector<std::optional<Asked>> asked_copies;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    asked.push_back(ask(compilations, rows[i]));
    asked_copies.push_back(copies[i] ? std::optional(ask(compilations, *copies[i])) : std::nullopt);
  }
  compilations.run();

  check(cudaSetDevice(0));
  const Bench bench(device, *compilations.code(own).cubin);
  const PeaksOfNow peaks =
      measured_peaks(device, compilations.code(own), compilations.code(peak), bench.clock);
  print_head(device, peaks);
  for (std::size_t i = 0; i < rows.size(); ++i)
    try {
      const auto& one = asked_copies[i];
      print_row(rows[i],
                compare(bench, compiled(compilations, asked[i]),
                        one ? std::optional(compiled(compilations, *one)) : std::nullopt),
                peaks);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{} {}: {}\n", rows[i].instance.definition.name,
                 to_text(rows[i].instance.problem), error.what());
    }
}

} // namespace

int main(int count, char** words) {
  CLI::App app("The catalogue beside the vendor's libraries");
  std::vector<std::string> names, from;
  app.add_option("kernels", names, "Of the catalogue; default: all");
  app.add_option("--from", from,
                 "Stores and recordings with what was tuned; default: the catalogue's recordings");
  CLI11_PARSE(app, count, words);
  try {
    compare_all(names, {from.begin(), from.end()});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_catalogue: {}\n", error.what());
    return 1;
  }
}
