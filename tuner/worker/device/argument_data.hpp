// SPDX-License-Identifier: Apache-2.0
// The arguments of the tuned kernel on the device: buffers between guards, filled from a seed or a file,
// pristine copies of what kernels change in place, and the expected outputs. Says afterwards
// whether a launch did what it should, without waiting for it.
#pragma once

#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/device_kernels.hpp"
#include "gridsmith/tuner/worker/device/kept_output.hpp"
#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

class ArgumentData {
public:
  /// Allocates and guards; fill() comes next. @throws CudaError
  ArgumentData(const std::vector<ArgumentSpec>& arguments, const DeviceKernels& kernels);

  /// Everything from this seed, pristine copies too.
  void fill(DataSeed seed);
  /// Guards and contents as after fill() with the last seed.
  void repair();

  /// How often they were filled: what was copied from them at another number is of other data.
  std::uint64_t fills() const { return fills_; }

  /// Before a launch whose answer counts: in-place buffers as they were, outputs poisoned; reals that
  /// are compared with nothing always with what is impossible.
  void prepare(Poison poison = Poison::impossible);
  /// In-place buffers as they were, nothing else.
  void restore() const;
  /// After restore(): a few elements change, and those of the last time change back, so that no two launches find
  /// the same data. Until fill() or unvary(), whatever is compared with what is expected is wrong.
  void vary();
  /// After vary() and a launch: inputs, and in-place buffers, as they were.
  void unvary();

  /// From now on what is read and written and is no output is neither restored nor filled.
  void keep_scratch(bool keep) { scratch_kept_ = keep; }

  // ---- copies, for launches that are timed and not judged

  /// One more than hold so much together, 2 to 256; textures and constants have none. @throws CudaError
  void make_copies(std::size_t bytes);
  /// Each as the data was filled, or what launches changed of it.
  void restore_copies();
  /// pointers() lead to the next of them from here on. @pre there are some
  void use_next_copy();
  /// pointers() lead to the data itself again.
  void use_data();

  /// __constant__ symbols of the names that ask for it.
  void copy_constants(const LoadedKernel& kernel) const;

  /// For a launch; valid as long as this lives.
  void** pointers() { return pointers_.data(); }

  /// What a kernel is passed, in its order.
  struct Passed {
    std::vector<void*> pointers;
    std::vector<std::size_t> bytes;                   ///< of each
    std::vector<std::vector<std::uint64_t>> own = {}; ///< of scalars that are no argument
  };

  Passed all() const { return {pointers_, argument_bytes_}; }

  /// All, or without those that it reads from __constant__ variables where it takes as many as are left.
  Passed passed_to(const LoadedKernel& kernel) const;
  /// As the reference kernel takes them.
  Passed passed(const std::vector<ReferenceArgument>& arguments) const;

  /// How many verdicts one launch has.
  std::size_t verdicts() const { return outputs_.size() + inputs_.size() + 1; }

  /// Enqueues the comparison of the last launch, before which prepare() was called; `verdicts` is
  /// zero-filled device memory.
  void judge(Disagreement* verdicts) const;
  /// Enqueues: adds how far the outputs are from what is expected.
  void differences(Differences* total) const;
  /// Adds the digest of every output, of the elements that are compared.
  void add_digest(std::uint64_t* digest) const;
  /// @param verdicts the same, copied to the host.
  Judgement judgement(std::span<const Disagreement> verdicts) const;

  // ---- the expected outputs

  std::size_t outputs() const { return outputs_.size(); }

  const BufferSpec& output_spec(std::size_t output) const { return slots_[outputs_[output]].spec; }

  // What is expected is sealed by a digest: a launch that changes it does damage.

  /// What the outputs hold now is what is expected from here on, of all elements that are verified.
  void expect_current_outputs();

  /// Of all outputs.
  struct Written {
    WrittenElements elements;
    std::string nothing_in; ///< the first output of which no element was written; "": there is none
  };

  /// What is expected is of a launch after prepare(Poison::blind), and one more was launched after
  /// prepare(Poison::plausible): elements that neither wrote are not compared. The outputs hold what is expected
  /// again. Waits.
  Written leave_out_unwritten();
  /// Outputs are compared with nothing any more.
  void expect_nothing();
  /// From what is expected: what its tolerances allow of a typical element, the root mean square of some expected ones.
  /// @param own it is one more result of the kernel that is tuned, not an author's reference: sums in another order
  /// round differently, most of all where they cancel. Real outputs may then be off by the relative tolerance, or a
  /// hundredth in float16, of a typical element as well. Waits.
  /// @param accept_all but NaN and what was not written: another condition decides
  void set_tolerances(bool own, bool accept_all);
  /// Where a truth of each element of the output lies, a byte each, which says whether it is verified; allocated when
  /// first asked for. Without that all are.
  void* verified_memory(std::size_t output);
  /// Elements as they lie in memory. @pre as many bytes as the output has
  void expect_bytes(std::size_t output, std::span<const std::uint8_t> bytes);

  /// Where the expected elements of an output lie on the device, one after the other; allocated when first
  /// asked for. What is written there is sealed afterwards.
  void* expected_memory(std::size_t output);
  void seal_expected(std::size_t output) const;
  /// A vector that formulas read: what fill() wrote.
  FormulaSource source(const std::string& name) const;

  /// Makes what was expected with the data of `seed` expected again. @return false: it is not known; what
  /// is expected now is kept for when its turn comes again
  bool recall_expected(DataSeed seed);

  /// What is expected now goes with the data of this seed.
  void remember_expected(DataSeed seed) { expected_seed_ = seed; }

  /// It was changed by a kernel, and what is kept may be too: nothing is known any more.
  void forget_expected();

  /// Bits of one expected element. Waits.
  std::uint64_t expected_bits(std::size_t output, std::uint64_t element) const;

  /// Bytes of the largest buffer.
  std::size_t largest_bytes() const;

private:
  struct Slot {
    BufferSpec spec;
    std::uint64_t number = 0;                       ///< position among all arguments
    std::size_t bytes = 0;                          ///< of the elements
    std::size_t rows = 1, row_bytes = 0, pitch = 0; ///< in memory; pitch in bytes
    DeviceMemory memory;                            ///< guard, data, guard
    std::size_t memory_bytes = 0;
    std::uint8_t* data = nullptr;
    std::vector<DeviceMemory> copies = {}; ///< of all of `memory`
    DeviceMemory content;  ///< of a file its elements, of an expression its program …
    DeviceMemory sources;  ///< … and the fillings of the vectors that it reads
    DeviceMemory pristine; ///< of read_write buffers; elements one after the other, as …
    DeviceMemory expected; ///< … these of outputs
    DeviceMemory sealed;   ///< digest of an input's, or of the expected elements
    DeviceMemory verified; ///< of outputs: a byte for each element; none: all
    DeviceMemory
        written;         ///< … of those that are verified and expected; none: all that are verified
    Tolerance tolerance; ///< of outputs

    KeptOutput kept;           ///< what is expected with another seed's data, by …
    Tolerance kept_tolerance;  ///< … this …
    DeviceMemory kept_sealed;  ///< … and with this digest …
    DeviceMemory kept_written; ///< … of these

    std::uint64_t* seal() const { return static_cast<std::uint64_t*>(sealed.get()); }

    View view() const;

    /// A byte for each element of an output: whether it is compared; null: all are.
    const void* compared() const { return written ? written.get() : verified.get(); }

    std::uint8_t* end() const { return data + (rows - 1) * pitch + row_bytes; }
  };

  /// A buffer's elements once more, as textures have them, and the object that a scalar is.
  struct TextureCopy {
    std::size_t slot = 0;
    std::size_t row_bytes = 0, rows = 1;
    TextureArray array;
    Texture texture;
  };

  struct GuardPlace {
    std::size_t slot = 0;
    const char* where = ""; ///< "past the end of"
  };

  void add_buffer(const BufferSpec& spec, std::uint64_t number);
  void use_copy(std::size_t number);
  void place(Slot& slot) const;
  void load_content(Slot& slot) const;
  void add_scalar(const ScalarSpec& spec);
  std::size_t slot_named(const std::string& name) const;
  void set_pitches(const std::vector<ArgumentSpec>& arguments);
  void set_textures(const std::vector<ArgumentSpec>& arguments);
  TextureCopy texture_copy(const TextureSpec& spec) const;
  void add_guards();
  Filling filling(const Slot& slot) const;
  Filling changed_filling(const Slot& slot) const;
  void take_back_change() const;
  void load_sources(const Slot& slot) const;
  WrittenElements find_written(Slot& slot) const;
  std::vector<std::uint64_t> some_compared(const Slot& slot) const;
  double typical(std::size_t output) const;
  /// Elements one after the other from rows, or into them.
  void pack(void* to, const Slot& from) const;
  void unpack(const Slot& to, const void* from) const;
  Poison poison_of(const Slot& slot) const;
  bool is_kept(const Slot& slot) const;
  std::string output_mismatch(const Slot& slot, const Disagreement& verdict) const;

  const DeviceKernels& kernels_;
  DataSeed seed_ = 0;
  std::uint64_t fills_ = 0;
  bool scratch_kept_ = false;
  std::uint64_t varied_ = 0;           ///< number of the last change by vary(); 0: none
  std::size_t copies_ = 0;             ///< of each slot
  std::size_t in_use_ = 0;             ///< number of the copy, from 1; 0: the data itself
  std::size_t last_used_ = 0;          ///< of the copies
  std::uint64_t copied_at_ = 0;        ///< fills_ of then
  Poison poison_ = Poison::impossible; ///< of the last prepare()
  std::vector<Slot> slots_;            ///< buffers, in the order of the arguments
  std::vector<TextureCopy> textures_;  ///< filled with the buffers
  std::vector<std::size_t> outputs_;   ///< slots that are verified
  std::vector<std::size_t> inputs_;    ///< slots that no kernel may change
  std::vector<std::vector<std::uint64_t>> scalars_; ///< by argument, empty for buffers
  std::vector<std::optional<std::size_t>> slot_of_; ///< by argument; none: a scalar
  std::vector<void*> pointers_;
  std::vector<std::size_t> argument_bytes_;
  DeviceMemory guard_memory_;
  Guards guards_;
  std::vector<GuardPlace> guard_places_; ///< in their order

  std::optional<DataSeed> expected_seed_; ///< whose data the expected outputs belong to …
  std::optional<DataSeed> kept_seed_;     ///< … and the kept ones
};

/// The __constant__ variables of one loaded kernel, which hold what the data holds.
class Constants {
public:
  /// @param data outlives this
  explicit Constants(const ArgumentData& data) : data_(data) {}

  /// Enqueues their copy where the data was filled since the last one. @throws CudaError
  void update(const LoadedKernel& kernel);

private:
  const ArgumentData& data_;
  std::uint64_t copied_at_ = 0; ///< fills() of then
};

} // namespace gridsmith
