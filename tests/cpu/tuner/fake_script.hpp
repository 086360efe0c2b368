// SPDX-License-Identifier: Apache-2.0
// What the fakes in a folder do: one object, in "script.json" next to them, which a test patches before or
// while they run. Without one nothing goes wrong but what a kernel's parameters ask for: see the fakes.
//
// of both      "log": true       a line in the file "log" for each process, work and session of counters
// the worker   "devices": "hang" no answer to who asks for them
//              "gpus": [{"slower": 1.05, "name": "Fake GPU"}, …]   one of this name where there is no list
//              "uuid": ""        no other name of a GPU than its ordinal
//              "die_at": 4       the next process dies at its fourth message (0: asked for the devices), once
//              "processes", "counters"   what it says of the GPU's users, of reading a counter; a text as it is,
//                                and "no library": it does not start
//              "counts": true    counters can be read
//              "room": 2         for how many works there is memory
//              "peaks": {"l2_read": "crash"}   or "lost", "hang", "none"; "every" stands for all
//              "works": [{"kernel": "k", "does": "hang"}]   or "refused", "unverified", "reference_problem": why
//              "launches": [{"with": "-DX=3", "mode": "final", "gpu": 1, "blocks": 2, "after": 3, "does": "wrong"}]
//                                or "data": "changed" (a few elements of it), "scratch": "kept" (of the launch before),
//                                "vectors": "moved" (by an Offset), "side": "now" (of a check),
//                                "does" as -DRUN= would, or "gone": the GPU is lost; "ms": its median,
//                                "samples": factors of it, in turn; "counters": what is counted besides the time
//              "real_time": true   launches take their time
//              "says_ms": 600    that each evaluation has taken: a second GPU is wanted where that is much
// the compiler "version", "headers", "refusal", "capabilities": what it says of itself at its start
//              "healthy": true   no fault is done any more
//              "rotten": true    it crashes
//              "compile_ms": 150 each takes so long
//
// Of a list of rules the first counts that holds: "with" is an option of the kernel's, the others say where.
#pragma once

#include "gridsmith/tests/files.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace gridsmith::test {

using Script = nlohmann::json;

inline std::filesystem::path helpers_in(const std::filesystem::path& folder) {
  const auto installed = folder / "libexec" / "gridsmith";
  return std::filesystem::exists(installed) ? installed : folder;
}

/// The script in a folder of fakes, or of an installation with fakes.
inline Script script(const std::filesystem::path& folder) {
  const Script found = Script::parse(read_file(helpers_in(folder) / "script.json"), nullptr, false);
  return found.is_object() ? found : Script::object();
}

/// Changes some of its words; null takes one away (RFC 7386). No process reads half of it.
inline void script(const std::filesystem::path& folder, const Script& patch) {
  Script whole = script(folder);
  whole.merge_patch(patch);
  const auto file = helpers_in(folder) / "script.json";
  const std::string fresh = file.string() + std::to_string(::getpid());
  write(fresh, whole.dump(2));
  std::filesystem::rename(fresh, file);
}

/// Of the fake that asks.
inline std::filesystem::path own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// A line in "log" next to the fake that says it, where the script asks for it.
inline void log(const std::string& line) {
  if (script(own_folder()).value("log", false))
    std::ofstream(own_folder() / "log", std::ios::app) << line + "\n";
}

/// Whether a list of options, one a line, has this one.
inline bool has_option(const std::string& options, const std::string& one) {
  return ("\n" + options + "\n").find("\n" + one + "\n") != std::string::npos;
}

/// What follows in the first option that begins so; "" where none does.
inline std::string value_after(const std::string& options, const std::string& beginning) {
  const std::size_t at = ("\n" + options).find("\n" + beginning);
  const std::size_t begin = at + beginning.size();
  return at == std::string::npos ? "" : options.substr(begin, options.find('\n', begin) - begin);
}

/// The first rule that holds of these options, the so many-eth time, and of these facts; an empty one
/// where none does.
inline Script rule_for(const Script& rules, const std::string& options, int time,
                       const Script& facts) {
  for (const Script& rule : rules) {
    bool holds = has_option(options, rule.value("with", options)) && time > rule.value("after", 0);
    for (const auto& [name, value] : facts.items())
      holds = holds && rule.value(name, value) == value;
    if (holds)
      return rule;
  }
  return Script::object();
}

} // namespace gridsmith::test
