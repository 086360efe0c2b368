// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/cpu/kernels/emulation.hpp"

#include "gridsmith/tests/cpu/kernels/emulated_thread.hpp"
#include "gridsmith/tests/files.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace gridsmith::test {

namespace {

namespace fs = std::filesystem;
using emulated::Thread;

// ---- threads

constexpr std::size_t stack_bytes = 65536; // the kernels keep a few hundred floats at most
constexpr unsigned warp = 32;

enum class State { fresh, ready, at_block, at_lanes, done };

struct Fiber {
  ucontext_t context = {}; ///< where it begins
  jmp_buf place = {};      ///< where it goes on: a jump, unlike swapcontext, is no system call
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  Thread thread;
  State state = State::ready;
  unsigned mask = 0; ///< of the lanes that it waits for
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<std::uint64_t> lanes;
  std::vector<std::uint64_t> dynamic_shared;
  jmp_buf scheduler = {};
  Fiber* current = nullptr;
  const Thread* running = nullptr;
  void (*call)(void**) = nullptr;
  void** arguments = nullptr;
};

Block block;

void yield(State state) {
  Fiber* const self = block.current;
  self->state = state;
  if (_setjmp(self->place) == 0)
    _longjmp(block.scheduler, 1);
}

void wait_for_block() {
  yield(State::at_block);
}

void wait_for_lanes(unsigned mask) {
  block.current->mask = mask;
  yield(State::at_lanes);
}

void fiber_main() {
  block.call(block.arguments);
  block.current->state = State::done;
  _longjmp(block.scheduler, 1);
}

void resume(Fiber& fiber) {
  block.current = &fiber;
  block.running = &fiber.thread;
  if (_setjmp(block.scheduler) != 0)
    return;
  if (fiber.state == State::fresh)
    setcontext(&fiber.context);
  else
    _longjmp(fiber.place, 1);
}

void start(Fiber& fiber) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = stack_bytes;
  makecontext(&fiber.context, fiber_main, 0);
  fiber.state = State::fresh;
}

/// Whether all lanes that it waits for are there.
bool lanes_are_there(std::size_t number) {
  const Fiber& fiber = block.fibers[number];
  const std::size_t first = number / warp * warp;
  for (std::size_t i = first; i < std::min<std::size_t>(first + warp, block.fibers.size()); ++i)
    if (const Fiber& other = block.fibers[i];
        fiber.mask >> (i - first) & 1 && other.state != State::done &&
        (other.state != State::at_lanes || other.mask != fiber.mask))
      return false;
  return true;
}

/// Lets those go on whose others have come. @return whether there were any
bool release() {
  std::vector<Fiber*> free;
  const auto in = [](State state) {
    return [state](const Fiber& fiber) { return fiber.state == state; };
  };
  if (std::all_of(block.fibers.begin(), block.fibers.end(), in(State::at_block)))
    for (Fiber& fiber : block.fibers)
      free.push_back(&fiber);
  for (std::size_t i = 0; i < block.fibers.size(); ++i)
    if (block.fibers[i].state == State::at_lanes && lanes_are_there(i))
      free.push_back(&block.fibers[i]);
  for (Fiber* fiber : free)
    fiber->state = State::ready;
  return !free.empty();
}

void run_block() {
  for (Fiber& fiber : block.fibers)
    start(fiber);
  do
    for (Fiber& fiber : block.fibers)
      if (fiber.state == State::fresh || fiber.state == State::ready)
        resume(fiber);
  while (release());
  for (const Fiber& fiber : block.fibers)
    if (fiber.state != State::done)
      throw std::runtime_error("threads wait at a barrier that others never reach");
}

void prepare_block(const Geometry& geometry) {
  const auto extent = [](auto value) { return static_cast<unsigned>(value); };
  const emulated::Index of_block{extent(geometry.block[0]), extent(geometry.block[1]),
                                 extent(geometry.block[2])};
  const auto threads = static_cast<std::size_t>(geometry.threads_per_block());
  block.fibers = std::vector<Fiber>(threads);
  block.lanes.assign((threads + warp - 1) / warp * warp, 0);
  block.dynamic_shared.assign(static_cast<std::size_t>(geometry.dynamic_shared_bytes) / 8 + 2, 0);
  for (unsigned i = 0; i < threads; ++i) {
    Thread& thread = block.fibers[i].thread;
    thread.thread = {i % of_block.x, i / of_block.x % of_block.y, i / of_block.x / of_block.y};
    thread.block_extent = of_block;
    thread.grid_extent = {extent(geometry.grid[0]), extent(geometry.grid[1]),
                          extent(geometry.grid[2])};
    thread.lane = i % warp;
    thread.lanes = &block.lanes[i - i % warp];
    thread.dynamic_shared = block.dynamic_shared.data();
    thread.wait_for_block = wait_for_block;
    thread.wait_for_lanes = wait_for_lanes;
  }
}

// ---- the library

/// What no macro can say: dynamic shared memory is a pointer.
std::string host_source(const fs::path& source) {
  static const std::regex dynamic(
      R"(extern\s+__shared__\s+(?:__align__\(\d+\)\s*)?([\w ]+?)\s*(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(test::read_file(source), dynamic,
                            "$1* const $2 = static_cast<$1*>(emulated::self().dynamic_shared);");
}

void write_sources(const fs::path& folder, const fs::path& source, const std::string& function,
                   const fs::path& header) {
  std::ofstream(folder / "kernel.cu") << host_source(source);
  std::ofstream(folder / "kernel.cpp")
      << "#include \"" << header.string()
      << "\"\n"
         "#include \"kernel.cu\"\n"
         "#pragma GCC visibility push(default)\n"
         "extern \"C\" void emulated_begin(const emulated::Thread* const* running) {\n"
         "  emulated::running = running;\n}\n"
         "extern \"C\" void emulated_call(void** arguments) {\n"
         "  emulated::call("
      << function << ", arguments);\n}\n";
}

/// What it says goes to the log. @return "" or the compiler's first error
std::string run_compiler(const std::vector<std::string>& arguments, const fs::path& log_file) {
  // Hidden, or the shared memory of functions in line would be one for all libraries.
  std::vector<std::string> words = {
      GRIDSMITH_COMPILER, "-fvisibility=hidden", "-std=c++20", "-O1", "-w", "-fPIC"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> given;
  given.reserve(words.size() + 1);
  for (std::string& word : words)
    given.push_back(word.data());
  given.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string log = log_file;
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int status = posix_spawnp(&child, given[0], &actions, nullptr, given.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0)
    return "there is no compiler " GRIDSMITH_COMPILER;
  waitpid(child, &status, 0);
  if (status == 0)
    return "";
  std::ifstream in(log);
  std::string line;
  while (std::getline(in, line))
    if (line.find("error: ") != std::string::npos)
      break;
  return line.substr(std::min(line.size(), line.find("error: ")));
}

/// @return "" or the compiler's first error
std::string compile(const fs::path& folder, const fs::path& source,
                    const std::vector<std::string>& options) {
  std::vector<std::string> words = {"-shared", "-I" + source.parent_path().string(), "-o",
                                    folder / "kernel.so", folder / "kernel.cpp"};
  for (const std::string& option : options)
    if (option.starts_with("-D"))
      words.push_back(option);
  return run_compiler(words, folder / "log");
}

/// Stands for emulated_cuda.hpp, which is half of a kernel's compilation, and is read once for all. A compiler that does
/// not take what was made of it, as where an option defines a name of it, reads its text.
class CommonHeader {
public:
  CommonHeader() {
    write(path(), "#include \"" GRIDSMITH_SOURCE_DIR "/tests/cpu/kernels/emulated_cuda.hpp\"\n");
    run_compiler({"-x", "c++-header", path(), "-o", path().string() + ".gch"}, folder_ / "log");
  }

  fs::path path() const { return folder_ / "common.hpp"; }

private:
  Folder folder_;
};

} // namespace

struct EmulatedKernel::Library {
  Folder folder;
  void* handle = nullptr;
  void (*call)(void**) = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  ~Library() {
    if (handle)
      dlclose(handle);
  }
};

EmulatedKernel::EmulatedKernel(const fs::path& source, const std::string& function,
                               const std::vector<std::string>& options)
    : library_(std::make_unique<Library>()) {
  static const CommonHeader common;
  write_sources(library_->folder.path(), source, function, common.path());
  if (const std::string error = compile(library_->folder.path(), source, options); !error.empty())
    throw NotEmulated(error);
  library_->handle = dlopen((library_->folder / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_->handle)
    throw NotEmulated(dlerror());
  const auto begin =
      reinterpret_cast<void (*)(const Thread* const*)>(dlsym(library_->handle, "emulated_begin"));
  library_->call = reinterpret_cast<void (*)(void**)>(dlsym(library_->handle, "emulated_call"));
  begin(&block.running);
}

EmulatedKernel::~EmulatedKernel() = default;
EmulatedKernel::EmulatedKernel(EmulatedKernel&&) noexcept = default;

void* EmulatedKernel::constant(const std::string& name) const {
  return dlsym(library_->handle, name.c_str());
}

void EmulatedKernel::run(const Geometry& geometry, std::span<void*> arguments) const {
  block.call = library_->call;
  block.arguments = arguments.data();
  prepare_block(geometry);
  const auto extent = [](std::int64_t value) { return static_cast<unsigned>(value); };
  for (unsigned z = 0; z < extent(geometry.grid[2]); ++z)
    for (unsigned y = 0; y < extent(geometry.grid[1]); ++y)
      for (unsigned x = 0; x < extent(geometry.grid[0]); ++x) {
        for (Fiber& fiber : block.fibers)
          fiber.thread.block = {x, y, z};
        run_block();
      }
}

} // namespace gridsmith::test
