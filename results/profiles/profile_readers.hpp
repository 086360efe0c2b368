// SPDX-License-Identifier: Apache-2.0
// The readers behind read_profile(): one per tool and kind of file.
#pragma once

#include "gridsmith/results/profiles/csv_tables.hpp"
#include "gridsmith/results/profiles/kernel_name.hpp"
#include "gridsmith/results/profiles/printed_value.hpp"
#include "gridsmith/results/profiles/profile.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {

/// The published limits of a capability; of one that is not in the table nothing.
Device limits_of(int compute_capability);

/// Gathers a profile: finds devices again, takes names apart, counts what is set aside.
class ProfileBuilder {
public:
  explicit ProfileBuilder(Profile& profile) : profile_(profile) {}

  Profile& profile() { return profile_; }

  /// @param name "" where the file has only a number
  std::size_t device(const std::string& name, std::optional<int> ordinal = {},
                     int compute_capability = 0);
  /// Of "Tesla V100-PCIE-16GB (0)".
  std::size_t device_of_text(const std::string& text);

  /// A new launch; the reference holds until the next one. Nothing for what is no kernel, which is
  /// counted.
  ProfiledLaunch* launch(const std::string& kernel, std::size_t device);

  /// Its own duration; counted where it is none.
  void set_time(ProfiledLaunch& launch, std::optional<double> ns);

  void set_aside(const std::string& reason) { ++profile_.set_aside[reason]; }

  /// Once per name, however many rows have it.
  void set_aside(const std::string& reason, const std::string& name);

  /// The value in base units; counted where there is none.
  std::optional<double> value(std::string_view text, std::string_view unit, Prefixes prefixes);

  DecimalMark mark = DecimalMark::point; ///< of the file that is read

private:
  Profile& profile_;
  std::vector<std::pair<std::string, std::optional<int>>> devices_;
  std::map<std::string, KernelName> names_;
  std::set<std::pair<std::string, std::string>> named_;
};

/// To the nearest one; nothing for what is no count of anything: below 0, or beyond 2^53.
std::optional<std::int64_t> whole(std::optional<double> value);

using Extents = std::array<std::int64_t, 3>;

/// Three extents in a text: "(32, 8, 1)", "32 8 1", "32x8x1"; nothing for another text.
std::optional<Extents> extents_in(std::string_view text);

/// Sets the geometry where both are there and a launch can have them.
void set_shape(ProfiledLaunch& launch, const std::optional<Extents>& grid,
               const std::optional<Extents>& block);

/// Of several launches only, the mean and the others where known; ns.
LaunchTimes launch_times(std::optional<double> calls, std::optional<double> average,
                         std::optional<double> median, std::optional<double> least,
                         std::optional<double> most);

inline constexpr double ms_per_ns = 1e-6;
inline constexpr const char* rounded_shared = "shared memory as rounded by the tool";

void add_ncu_forms(std::vector<CsvForm>& forms, ProfileBuilder& builder);
/// ncu's two pages, whatever is done with their rows.
void add_ncu_forms(std::vector<CsvForm>& forms, std::function<void(const CsvRow&)> details,
                   std::function<void(const CsvRow&)> raw);
inline constexpr std::string_view duration_name = "gpu__time_duration.sum";
/// Of any kernel, at least: an empty one takes ten times as long.
inline constexpr double least_duration_ns = 100;
/// By the values of its tables: by how they are written, else by what they can be.
/// @throws InputError naming a value and what it may be, where that decides nothing
DecimalMark mark_of_ncu(std::string_view text, const std::string& name);
void add_nvprof_forms(std::vector<CsvForm>& forms, ProfileBuilder& builder);
void add_nsys_forms(std::vector<CsvForm>& forms, ProfileBuilder& builder);

/// Whether a SQLite file is one that nsys or nvprof made.
bool is_profilers_database(const std::filesystem::path& file);
/// @throws InputError: one of nvprof's, damaged, or without kernels
Profile read_nsys_database(const std::filesystem::path& file);

/// One line on how the tool measures, for people.
std::string_view conditions_of_tool(std::string_view tool);

} // namespace gridsmith
