#include "gridsmith/kernels/definition/references.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

std::int64_t extent(Extents extents, std::size_t i) {
  return i < extents.size() ? extents[i] : extents.front();
}

std::uint64_t unsigned_extent(Extents extents, std::size_t i) {
  return static_cast<std::uint64_t>(extent(extents, i));
}

std::uint64_t area(Extents extents) {
  return unsigned_extent(extents, 0) * unsigned_extent(extents, 1);
}

std::uint64_t length(Extents extents) {
  return unsigned_extent(extents, 0);
}

std::uint64_t bins(Extents) {
  return 256;
}

double transpose_element(const HostInput& input, Extents extents, std::uint64_t index) {
  const std::uint64_t m = unsigned_extent(extents, 0), n = unsigned_extent(extents, 1);
  return input(0, index % m * n + index / m);
}

double matmul_element(const HostInput& input, Extents extents, std::uint64_t index) {
  const std::uint64_t n = unsigned_extent(extents, 1), k = unsigned_extent(extents, 2);
  const std::uint64_t row = index / n, column = index % n;
  double sum = 0;
  for (std::uint64_t i = 0; i < k; ++i)
    sum += input(0, row * k + i) * input(1, i * n + column);
  return sum;
}

double add_element(const HostInput& input, Extents, std::uint64_t index) {
  return input(0, index) + input(1, index);
}

std::uint64_t word(const HostInput& input, std::uint64_t index) {
  return static_cast<std::uint64_t>(input(0, index));
}

double histogram_element(const HostInput& input, Extents extents, std::uint64_t bin) {
  double count = 0;
  for (std::uint64_t i = 0; i < length(extents); ++i)
    for (std::uint64_t bits = word(input, i), byte = 0; byte < 4; ++byte, bits >>= 8)
      count += (bits & 255) == bin;
  return count;
}

std::vector<double> histogram_whole(const HostInput& input, Extents extents) {
  std::vector<double> counts(256, 0.0);
  for (std::uint64_t i = 0; i < length(extents); ++i)
    for (std::uint64_t bits = word(input, i), byte = 0; byte < 4; ++byte, bits >>= 8)
      ++counts[bits & 255];
  return counts;
}

using Element = double (*)(const HostInput&, Extents, std::uint64_t);
using Count = std::uint64_t (*)(Extents);

HostReference one_by_one(std::string name, std::string summary, std::size_t extents, Count count,
                         Element element) {
  const auto whole = [count, element](const HostInput& input, Extents problem) {
    std::vector<double> output(count(problem));
    for (std::uint64_t i = 0; i < output.size(); ++i)
      output[i] = element(input, problem, i);
    return output;
  };
  return {std::move(name), std::move(summary), extents, count, element, whole};
}

} // namespace

const std::vector<HostReference>& host_references() {
  static const std::vector<HostReference> table{
      one_by_one("transpose", "input 0: m x n, row-major; output: n x m", 2, area,
                 transpose_element),
      one_by_one("matmul",
                 "input 0: m x k, input 1: k x n, row-major; output: m x n; extents m, n, k", 3,
                 area, matmul_element),
      one_by_one("vector_add", "inputs 0 and 1: n; output: their sum", 1, length, add_element),
      {"histogram", "input 0: n words of four bytes; output: how often each of 256 bytes occurs", 1,
       bins, histogram_element, histogram_whole},
  };
  return table;
}

const HostReference& find_host_reference(std::string_view name) {
  std::vector<std::string> names;
  for (const HostReference& reference : host_references()) {
    if (reference.name == name)
      return reference;
    names.push_back(reference.name);
  }
  throw InputError(unknown_name("host reference", name, names));
}

} // namespace gridsmith
