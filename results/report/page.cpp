// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/page.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/report/page_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

std::string text_of(const Ordered& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string title_of(const Ordered& set) {
  return fmt::format("{} {} on {}{}", text_of(set, "kernel"), text_of(set, "problem"),
                     text_of(set.at("device"), "name"),
                     set.value("replayed", false) ? ", replayed" : "");
}

std::string page_title(const Ordered& model) {
  const Ordered& sets = model.at("sets");
  const std::string first = title_of(sets.front());
  return sets.size() == 1 ? first : fmt::format("{} and {} more", first, sets.size() - 1);
}

std::string row_html(const char* cell, const std::vector<std::string>& texts) {
  std::string html = "<tr>";
  for (const std::string& text : texts)
    html += fmt::format("<{}>{}</{}>", cell, html_escaped(text), cell);
  return html + "</tr>\n";
}

/// One line per set, where there are several.
std::string overview_html(const Ordered& sets) {
  std::string html =
      "<table>\n" + row_html("th", {"kernel", "problem", "device", "tried", "best (ms)"});
  for (const Ordered& set : sets) {
    const Ordered& answer = set.at("answer");
    html += row_html("td", {text_of(set, "kernel"), text_of(set, "problem"),
                            text_of(set.at("device"), "name"), set.at("rows").dump(),
                            answer.contains("time_ms") ? number_text(answer["time_ms"]) : ""});
  }
  return html + "</table>\n";
}

std::string ranking_html(const Ordered& ranking, bool confirmed) {
  std::string html = "<table>\n" + row_html("th", {"", "time (ms)", "interval (ms)", "/ best"});
  const double best = ranking.front().at("time_ms");
  std::size_t place = 0;
  for (const Ordered& one : ranking) {
    const bool tied = one.at("tied");
    ++place;
    html += row_html("td", {!confirmed   ? std::to_string(place)
                            : place == 1 ? "best"
                            : tied       ? "tied"
                                         : std::to_string(place),
                            number_text(one.at("time_ms")),
                            number_text(one.at("low_ms")) + " to " + number_text(one.at("high_ms")),
                            fmt::format("{:.3f}", one.at("time_ms").get<double>() / best)});
  }
  return html + "</table>\n";
}

/// What stands there before, and without, any script.
std::string answer_html(const Ordered& model) {
  const Ordered& sets = model.at("sets");
  std::string html = "<h1>" + html_escaped(page_title(model)) + "</h1>\n";
  if (sets.size() > 1)
    html += overview_html(sets);
  for (const Ordered& set : sets) {
    html += "<h2>" + html_escaped(title_of(set)) + "</h2>\n";
    for (const Ordered& sentence : set.at("answer").at("sentences"))
      html += "<p>" + html_escaped(sentence.get<std::string>()) + "</p>\n";
    if (const Ordered& ranking = set.at("answer").at("ranking"); !ranking.empty())
      html += ranking_html(ranking, text_of(set.at("answer"), "not_confirmed_because").empty());
  }
  return html;
}

using Fillings = std::map<std::string_view, std::string, std::less<>>;

/// In one pass: what is filled in is not looked at again.
std::string filled(std::string_view page, const Fillings& fillings) {
  std::string out;
  while (true) {
    const auto begin = page.find("{{");
    out += page.substr(0, begin);
    if (begin == page.npos)
      return out;
    page.remove_prefix(begin + 2);
    const auto end = page.find("}}");
    out += fillings.at(page.substr(0, end)); // embed_page.mjs has seen that there are no others
    page.remove_prefix(end + 2);
  }
}

} // namespace

bool has_report_page() {
  return !page_text().html.empty();
}

std::string packed_model(const Ordered& model) {
  return base64_of(gzip_of(json_text(model)));
}

std::string report_policy(bool live) {
  return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; "
                     "connect-src {}; base-uri 'none'; form-action 'none'",
                     policy_hash(page_text().script), policy_hash(page_text().style),
                     live ? "'self'" : "'none'");
}

std::string report_page(const Ordered& model, std::string_view events) {
  if (!has_report_page())
    throw Error(std::string(no_report_page));
  const PageText& text = page_text();
  return filled(text.html, {{"title", html_escaped(page_title(model))},
                            {"policy", html_escaped(report_policy(!events.empty()))},
                            {"style", std::string(text.style)},
                            {"answer", answer_html(model)},
                            {"data", packed_model(model)},
                            {"script", std::string(text.script)},
                            {"notices", std::string(text.notices)},
                            {"live", html_escaped(events)}});
}

} // namespace gridsmith
