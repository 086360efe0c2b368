// The catalogue's kernels, run on the host, against the host references: indexing, bounds of sizes
// that no tile divides, alignment of vector accesses, barriers.
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"

#include "emulated_cuda.hpp"
#include "emulated_kernels.hpp"
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace emulated {

Index thread_index, block_index, block_extent, grid_extent;

namespace {

constexpr std::size_t stack_bytes = 64 * 1024; // the kernels keep a few hundred floats at most

enum class State { running, waiting, done };

/// One thread of a block.
struct Fiber {
  ucontext_t context = {};
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(stack_bytes);
  Index index;
  State state = State::running;
};

struct Block {
  std::vector<Fiber> fibers;
  ucontext_t scheduler = {};
  Fiber* current = nullptr;
  const std::function<void()>* kernel = nullptr;
};

Block block;

void fiber_main() {
  (*block.kernel)();
  block.current->state = State::done;
}

void resume(Fiber& fiber) {
  block.current = &fiber;
  thread_index = fiber.index;
  fiber.state = State::running;
  swapcontext(&block.scheduler, &fiber.context);
}

void start(Fiber& fiber) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = stack_bytes;
  fiber.context.uc_link = &block.scheduler;
  makecontext(&fiber.context, fiber_main, 0);
}

void run_block() {
  for (Fiber& fiber : block.fibers)
    start(fiber);
  std::size_t done = 0;
  while (done < block.fibers.size()) {
    for (Fiber& fiber : block.fibers)
      if (fiber.state != State::done)
        resume(fiber);
    done = 0;
    for (const Fiber& fiber : block.fibers)
      done += fiber.state == State::done;
    if (done != 0 && done < block.fibers.size())
      throw std::logic_error("threads wait at a barrier that others never reach");
  }
  for (Fiber& fiber : block.fibers)
    fiber.state = State::running;
}

} // namespace

void barrier() {
  block.current->state = State::waiting;
  Fiber* const self = block.current;
  swapcontext(&self->context, &block.scheduler);
  thread_index = self->index;
}

void launch(const gridsmith::Geometry& geometry, const std::function<void()>& kernel) {
  block.kernel = &kernel;
  block.fibers = std::vector<Fiber>(static_cast<std::size_t>(geometry.threads_per_block()));
  const auto extent = [](auto value) { return static_cast<unsigned>(value); };
  block_extent = {extent(geometry.block[0]), extent(geometry.block[1]), extent(geometry.block[2])};
  grid_extent = {extent(geometry.grid[0]), extent(geometry.grid[1]), extent(geometry.grid[2])};
  for (unsigned i = 0; i < block.fibers.size(); ++i)
    block.fibers[i].index = {i % block_extent.x, i / block_extent.x % block_extent.y,
                             i / block_extent.x / block_extent.y};
  for (unsigned y = 0; y < grid_extent.y; ++y)
    for (unsigned x = 0; x < grid_extent.x; ++x) {
      block_index = {x, y, 0};
      run_block();
    }
}

} // namespace emulated

using namespace gridsmith;

namespace {

const std::filesystem::path folder = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";

/// Four-byte elements between guards, aligned as a device allocation is.
class GuardedBuffer {
public:
  explicit GuardedBuffer(std::size_t elements)
      : words_(elements + 2 * guard + 64, pattern), elements_(elements) {
    void* at = words_.data() + guard;
    std::size_t space = (words_.size() - guard) * 4;
    data_ = static_cast<std::uint32_t*>(std::align(256, elements * 4 + guard * 4, at, space));
  }

  std::uint32_t* data() { return data_; }

  bool guards_intact() const {
    const std::uint32_t* const first = words_.data();
    return std::all_of(first, static_cast<const std::uint32_t*>(data_), is_pattern) &&
           std::all_of(static_cast<const std::uint32_t*>(data_) + elements_, first + words_.size(),
                       is_pattern);
  }

private:
  static constexpr std::size_t guard = 64;
  static constexpr std::uint32_t pattern = 0xFFC0FFEEu; // a NaN

  static bool is_pattern(std::uint32_t word) { return word == pattern; }

  std::vector<std::uint32_t> words_;
  std::size_t elements_;
  std::uint32_t* data_ = nullptr;
};

void fill(GuardedBuffer& buffer, const BufferSpec& spec, std::uint64_t number) {
  for (std::uint64_t i = 0; i < spec.elements; ++i) {
    const double value = filled_value(spec, 1, number, i);
    if (spec.type == ElementType::float32)
      reinterpret_cast<float*>(buffer.data())[i] = static_cast<float>(value);
    else
      buffer.data()[i] = static_cast<std::uint32_t>(value);
  }
}

double element(GuardedBuffer& buffer, ElementType type, std::uint64_t i) {
  return type == ElementType::float32
             ? static_cast<double>(reinterpret_cast<float*>(buffer.data())[i])
             : buffer.data()[i];
}

void check_variant(const emulated::Variant& variant, const ProblemSize& problem) {
  const auto definition = read_definition(find_definition(variant.kernel, folder));
  Device device = device_of_capability(90);
  device.sm_count = 3;
  const KernelInstance instance = instantiate(definition, problem, device);
  if (!build_space(instance).find(variant.configuration))
    return; // this size forbids it
  INFO(variant.kernel << " " << to_text(problem) << " " << to_text(variant.configuration));
  std::vector<GuardedBuffer> buffers;
  std::vector<const void*> inputs;
  BufferSpec output_spec;
  const auto specs = argument_specs(instance);
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].buffer)
      buffers.emplace_back(specs[i].buffer->elements);
  std::size_t next = 0, output = 0;
  std::vector<std::size_t> input_of;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].buffer)
      continue;
    const BufferSpec& spec = *specs[i].buffer;
    if (spec.access != Access::write_only)
      fill(buffers[next], spec, i);
    if (spec.output) {
      output = next;
      output_spec = spec;
    } else {
      inputs.push_back(buffers[next].data());
      input_of.push_back(i);
    }
    ++next;
  }
  variant.run(launch_geometry(instance, variant.configuration), problem.extents, inputs,
              buffers[output].data());
  for (const GuardedBuffer& buffer : buffers)
    CHECK(buffer.guards_intact());
  const HostReference& reference = find_host_reference(*definition.reference.host);
  const HostInput input = [&](std::size_t which, std::uint64_t i) {
    return filled_value(*specs[input_of[which]].buffer, 1, input_of[which], i);
  };
  const auto expected = reference.whole(input, problem.extents);
  REQUIRE(expected.size() == output_spec.elements);
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < expected.size(); ++i) {
    const double found = element(buffers[output], output_spec.type, i);
    wrong += !(std::abs(found - expected[i]) <=
               definition.reference.absolute_tolerance +
                   definition.reference.relative_tolerance * std::abs(expected[i]));
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("emulated transpose equals its reference", "[emulated]") {
  for (const auto& variant : emulated::transpose_variants())
    for (const ProblemSize& problem : {ProblemSize{{128, 64}}, ProblemSize{{100, 76}},
                                       ProblemSize{{37, 131}}, ProblemSize{{1, 5}}})
      check_variant(variant, problem);
}

TEST_CASE("emulated matmul equals its reference", "[emulated]") {
  for (const auto& variant : emulated::matmul_variants())
    for (const ProblemSize& problem : {ProblemSize{{128, 64, 32}}, ProblemSize{{70, 132, 20}},
                                       ProblemSize{{67, 65, 41}}, ProblemSize{{1, 3, 5}}})
      check_variant(variant, problem);
}

TEST_CASE("emulated vector_add and benchmark kernels equal their references", "[emulated]") {
  for (const auto& variant : emulated::other_variants())
    for (const std::int64_t n : {64, 96, 1024, 1027})
      if (n < 1000 || variant.kernel != "sgemm_bench") // n^3
        check_variant(variant, ProblemSize{{n}});
}
