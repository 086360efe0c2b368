// SPDX-License-Identifier: Apache-2.0
// What profilers print: whatever is read becomes recordings, which are spaces.
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <cmath>

namespace gridsmith::fuzz::profiles {

namespace {

void check_launches(const Profile& profile) {
  require(!profile.launches.empty(), "a profile without launches");
  for (const ProfiledLaunch& one : profile.launches) {
    require(one.device < profile.devices.size(), "a launch on no device");
    for (const auto& [name, value] : one.counters)
      require(std::isfinite(value), "a counter that is no number: " + name);
  }
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const Profile profile = read_profile(well_formed(text_of(bytes, count)), "input");
    check_launches(profile);
    for (const Recording& recording : recordings_of(profile)) {
      describe(recording);
      for (const Measurement& row : recording.measurements)
        require(objection_to(row).empty(), "a row that we would not read again");
      must_answer("a recording of it makes a space", [&] {
        require(RecordedSpace(recording).space().size() == recording.measurements.size(),
                "a shape is there twice");
      });
    }
  });
}

} // namespace gridsmith::fuzz::profiles
