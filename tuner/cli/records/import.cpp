// SPDX-License-Identifier: Apache-2.0
// import: what files hold, into a store.
#include "gridsmith/results/store/import.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <set>

namespace gridsmith {
namespace {

/// One file, read before anything is written.
struct Read {
  std::string name, hash;
  std::vector<Recording> recordings;
  Taken taken;
};

Read read(const std::string& file) {
  if (is_store(file))
    throw InputError(file + ": is a store; 'gridsmith merge' takes stores");
  Read read{file, replayed_hash(file), {}, {}};
  for (const Holding& one : holdings_in(file))
    read.recordings.push_back(one.load().recording);
  if (read.recordings.empty())
    throw InputError(nothing_in(file));
  return read;
}

/// What an exported replay was of stays what it is.
std::string hash_of(const Recording& recording, const Read& file) {
  return recording.source_hash.starts_with(replayed_prefix) ? recording.source_hash : file.hash;
}

std::string line_of(const Read& file) {
  std::set<std::string> aside; // of a profile each kernel says the same
  for (const Recording& recording : file.recordings)
    if (!recording.set_aside.empty())
      aside.insert(to_text(recording.set_aside));
  return fmt::format("{}: {} added, {} already there{}{}", printable(file.name), file.taken.added,
                     file.taken.held, aside.empty() ? "" : ", skipped: ", fmt::join(aside, ", "));
}

nlohmann::ordered_json json_of(const std::vector<Read>& files) {
  auto list = nlohmann::ordered_json::array();
  for (const Read& file : files)
    list.push_back(
        {{"file", file.name}, {"taken", file.taken.added}, {"there_already", file.taken.held}});
  return list;
}

class ImportCommand final : public Command {
public:
  ImportCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  std::vector<std::string> files_;
  std::string store_ = usual_store;
  bool json_ = false;
};

ImportCommand::ImportCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "import", "Add recordings and profiles to a store") {
  line_.footer(
      "Example:\n"
      "  gridsmith import cache.json transpose.wisdom --store gridsmith.db\n"
      "\n"
      "Imported measurements keep their device, date and conditions; no tuning on a GPU reuses "
      "them as its own. Either all files are imported, or none.");
  line_
      .add_option("FILE", files_,
                  "Recordings (ours, Kernel Tuner caches, T4, KTT, Kernel Launcher's wisdom; .gz "
                  "too) and profiles (CSV of ncu, nvprof and nsys, .ncu-rep, SQLite of nsys)")
      ->type_name("FILE…")
      ->required();
  add_store_option(line_, store_, "The store; created if missing");
  add_json_option(line_, json_);
}

void ImportCommand::run() {
  const Interrupts interrupts;
  const auto go_on = [stop = interrupts.token()] {
    if (stop.stop_requested())
      throw CommandFailed(exit_interrupted, "interrupted; nothing was added");
  };
  std::vector<Read> files;
  for (const std::string& file : files_) {
    files.push_back(read(file));
    go_on();
  }
  change_store(store_, [&](Store& store) {
    for (Read& file : files)
      for (const Recording& recording : file.recordings) {
        go_on();
        const Taken taken = import_recording(store, recording, hash_of(recording, file));
        file.taken.added += taken.added;
        file.taken.held += taken.held;
      }
    go_on();
  });
  if (json_)
    return print(json_text(json_of(files), 2) + "\n");
  for (const Read& file : files)
    print_line(line_of(file));
}

} // namespace

extern const AddCommand add_import_command = add_command<ImportCommand>;

} // namespace gridsmith
