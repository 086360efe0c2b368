// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/exported_inputs.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/npy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* list_name = "inputs.json";

double bytes_of(const BufferSpec& spec) {
  return static_cast<double>(spec.elements) * static_cast<double>(size_of(spec.type));
}

/// What is in it before the kernel runs means something.
bool is_input(const BufferSpec& spec) {
  return !spec.output || spec.access == Access::read_write;
}

std::string input_name(const BufferSpec& spec) {
  return spec.name + ".npy";
}

std::string expected_name(const BufferSpec& spec) {
  return spec.name + ".expected.npy";
}

/// The field of the definition that an output's elements come from; "": none that the host can use.
std::string source_of_expected(const Reference& reference, const BufferSpec& output) {
  return !output.output                            ? ""
         : reference.element.contains(output.name) ? "Element"
         : reference.file                          ? "File"
                                                   : "";
}

/// A number as the kernel gets it.
Json passed(ElementType type, double value) {
  const double number = value_of_bits(type, bits_of_value(type, value));
  if (is_real(type))
    return number;
  return number < 0 ? Json(static_cast<std::int64_t>(number))
                    : Json(static_cast<std::uint64_t>(number));
}

Json json_of(const ScalarSpec& spec) {
  Json json{{"name", spec.name}};
  if (spec.texture)
    json["texture_of"] = spec.texture->of;
  else if (spec.struct_bytes > 0)
    json["struct_bytes"] = spec.struct_bytes;
  else
    json["type"] = to_text(spec.type);
  for (const FieldSpec& field : spec.fields)
    json["fields"].push_back({{"name", field.name},
                              {"type", to_text(field.type)},
                              {"offset", field.offset},
                              {"value", passed(field.type, field.value)}});
  if (!spec.pitch_of.empty())
    json["pitch_of"] = spec.pitch_of; // the device's choice
  else if (json.contains("type"))
    json["value"] = passed(spec.type, spec.value);
  return json;
}

class Exporter {
public:
  Exporter(const KernelInstance& instance, const fs::path& folder, const InputExport& how)
      : instance_(instance), folder_(folder), how_(how), arguments_(argument_specs(instance)) {}

  ExportedInputs run() {
    check_memory();
    check_files();
    read_contents(instance_, arguments_);
    make_folder();
    check_disk();
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (const auto& buffer = arguments_[i].buffer; buffer && is_input(*buffer))
        write_vector(*buffer, input_name(*buffer), FilledBuffer(arguments_, how_.seed, i).bytes());
    write_formulas();
    write_file();
    write(list_name, json_text(list(), 2) + "\n");
    return std::move(done_);
  }

private:
  const Reference& reference() const { return instance_.definition.reference; }

  /// Of each file, with its elements' bytes.
  std::map<std::string, double> planned() const {
    std::map<std::string, double> files{{list_name, 0}};
    for (const auto& [buffer, scalar] : arguments_) {
      if (buffer && is_input(*buffer))
        files[input_name(*buffer)] = bytes_of(*buffer);
      if (buffer && !source_of_expected(reference(), *buffer).empty())
        files[expected_name(*buffer)] = bytes_of(*buffer);
    }
    return files;
  }

  void check_memory() const {
    const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<double>(::sysconf(_SC_PAGESIZE));
    constexpr double copies = 2; // elements, and behind the head of their file
    for (const auto& [name, bytes] : planned())
      if (copies * bytes > memory)
        throw InputError(
            fmt::format("{} at {}: {} has {}, too much for the {} of memory here; choose "
                        "a smaller size",
                        instance_.definition.name, to_text(instance_.problem), name,
                        bytes_text(bytes), bytes_text(memory)));
  }

  /// What is in the way, before anything is written.
  void check_files() const {
    std::error_code error;
    if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
      throw InputError(folder_.string() +
                       ": is a file; expected a folder, or a name for a new one");
    for (const auto& [name, bytes] : planned()) {
      const fs::path file = folder_ / name;
      if (fs::symlink_status(file, error).type() == fs::file_type::not_found)
        continue;
      if (!how_.replace)
        throw InputError(file.string() + ": exists, and is not replaced without --force");
      if (!fs::is_regular_file(file, error) || is_read(file))
        throw InputError(file.string() + (is_read(file) ? ": is read by the definition"
                                                        : ": is no file that can be replaced"));
    }
  }

  /// By the definition.
  bool is_read(const fs::path& file) const {
    std::error_code error;
    const auto same = [&](const std::optional<fs::path>& other) {
      return other && fs::equivalent(file, *other, error);
    };
    const auto& arguments = instance_.definition.arguments;
    return same(instance_.definition.file) || same(reference().file) ||
           std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
             return argument.input && same(argument.input->file);
           });
  }

  void make_folder() const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw InputError(folder_.string() + ": this folder cannot be made: " + error.message());
  }

  void check_disk() const {
    double needed = 0;
    for (const auto& [name, bytes] : planned())
      needed += bytes;
    std::error_code error;
    const fs::space_info space = fs::space(folder_, error);
    if (!error && needed > static_cast<double>(space.available))
      throw InputError(fmt::format("{}: {} are needed, {} are free", folder_.string(),
                                   bytes_text(needed),
                                   bytes_text(static_cast<double>(space.available))));
  }

  void write(const std::string& name, const std::string& content) {
    write_packed(folder_ / name, content);
    done_.files.push_back(folder_ / name);
  }

  void write_vector(const BufferSpec& spec, const std::string& name, std::string elements) {
    elements.insert(0, npy_head(spec.type, spec.elements));
    write(name, elements);
  }

  void write_expected(const BufferSpec& output, std::string_view elements) {
    write_vector(output, expected_name(output), std::string(elements));
    expected_.insert(output.name);
  }

  void write_formulas() {
    const auto deadline = OutputFormula::Clock::now() + how_.formula_time;
    for (OutputFormula& formula :
         output_formulas(reference().element, arguments_, extents_of(instance_), how_.seed)) {
      const auto bytes = formula.bytes(deadline);
      if (bytes)
        write_expected(formula.output(),
                       {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      else
        done_.too_slow.push_back(formula.output().name);
    }
  }

  void write_file() {
    if (!reference().file)
      return;
    const std::string content = expected_output(instance_);
    std::string_view rest = content;
    for (const auto& [buffer, scalar] : arguments_) {
      if (!buffer || !buffer->output)
        continue;
      const std::size_t bytes = buffer->elements * size_of(buffer->type);
      if (source_of_expected(reference(), *buffer) == "File")
        write_expected(*buffer, rest.substr(0, bytes));
      rest.remove_prefix(bytes);
    }
  }

  Json json_of_vector(const BufferSpec& spec) const {
    Json json{{"name", spec.name}, {"type", to_text(spec.type)}, {"elements", spec.elements}};
    if (is_input(spec))
      json["file"] = input_name(spec);
    if (spec.output)
      json["tolerance"] = {{"absolute", spec.tolerance.absolute},
                           {"relative", spec.tolerance.relative},
                           {"magnitude", spec.tolerance.magnitude}};
    if (!spec.verified.empty())
      json["verified"] = spec.verified;
    if (spec.output)
      json["expected"] = expected_.contains(spec.name) ? Json(expected_name(spec)) : Json();
    return json;
  }

  Json list() const {
    Json json{{"kernel", instance_.definition.name},
              {"problem", instance_.problem.extents},
              {"seed", how_.seed},
              {"arguments", Json::array()}};
    for (const auto& [buffer, scalar] : arguments_)
      json["arguments"].push_back(buffer ? json_of_vector(*buffer) : json_of(*scalar));
    return json;
  }

  const KernelInstance& instance_;
  const fs::path& folder_;
  const InputExport& how_;
  std::vector<ArgumentSpec> arguments_;
  std::set<std::string> expected_; ///< outputs with a file
  ExportedInputs done_;
};

} // namespace

ExportedInputs export_inputs(const KernelInstance& instance, const fs::path& folder,
                             const InputExport& how) {
  return Exporter(instance, folder, how).run();
}

} // namespace gridsmith
