// SPDX-License-Identifier: Apache-2.0
// The verdict as a page that loads nothing and runs nothing: a browser shows it, and mail carries it.
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/judge/candidate_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gridsmith {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 b { padding: 0 .4em; border-radius: .2em; color: #fff; }
.accepted { background: #1a7f37; } .rejected { background: #b42318; }
.undecided, .suspicious { background: #8a6100; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8886; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td svg { display: block; }
)css";

std::string shown(std::string_view text) {
  return html_escaped(printable(text));
}

std::string cell(std::string_view text, bool number = false) {
  return fmt::format("<td{}>{}</td>", number ? " class=\"n\"" : "", shown(text));
}

std::string gates_table(const CandidateVerdict& verdict) {
  std::string html = "<table>\n<tr><th>gate</th><th>state</th><th>code</th><th>why</th></tr>\n";
  for (const GateFinding& one : verdict.gates)
    html += fmt::format("<tr>{}{}{}{}</tr>\n", cell(to_text(one.gate)), cell(to_text(one.state)),
                        cell(one.code), cell(one.text));
  return html + "</table>\n";
}

/// Both times, the longer one over the whole width.
std::string bars(const PairedTime& time) {
  constexpr double width = 200;
  const double most = std::max({time.old_ms, time.new_ms, 1e-12});
  return fmt::format(
      "<td><svg width=\"{0:.0f}\" height=\"16\" role=\"img\" aria-label=\"incumbent above, candidate "
      "below\"><rect width=\"{1:.1f}\" height=\"7\" fill=\"#888\"/><rect y=\"9\" width=\"{2:.1f}\" "
      "height=\"7\" fill=\"#2f6fde\"/></svg></td>",
      width, width * time.old_ms / most, width * time.new_ms / most);
}

std::string sizes_table(const CandidateVerdict& verdict) {
  std::string rows;
  for (const CheckCase& one : verdict.sizes)
    if (one.time)
      rows += fmt::format(
          "<tr>{}{}{}{}{}{}{}</tr>\n", cell(one.problem), cell(number_text(one.time->old_ms), true),
          cell(number_text(one.time->new_ms), true), bars(*one.time),
          cell(fmt::format("{:.3f}", 1 / one.time->ratio), true),
          cell(fmt::format("{:.3f} to {:.3f}", 1 / one.time->high, 1 / one.time->low), true),
          cell(to_text(one.verdict)));
  if (rows.empty())
    return "";
  return "<h2>Times</h2>\n<table>\n<tr><th>size</th><th class=\"n\">incumbent, ms</th><th class=\"n\">candidate, "
         "ms</th><th>incumbent (grey), candidate</th><th class=\"n\">times as fast</th><th class=\"n\">interval</th><th></th></tr>\n" +
         rows + "</table>\n";
}

/// All sizes' differences, each once.
std::string differences(const CandidateVerdict& verdict) {
  std::string html;
  for (const CheckCase& one : verdict.sizes) {
    if (one.changes.empty() && one.helps.empty())
      continue;
    html += "<h3>" + shown(one.problem) + "</h3>\n<ul>\n";
    for (const std::string& change : one.changes)
      html += "<li>" + shown(change) + "</li>\n";
    html += "</ul>\n";
    if (!one.helps.empty())
      html += "<p>What would help most: " + shown(one.helps) + ".</p>\n";
  }
  return html.empty() ? "" : "<h2>What differs</h2>\n" + html;
}

} // namespace

std::string candidate_verdict_page(const CandidateVerdict& verdict) {
  const std::string ruling(to_text(verdict.ruling()));
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}: {1}</title>\n<style>{2}</style>\n"
      "</head>\n{3}\n<h1>{1} <b class=\"{0}\">{0}</b></h1>\n",
      ruling, shown(verdict.kernel), style, verdict_page_mark);
  html += fmt::format("<p>{} against {} on {}, {}, {:.1f} s</p>\n", shown(verdict.candidate),
                      shown(verdict.incumbent),
                      verdict.device.empty() ? "no device" : shown(verdict.device),
                      shown(verdict.date), verdict.seconds);
  if (const auto speedup = verdict.speedup(); speedup.likely > 0)
    html += fmt::format("<p>{:.3f} times as fast ({:.3f} to {:.3f}), the mean of all sizes</p>\n",
                        speedup.likely, speedup.low, speedup.high);
  html += gates_table(verdict) + sizes_table(verdict) + differences(verdict);
  for (const std::string& note : verdict.notes)
    html += "<p>" + shown(note) + "</p>\n";
  return html + "</body>\n</html>\n";
}

} // namespace gridsmith
