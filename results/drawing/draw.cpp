// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/drawing/draw.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"

#ifdef GRIDSMITH_HAVE_CAIRO
#include <cairo-svg.h>
#include <cairo.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#endif

namespace gridsmith {

#ifdef GRIDSMITH_HAVE_CAIRO
namespace {

constexpr const char* library_name = "libcairo.so.2"; // its interface since 2003

/// What the library has by a name, as any function.
struct Found {
  void* address;

  template <typename Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};

Found find(void* library, const char* name) {
  void* address = ::dlsym(library, name);
  if (!address)
    throw Error(fmt::format("cannot draw: {} lacks {}", library_name, name));
  return {address};
}

void* opened() {
  // Never closed: the font library behind it keeps what it has read.
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(fmt::format("cannot draw: there is no Cairo here ({}, of the package libcairo2)",
                            library_name));
  return library;
}

cairo_status_t append(void* text, const unsigned char* bytes, unsigned length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

std::string in_xml(const std::string& text) {
  std::string out;
  for (const char c : printable(text))
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// Without the surface's number, which counts what this process has drawn, and with words for those who
/// do not see it.
std::string told(std::string svg, const Scene& scene) {
  const std::string id = " id=\"surface";
  if (const std::size_t at = svg.find(id); at != svg.npos)
    svg.erase(at, svg.find('"', at + id.size()) + 1 - at);
  const std::size_t root = svg.find("<svg");
  const std::size_t inside = svg.find('>', root) + 1;
  return svg.insert(inside, fmt::format("\n<title>{}</title>\n<desc>{}</desc>", in_xml(scene.title),
                                        in_xml(scene.description)));
}

} // namespace

struct Drawing::Cairo {
  void* library = opened();
  decltype(&cairo_create) create = find(library, "cairo_create");
  decltype(&cairo_destroy) destroy = find(library, "cairo_destroy");
  decltype(&cairo_status) status = find(library, "cairo_status");
  decltype(&cairo_status_to_string) status_text = find(library, "cairo_status_to_string");
  decltype(&cairo_surface_destroy) surface_destroy = find(library, "cairo_surface_destroy");
  decltype(&cairo_surface_finish) surface_finish = find(library, "cairo_surface_finish");
  decltype(&cairo_svg_surface_create_for_stream) svg_surface =
      find(library, "cairo_svg_surface_create_for_stream");
  decltype(&cairo_image_surface_create) image_surface = find(library, "cairo_image_surface_create");
  decltype(&cairo_surface_write_to_png_stream) write_png =
      find(library, "cairo_surface_write_to_png_stream");
  decltype(&cairo_scale) scale = find(library, "cairo_scale");
  decltype(&cairo_save) save = find(library, "cairo_save");
  decltype(&cairo_restore) restore = find(library, "cairo_restore");
  decltype(&cairo_translate) translate = find(library, "cairo_translate");
  decltype(&cairo_rotate) rotate = find(library, "cairo_rotate");
  decltype(&cairo_set_source_rgba) colour = find(library, "cairo_set_source_rgba");
  decltype(&cairo_set_line_width) line_width = find(library, "cairo_set_line_width");
  decltype(&cairo_set_line_join) line_join = find(library, "cairo_set_line_join");
  decltype(&cairo_set_dash) dash = find(library, "cairo_set_dash");
  decltype(&cairo_paint) paint = find(library, "cairo_paint");
  decltype(&cairo_new_path) new_path = find(library, "cairo_new_path");
  decltype(&cairo_move_to) move_to = find(library, "cairo_move_to");
  decltype(&cairo_line_to) line_to = find(library, "cairo_line_to");
  decltype(&cairo_arc) arc = find(library, "cairo_arc");
  decltype(&cairo_close_path) close_path = find(library, "cairo_close_path");
  decltype(&cairo_fill_preserve) fill = find(library, "cairo_fill_preserve");
  decltype(&cairo_stroke_preserve) stroke = find(library, "cairo_stroke_preserve");
  decltype(&cairo_select_font_face) font = find(library, "cairo_select_font_face");
  decltype(&cairo_set_font_size) font_size = find(library, "cairo_set_font_size");
  decltype(&cairo_font_options_create) options = find(library, "cairo_font_options_create");
  decltype(&cairo_font_options_destroy) options_destroy =
      find(library, "cairo_font_options_destroy");
  decltype(&cairo_font_options_set_hint_style) hint_style =
      find(library, "cairo_font_options_set_hint_style");
  decltype(&cairo_font_options_set_hint_metrics) hint_metrics =
      find(library, "cairo_font_options_set_hint_metrics");
  decltype(&cairo_set_font_options) use_options = find(library, "cairo_set_font_options");
  decltype(&cairo_text_extents) text_extents = find(library, "cairo_text_extents");
  decltype(&cairo_text_path) text_path = find(library, "cairo_text_path");
  decltype(&cairo_show_text) show_text = find(library, "cairo_show_text");
};

namespace {

/// One surface with its context, while something is drawn on it.
template <typename Library>
class Pencil {
public:
  Pencil(const Library& cairo, cairo_surface_t* surface)
      : c_(cairo), surface_(surface), context_(cairo.create(surface)) {
    cairo_font_options_t* options = c_.options();
    c_.hint_style(options, CAIRO_HINT_STYLE_NONE); // so that letters are as wide on all surfaces
    c_.hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    c_.use_options(context_, options);
    c_.options_destroy(options);
    c_.line_join(context_, CAIRO_LINE_JOIN_ROUND);
  }

  ~Pencil() {
    c_.destroy(context_);
    c_.surface_destroy(surface_);
  }

  Pencil(const Pencil&) = delete;
  Pencil& operator=(const Pencil&) = delete;

  cairo_surface_t* surface() { return surface_; }

  double width(const Text& text) {
    use_font(text);
    cairo_text_extents_t extents{};
    c_.text_extents(context_, text.text.c_str(), &extents);
    return extents.x_advance;
  }

  void draw(const Scene& scene, double scale) {
    c_.scale(context_, scale, scale);
    use_colour(paper);
    c_.paint(context_);
    for (const Part& part : scene.parts)
      std::visit([this](const auto& one) { this->draw(one); }, part);
    check(c_.status(context_));
  }

  /// What is still held back is written; nothing can be drawn any more.
  void finish() { c_.surface_finish(surface_); }

  void check(cairo_status_t status) const {
    if (status != CAIRO_STATUS_SUCCESS)
      throw Error(fmt::format("cannot draw: {}", c_.status_text(status)));
  }

private:
  void use_colour(const Colour& colour) {
    c_.colour(context_, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
              colour.opacity);
  }

  void use_font(const Text& text) {
    c_.font(context_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
            text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    c_.font_size(context_, text.size);
  }

  void ink_path(const std::optional<Colour>& fill, const std::optional<Pen>& pen) {
    if (fill) {
      use_colour(*fill);
      c_.fill(context_);
    }
    if (pen) {
      use_colour(pen->colour);
      c_.line_width(context_, pen->width);
      c_.dash(context_, pen->dash.data(), static_cast<int>(pen->dash.size()), 0);
      c_.stroke(context_);
    }
    c_.new_path(context_);
  }

  void outline(const std::vector<Point>& places, bool closed) {
    for (const Point& one : places)
      c_.line_to(context_, one.x, one.y);
    if (closed)
      c_.close_path(context_);
  }

  void draw(const Shape& shape) {
    outline(shape.places, shape.closed);
    ink_path(shape.fill, shape.pen);
  }

  void draw(const Mark& mark) {
    const double x = mark.at.x, y = mark.at.y, r = mark.size / 2;
    switch (mark.symbol) {
    case Symbol::circle:
      c_.arc(context_, x, y, r, 0, 2 * std::numbers::pi);
      c_.close_path(context_);
      break;
    case Symbol::square:
      outline({{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}}, true);
      break;
    case Symbol::triangle:
      outline({{x, y - r}, {x + r, y + r}, {x - r, y + r}}, true);
      break;
    case Symbol::diamond:
      outline({{x, y - 1.2 * r}, {x + 1.2 * r, y}, {x, y + 1.2 * r}, {x - 1.2 * r, y}}, true);
    }
    ink_path(mark.fill, mark.pen);
  }

  void draw(const Text& text) {
    const double before =
        text.anchor == Anchor::start ? 0 : width(text) * (text.anchor == Anchor::middle ? 0.5 : 1);
    use_font(text);
    c_.save(context_);
    c_.translate(context_, text.at.x, text.at.y);
    c_.rotate(context_, text.angle);
    if (text.halo) {
      c_.move_to(context_, -before, 0);
      c_.text_path(context_, text.text.c_str());
      ink_path({}, Pen{paper, 2.5});
    }
    use_colour(text.colour);
    c_.move_to(context_, -before, 0);
    c_.show_text(context_, text.text.c_str());
    c_.new_path(context_);
    c_.restore(context_);
  }

  const Library& c_;
  cairo_surface_t* surface_;
  cairo_t* context_;
};

} // namespace

Drawing::Drawing() : cairo_(std::make_unique<Cairo>()) {
}

TextWidth Drawing::width_of() const {
  const auto pencil =
      std::make_shared<Pencil<Cairo>>(*cairo_, cairo_->image_surface(CAIRO_FORMAT_A8, 1, 1));
  return [pencil](const Text& text) { return pencil->width(text); };
}

std::string Drawing::svg(const Scene& scene) const {
  std::string text;
  Pencil pencil(*cairo_, cairo_->svg_surface(append, &text, scene.width, scene.height));
  pencil.draw(scene, 1);
  pencil.finish();
  return told(std::move(text), scene);
}

std::string Drawing::png(const Scene& scene, double scale) const {
  std::string bytes;
  const auto pixels = [&](double points) { return static_cast<int>(std::ceil(points * scale)); };
  Pencil pencil(*cairo_, cairo_->image_surface(CAIRO_FORMAT_RGB24, pixels(scene.width),
                                               pixels(scene.height)));
  pencil.draw(scene, scale);
  pencil.check(cairo_->write_png(pencil.surface(), append, &bytes));
  return bytes;
}

#else

struct Drawing::Cairo {};

Drawing::Drawing() {
  throw Error(
      "cannot draw: this Gridsmith was built without Cairo (package libcairo2-dev); install "
      "it and configure the build again");
}

TextWidth Drawing::width_of() const {
  return {};
}

std::string Drawing::svg(const Scene&) const {
  return "";
}

std::string Drawing::png(const Scene&, double) const {
  return "";
}

#endif

Drawing::~Drawing() = default;
Drawing::Drawing(Drawing&&) noexcept = default;
Drawing& Drawing::operator=(Drawing&&) noexcept = default;

} // namespace gridsmith
