#include "gridsmith/kernels/definition/reading.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

std::int64_t read_extent(const JsonField& field) {
  try {
    const double extent = to_number(field.expression().evaluate(Bindings{}));
    if (extent >= 1 && extent <= 9e15 &&
        extent == static_cast<double>(static_cast<std::int64_t>(extent)))
      return static_cast<std::int64_t>(extent);
  } catch (const EvaluationError& error) {
    field.fail(error.what());
  }
  field.fail("expected a positive integer");
}

} // namespace

std::filesystem::path locate(const std::filesystem::path& json_file, const std::string& name) {
  const auto folder = std::filesystem::absolute(json_file).parent_path();
  std::error_code error;
  const auto above = folder.parent_path() / name;
  if (!std::filesystem::exists(folder / name, error) && std::filesystem::exists(above, error))
    return above;
  return folder / name;
}

ProblemSize read_problem_size(const JsonField& field) {
  if (field.json().is_string()) {
    try {
      return problem_size_from_text(field.text());
    } catch (const InputError& error) {
      field.fail(error.what());
    }
  }
  if (field.json().is_number())
    return {{read_extent(field)}};
  ProblemSize size;
  for (const JsonField& element : field.elements())
    size.extents.push_back(read_extent(element));
  if (size.extents.empty() || size.extents.size() > 3)
    field.fail("expected 1 to 3 extents");
  return size;
}

void add_problem_size(const JsonField& field, ProblemSize size, KernelDefinition& definition) {
  auto& sizes = definition.problem_sizes;
  if (!sizes.empty() && sizes.front().extents.size() != size.extents.size())
    field.fail(to_text(size) + " has another number of extents than " + to_text(sizes.front()));
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end())
    sizes.push_back(std::move(size));
}

} // namespace gridsmith
