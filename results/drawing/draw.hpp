// SPDX-License-Identifier: Apache-2.0
// Scenes as files. The only user of Cairo, which is opened at run time: a Gridsmith that was built without
// its headers, or runs where there is no such library, does everything else.
#pragma once

#include "gridsmith/results/drawing/scene.hpp"

#include <memory>
#include <string>

namespace gridsmith {

class Drawing {
public:
  /// @throws Error when there is no Cairo here: why, and what to install.
  Drawing();
  ~Drawing();
  Drawing(Drawing&&) noexcept;
  Drawing& operator=(Drawing&&) noexcept;

  /// In this machine's sans serif font. The drawing outlives it.
  TextWidth width_of() const;

  /// An SVG document with title and description; letters are outlines, so that it looks the same
  /// everywhere. The same scene gives the same bytes where fonts and Cairo are the same.
  /// @throws Error: no memory
  std::string svg(const Scene& scene) const;
  /// A PNG image. @param scale pixels per point. @throws Error: no memory
  std::string png(const Scene& scene, double scale = 2) const;

private:
  struct Cairo;
  std::unique_ptr<const Cairo> cairo_;
};

} // namespace gridsmith
