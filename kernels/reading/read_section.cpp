// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_section.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"
#include "gridsmith/kernels/reading/read_inputs.hpp"
#include "gridsmith/kernels/reading/read_metrics.hpp"
#include "gridsmith/kernels/reading/read_types.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/metrics/catalogue/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

void read_description(const JsonField& field, KernelDefinition& definition) {
  constexpr std::size_t longest = 600; // three sentences
  if (!field.present())
    return;
  definition.description = field.text();
  if (definition.description.empty() || definition.description.size() > longest ||
      !is_one_line(definition.description))
    field.fail(
        fmt::format("expected one to three sentences in one line, at most {} characters", longest));
}

void read_extent_names(const JsonField& section, KernelDefinition& definition) {
  const JsonField names = section.find("Extents");
  for (const JsonField& name : names.elements())
    definition.extent_names.push_back(name.text());
}

/// @param where the first of the problem sizes was read
void check_extent_names(const JsonField& names, const std::string& where,
                        const KernelDefinition& definition) {
  if (!names.present() || definition.problem_sizes.empty())
    return;
  const ProblemSize& size = definition.problem_sizes.front();
  if (definition.extent_names.size() != size.extents.size())
    names.fail(fmt::format("has {}, and {} has {} ({}); each extent has one name",
                           counted(definition.extent_names.size(), "name"), where,
                           counted(size.extents.size(), "extent"), to_text(size)));
}

/// "pitch(NAME)" or "pitch_bytes(NAME)": the distance from a row of that vector to the next.
std::optional<PitchOf> read_pitch(const JsonField& field, const KernelDefinition& definition) {
  if (!field.json().is_string())
    return std::nullopt;
  const std::string text = field.text();
  for (const auto& [head, bytes] : {std::pair("pitch(", false), {"pitch_bytes(", true}}) {
    if (!text.starts_with(head) || !text.ends_with(')'))
      continue;
    const std::string name = text.substr(std::strlen(head), text.size() - std::strlen(head) - 1);
    const std::vector<std::string> valid =
        argument_names(definition, [](const Argument& one) { return one.input && one.input->row; });
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      field.fail(valid.empty() ? "no argument has a Row in Inputs, so that none has a pitch"
                               : unknown_name("argument with a Row", name, valid));
    return PitchOf{name, bytes};
  }
  return std::nullopt;
}

void read_scalars(const JsonField& scalars, Reading& reading) {
  if (!scalars.present())
    return;
  scalars.only(
      argument_names(reading.definition, [](const Argument& one) { return !one.is_vector; }),
      "scalar argument");
  for (Argument& argument : reading.definition.arguments)
    if (const JsonField value = scalars.find(argument.name); value.present()) {
      if (argument.layout) {
        read_struct_values(value, argument, reading);
        continue;
      }
      argument.pitch = read_pitch(value, reading.definition);
      if (!argument.pitch)
        argument.value = reading.number(value);
      else if (is_real(argument.type))
        value.fail("a pitch is a whole number, and the argument is " +
                   std::string(to_text(argument.type)));
    }
}

void read_macros(const JsonField& macros, Reading& reading) {
  if (macros.present())
    for (const std::string& name : macros.names())
      reading.definition.macros.emplace(name, reading.expression(macros.find(name), true));
}

/// @pre parameters and macros are read
void read_rewritten(const JsonField& list, KernelDefinition& definition) {
  std::vector<std::string> valid = names_in(definition.parameters);
  for (const auto& [name, value] : definition.macros)
    valid.push_back(name);
  for (const JsonField& field : list.elements()) {
    const std::string name = field.text();
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      field.fail(unknown_name("parameter", name, valid));
    definition.rewritten.insert(name);
  }
}

double read_tolerance(const JsonField& field) {
  const double tolerance = field.number();
  if (!(tolerance >= 0))
    field.fail("a tolerance is not negative");
  return tolerance;
}

/// A number for all outputs, or an object of some.
void read_tolerances(const JsonField& field, double Tolerance::* part,
                     KernelDefinition& definition) {
  if (!field.present())
    return;
  const std::vector<std::string> names =
      argument_names(definition, [](const Argument& one) { return one.output; });
  const bool each = field.json().is_object();
  if (each)
    field.only(names);
  else
    read_tolerance(field);
  for (Argument& argument : definition.arguments)
    if (const JsonField own = each ? field.find(argument.name) : field;
        argument.output && own.present())
      argument.tolerance.*part = read_tolerance(own);
}

/// A condition on how far results are from what is expected.
void read_accept(const JsonField& reference, Reference& target) {
  const JsonField field = reference.find("Accept");
  if (!field.present())
    return;
  for (const char* tolerance : {"AbsoluteTolerance", "RelativeTolerance", "MagnitudeTolerance"})
    if (const JsonField other = reference.find(tolerance); other.present())
      other.fail("'Accept' decides in place of tolerances; give one of the two");
  target.accept = field.text();
  try {
    static_cast<void>(Acceptance(target.accept));
  } catch (const InputError& error) {
    field.fail(error.what());
  }
}

/// What one element of an output is, or whether it counts.
std::string read_formula(const JsonField& field, const Argument& output, Reading& reading) {
  std::string formula = field.text();
  try {
    formula = reading.parts.in_place(field, formula);
    check_formula(formula, output, reading.definition);
  } catch (const InputError& error) {
    field.fail(error.what());
  }
  return formula;
}

/// One text where there is one output, else an object with one for each. @param all of them need one
void read_formulas(const JsonField& field, bool all, Reading& reading,
                   const std::function<void(Argument&, const JsonField&)>& read) {
  if (!field.present())
    return;
  const std::vector<std::string> names =
      argument_names(reading.definition, [](const Argument& argument) { return argument.output; });
  const bool one = !field.json().is_object();
  if (one && names.size() > 1)
    field.fail(fmt::format("one text is for one output; name {}: {{\"{}\": \"…\"}}",
                           all ? "all of them" : "those that are meant",
                           fmt::join(names, "\": \"…\", \"")));
  if (!one)
    field.only(names);
  for (Argument& argument : reading.definition.arguments)
    if (argument.output)
      if (const JsonField own = one   ? field
                                : all ? field.required(argument.name)
                                      : field.find(argument.name);
          own.present())
        read(argument, own);
}

void read_elements(const JsonField& field, Reading& reading) {
  read_formulas(field, true, reading, [&](Argument& argument, const JsonField& own) {
    reading.definition.reference.element[argument.name] = read_formula(own, argument, reading);
  });
}

/// A truth, whatever the output's elements are.
void read_verified(const JsonField& field, Reading& reading) {
  read_formulas(field, false, reading, [&](Argument& argument, const JsonField& own) {
    Argument truth = argument;
    truth.type = ElementType::uint8;
    argument.verified = read_formula(own, truth, reading);
    std::set<std::string> vectors = Expression::parse(argument.verified, Syntax::formula).vectors();
    vectors.erase(extents_name);
    if (!vectors.empty())
      own.fail("reads '" + *vectors.begin() + "'; which elements are verified depends on i alone");
  });
}

void read_reference_values(const JsonField& values, Reading& reading) {
  if (!values.present())
    return;
  std::vector<std::string> valid = automatic_names(reading.definition.automatic);
  for (const Parameter& parameter : reading.definition.parameters)
    valid.push_back(parameter.name);
  values.only(valid);
  for (const std::string& name : valid)
    if (const JsonField value = values.find(name); value.present())
      reading.definition.reference.kernel_values.emplace_back(name, value.value());
}

void read_extents(const JsonField& shape, std::optional<Expression> (&extents)[3],
                  Reading& reading) {
  const auto elements = shape.elements();
  if (elements.size() > 3)
    shape.fail("expected 1 to 3 extents");
  for (std::size_t axis = 0; axis < elements.size(); ++axis)
    extents[axis] = reading.expression(elements[axis], true);
}

/// A .npy file says of which type its elements are.
void read_expected(const JsonField& field, KernelDefinition& definition) {
  const auto& file = definition.reference.file.emplace(located_file(field, definition));
  try {
    if (is_npy(file))
      for (const Argument& argument : definition.arguments)
        if (argument.output)
          check_element_type(file, definition.readable, argument.type);
  } catch (const InputError& error) {
    field.fail(error.what());
  }
}

/// Names of the tuned kernel's arguments, and scalars of its own: {"Name": "count", "Type": "int", "Value": "m * n"}.
void read_reference_arguments(const JsonField& field, Reading& reading) {
  if (!field.present())
    return;
  KernelDefinition& definition = reading.definition;
  const std::vector<std::string> valid = names_in(definition.arguments);
  for (const JsonField& entry : field.elements()) {
    Argument argument;
    if (entry.json().is_object()) {
      entry.only({"Name", "Type", "Value"});
      argument.name = entry.required("Name").text();
      read_type(entry.required("Type"), argument, reading);
      argument.value = reading.number(entry.required("Value"));
      if (argument.layout)
        entry.find("Type").fail(
            "a struct is passed only where it is an argument of the tuned kernel");
      if (std::find(valid.begin(), valid.end(), argument.name) != valid.end())
        entry.fail("'" + argument.name +
                   "' is an argument of the tuned kernel; give its name alone");
    } else {
      argument.name = entry.text();
      if (std::find(valid.begin(), valid.end(), argument.name) == valid.end())
        entry.fail(unknown_name("argument", argument.name, valid));
    }
    definition.reference.arguments.push_back(std::move(argument));
  }
}

void read_reference(const JsonField& field, Reading& reading) {
  if (!field.present())
    return;
  field.only({"Kernel", "Source", "Values", "Grid", "Block", "Element", "File", "AbsoluteTolerance",
              "RelativeTolerance", "MagnitudeTolerance", "Accept", "Arguments"});
  Reference& reference = reading.definition.reference;
  const bool file = field.find("File").present();
  if (file == (field.find("Kernel").present() || field.find("Element").present()))
    field.fail("Kernel, Element, both (Element then checks the kernel's answer) or File is needed");
  for (const char* name : {"Source", "Values", "Grid", "Block", "Arguments"})
    if (field.find(name).present() && !field.find("Kernel").present())
      field.find(name).fail("is valid only with Kernel");
  if (field.find("Grid").present() != field.find("Block").present())
    field.fail("Grid and Block go together; without both it is launched as the tuned kernel");
  if (const JsonField kernel = field.find("Kernel"); kernel.present())
    reference.kernel = kernel.text();
  if (const JsonField source = field.find("Source"); source.present())
    reference.source = located_file(source, reading.definition);
  if (file)
    read_expected(field.find("File"), reading.definition);
  read_elements(field.find("Element"), reading);
  read_reference_values(field.find("Values"), reading);
  read_reference_arguments(field.find("Arguments"), reading);
  read_extents(field.find("Grid"), reference.grid, reading);
  read_extents(field.find("Block"), reference.block, reading);
  read_tolerances(field.find("AbsoluteTolerance"), &Tolerance::absolute, reading.definition);
  read_tolerances(field.find("RelativeTolerance"), &Tolerance::relative, reading.definition);
  read_tolerances(field.find("MagnitudeTolerance"), &Tolerance::magnitude, reading.definition);
  read_accept(field, reference);
}

void read_automatic(const JsonField& field, KernelDefinition& definition) {
  if (!field.present())
    return;
  field.only({"Dimensions", "BlocksPerSM"});
  const JsonField dimensions = field.required("Dimensions");
  if (dimensions.integer() < 1 || dimensions.integer() > 3)
    dimensions.fail("expected 1, 2 or 3");
  AutomaticShape& shape = definition.automatic.emplace();
  shape.dimensions = static_cast<int>(dimensions.integer());
  for (const JsonField& entry : field.find("BlocksPerSM").elements()) {
    if (entry.integer() < 0 || entry.integer() > 1024)
      entry.fail("expected 0 (cover the problem) or a number of blocks up to 1024");
    shape.blocks_per_sm.push_back(static_cast<int>(entry.integer()));
  }
  for (const std::string& automatic : automatic_names(definition.automatic))
    for (const Parameter& parameter : definition.parameters)
      if (parameter.name == automatic)
        field.fail("parameter '" + parameter.name + "' is left to Gridsmith and tuned by hand");
}

void read_parameter_options(const JsonField& options, KernelDefinition& definition) {
  if (!options.present())
    return;
  const std::vector<std::string> valid = names_in(definition.parameters);
  for (const std::string& name : options.names()) {
    const auto at = std::find(valid.begin(), valid.end(), name);
    if (at == valid.end())
      options.fail(unknown_name("parameter", name, valid));
    const JsonField form = options.find(name);
    try {
      for (const Value& value :
           definition.parameters[static_cast<std::size_t>(at - valid.begin())].values)
        option_of_value(form.text(), value);
    } catch (const InputError& error) {
      form.fail(error.what());
    }
    definition.parameter_options[name] = form.text();
  }
}

/// @pre all options are read
void read_compiler(const JsonField& field, KernelDefinition& definition) {
  try {
    if (field.present())
      definition.compiler = from_text<Compiler>(field.text());
  } catch (const InputError& error) {
    field.fail(error.what());
  }
  const std::string_view chosen = definition.compiler == Compiler::nvcc ? "nvcc" : "NVRTC";
  const auto check = [&](const std::string& option) {
    if (const std::string_view only = only_compiler_with(option); !only.empty() && only != chosen)
      field.fail(fmt::format("{} has no option '{}', which {} has", chosen, option, only));
  };
  for (const std::string& option : definition.compiler_options)
    check(option);
  for (const auto& [name, form] : definition.parameter_options)
    check(form);
}

/// @pre the compiler is read
void read_units(const JsonField& list, Reading& reading) {
  KernelDefinition& definition = reading.definition;
  for (const JsonField& field : list.elements()) {
    definition.units.push_back(field.text());
    located_file(field, definition);
  }
  if (!definition.units.empty() && definition.compiler == Compiler::nvrtc)
    list.fail("NVRTC compiles one source; with several, Gridsmith.Compiler is \"nvcc\"");
}

void read_launch(const JsonField& field, Reading& reading) {
  if (!field.present())
    return;
  field.only({"Cluster", "Cooperative", "SharedCarveout"});
  if (const JsonField cooperative = field.find("Cooperative"); cooperative.present()) {
    if (!cooperative.json().is_boolean())
      cooperative.fail("expected true or false");
    reading.definition.cooperative = cooperative.json().get<bool>();
  }
  read_extents(field.find("Cluster"), reading.definition.cluster, reading);
  if (const JsonField carveout = field.find("SharedCarveout"); carveout.present())
    reading.definition.shared_carveout_percent = reading.expression(carveout, true);
}

/// The vectors that a list names, as one side of a transfer: of no other, in one piece.
void read_side(const JsonField& list, HostSide side, Reading& reading) {
  const std::vector<std::string> valid =
      argument_names(reading.definition, [](const Argument& one) {
        return one.is_vector && !one.input.value_or(InputRule{}).row;
      });
  if (list.elements().empty())
    list.fail("expected the names of vectors");
  for (const JsonField& name : list.elements()) {
    if (std::find(valid.begin(), valid.end(), name.text()) == valid.end())
      name.fail(unknown_name("vector", name.text(), valid));
    for (Argument& argument : reading.definition.arguments)
      if (argument.name == name.text()) {
        if (argument.host != HostSide::none)
          name.fail("'" + argument.name + "' is named twice");
        argument.host = side;
      }
  }
}

/// A word in quotes, or an expression that gives one.
Expression memory_of(const JsonField& field, Reading& reading) {
  const auto& words = Words<HostMemory>::list;
  if (field.json().is_string() &&
      std::find(words.begin(), words.end(), field.text()) != words.end())
    field.fail(fmt::format("is an expression: write the word in quotes, \"'{}'\" (valid: '{}')",
                           field.text(), fmt::join(words, "', '")));
  return reading.expression(field, true);
}

void read_transfer(const JsonField& field, Reading& reading) {
  if (!field.present())
    return;
  field.only({"Memory", "In", "Out", "Elements", "Chunks", "Streams"});
  KernelDefinition& definition = reading.definition;
  TransferRule& rule = definition.transfer.emplace(
      TransferRule{memory_of(field.required("Memory"), reading), {}, {}});
  if (const JsonField chunks = field.find("Chunks"); chunks.present())
    rule.chunks = reading.expression(chunks, true);
  if (const JsonField streams = field.find("Streams"); streams.present())
    rule.streams = reading.expression(streams, true);
  read_side(field.required("In"), HostSide::source, reading);
  read_side(field.required("Out"), HostSide::target, reading);
  const JsonField elements = field.required("Elements");
  for (Argument& argument : definition.arguments)
    if (argument.name == elements.text() && !argument.is_vector && !argument.layout)
      argument.chunk_elements = true;
  if (std::none_of(definition.arguments.begin(), definition.arguments.end(),
                   [](const Argument& argument) { return argument.chunk_elements; }))
    elements.fail("expected a scalar argument: how many elements the kernel is given");
}

/// T1's LocalSize may say the same as an automatic shape, nothing else.
void check_automatic_block(const JsonField& field, const KernelDefinition& definition) {
  for (int axis = 0; definition.automatic && axis < definition.automatic->dimensions; ++axis) {
    const std::string name = std::string("block_size_") + "xyz"[axis];
    const auto& block = definition.block[axis];
    if (block && block->text() != name)
      field.fail(
          fmt::format("the block is left to Gridsmith, but LocalSize.{} is '{}'; omit one of the "
                      "two, or write '{}'",
                      "XYZ"[axis], block -> text(), name));
  }
}

void check_outputs(const JsonField& section, const KernelDefinition& definition) {
  const bool any = std::any_of(definition.arguments.begin(), definition.arguments.end(),
                               [](const Argument& argument) { return argument.output; });
  if (const JsonField reference = section.find("Reference"); reference.present() && !any)
    reference.fail("no argument is marked \"Output\": 1, so there is nothing to compare with it");
}

/// Whether there is a field "A.B[2].C".
bool has_field(const Json& root, std::string_view path) {
  const Json* at = &root;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
    const std::string part(path.substr(0, end));
    path.remove_prefix(end + (end < path.size() && path[end] == '.' ? 1 : 0));
    std::size_t index = 0;
    std::from_chars(part.data() + 1, part.data() + part.size(), index);
    if (part.starts_with('[') ? !at->is_array() || index >= at->size() : !at->contains(part))
      return false;
    at = part.starts_with('[') ? &(*at)[index] : &(*at)[part];
  }
  return true;
}

void read_guesses(const JsonField& guesses, const JsonField& root, Reading& reading) {
  if (!guesses.present())
    return;
  for (const std::string& field : guesses.names()) {
    const JsonField guess = guesses.find(field);
    if (!has_field(root.json(), field))
      guesses.fail("'" + field +
                   "' is no field of this definition; delete the guess, or name its field");
    reading.definition.guesses.push_back({field, guess.present() ? guess.text() : ""});
  }
  if (const std::size_t left = reading.definition.guesses.size(); left > 0)
    reading.warn(guesses, counted(left, "guessed field") +
                              " to confirm: correct the field, then delete its line here; "
                              "check-definition lists them");
}

} // namespace

void read_section(const JsonField& section, const JsonField& root, Reading& reading) {
  if (!section.present())
    return;
  KernelDefinition& definition = reading.definition;
  definition.community = false;
  section.only({"Description",
                "Extents",
                "ProblemSizes",
                "Let",
                "Inputs",
                "Needs",
                "CompilerOptions",
                "Macros",
                "Compiler",
                "Rewrite",
                "Sources",
                "Textures",
                "Types",
                "Scalars",
                "Verify",
                "Reference",
                "WorkModel",
                "AutomaticShape",
                "AccessBytes",
                "Launch",
                "DynamicSharedMemory",
                "Transfer",
                "Counters",
                "Metrics",
                "Guesses"});
  read_description(section.find("Description"), definition);
  read_extent_names(section, definition);
  const JsonField names = section.find("Extents");
  check_extent_names(names, "KernelSpecification.ProblemSize", definition);
  for (const JsonField& size : section.find("ProblemSizes").elements())
    add_problem_size(size, read_problem_size(size), definition);
  check_extent_names(names, "Gridsmith.ProblemSizes[0]", definition);
  read_inputs(section.find("Inputs"), reading);
  read_needs(section.find("Needs"), reading);
  read_parameter_options(section.find("CompilerOptions"), definition);
  read_compiler(section.find("Compiler"), definition);
  read_units(section.find("Sources"), reading);
  read_macros(section.find("Macros"), reading);
  read_rewritten(section.find("Rewrite"), definition);
  read_textures(section.find("Textures"), reading);
  read_scalars(section.find("Scalars"), reading);
  read_automatic(section.find("AutomaticShape"), definition);
  check_automatic_block(section.find("AutomaticShape"), definition);
  read_verified(section.find("Verify"), reading);
  read_reference(section.find("Reference"), reading);
  check_outputs(section, definition);
  if (const JsonField model = section.find("WorkModel"); model.present()) {
    model.only({"Flops", "Bytes"});
    if (const JsonField flops = model.find("Flops"); flops.present())
      definition.flops = reading.number(flops);
    if (const JsonField bytes = model.find("Bytes"); bytes.present())
      definition.bytes = reading.number(bytes);
  }
  if (const JsonField access = section.find("AccessBytes"); access.present()) {
    access.only({"Load", "Store"});
    if (const JsonField load = access.find("Load"); load.present())
      definition.load_bytes = reading.expression(load, true);
    if (const JsonField store = access.find("Store"); store.present())
      definition.store_bytes = reading.expression(store, true);
  }
  read_own_metrics(section.find("Counters"), section.find("Metrics"), reading);
  if (const JsonField shared = section.find("DynamicSharedMemory"); shared.present())
    definition.dynamic_shared_bytes = reading.expression(shared, true);
  read_launch(section.find("Launch"), reading);
  read_transfer(section.find("Transfer"), reading);
  read_guesses(section.find("Guesses"), root, reading);
}

} // namespace gridsmith
