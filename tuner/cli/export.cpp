#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/cli/command.hpp"

#include <fmt/format.h>

#include <memory>

namespace gridsmith {
namespace {

struct ExportOptions {
  std::string format, store = "gridsmith.db", out = "-", kernel, problem, device;
};

bool wanted(const Scope& scope, const ExportOptions& options) {
  return (options.kernel.empty() || scope.key.kernel == options.kernel) &&
         (options.problem.empty() || scope.key.problem == options.problem) &&
         (options.device.empty() || scope.key.device_name == options.device) &&
         scope.configurations > 0;
}

/// The scopes asked for. @throws InputError listing what the store holds.
std::vector<Scope> chosen(const Store& store, const ExportOptions& options) {
  std::vector<Scope> scopes = store.scopes();
  std::string held;
  for (const Scope& scope : scopes)
    held += fmt::format("{}{} {} on {}", held.empty() ? "" : "; ", scope.key.kernel,
                        scope.key.problem, scope.key.device_name);
  std::erase_if(scopes, [&](const Scope& scope) { return !wanted(scope, options); });
  if (scopes.empty())
    throw InputError(
        fmt::format("{}: no measurements of that kernel, problem and device (held: {})",
                    options.store, held.empty() ? "nothing" : held));
  return scopes;
}

void run(const ExportOptions& options) {
  const FormatEntry& format = export_format(options.format);
  const Store store = Store::open(options.store, Store::Mode::read_only);
  const std::vector<Scope> scopes = chosen(store, options);
  if (scopes.size() > 1 && !format.several)
    throw InputError(
        fmt::format("{} holds {} of these; choose one with --kernel, --problem and --device",
                    options.store, scopes.size()));
  std::vector<Export> exports;
  for (const Scope& scope : scopes)
    exports.push_back(export_of(store, scope.id));
  write_output(options.out, export_text(format, exports));
}

} // namespace

void add_export_command(CLI::App& app, const Installation&) {
  CLI::App* command =
      app.add_subcommand("export", "Write what a store holds: C++ header, T4, CSV, recording");
  const auto options = std::make_shared<ExportOptions>();
  std::string formats;
  for (const FormatEntry& format : export_formats())
    formats += fmt::format("  {:<12}{}\n", format.name, format.summary);
  command->footer("\nFormats:\n" + formats);
  command->add_option("format", options->format, "What to write")->type_name("FORMAT")->required();
  command->add_option("store", options->store, "The store")
      ->type_name("STORE")
      ->capture_default_str();
  command->add_option("-o,--out", options->out, "File to write; - is standard output")
      ->capture_default_str();
  command->add_option("--kernel", options->kernel, "Only this kernel");
  command->add_option("--problem", options->problem, "Only this problem size, e.g. 8192x8192");
  command->add_option("--device", options->device, "Only the device of this name");
  command->callback([options] { run(*options); });
}

} // namespace gridsmith
