// SPDX-License-Identifier: Apache-2.0
// Words that nothing that people read has: a dialect for which the field has other words. Command names, JSON keys
// and outputs are not read.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace gridsmith::test {

inline const char* const glossary =
    "beside|told|foretold|foretell|somebody|nobody|whoever|everybody|believe[sd]?|believing|beliefs?|"
    "promise[sd]?|wish(es|ed)?|walls?|doors?|patience|patient|rivals?|the way there|set aside|mend(s|ed)?|"
    "anchors?|twins?|hope(s|d|less)?|(give|gives|gave|given|giving) up|put(s|ting)? off|guilty|guilt|"
    "blame[sd]?|rooms?|usual|(is|are) said|of what|of one that|has it|anew|of now";

/// The words of the glossary in a passage, each with the passage.
inline std::vector<std::string> dialect_in_passage(const std::string& passage) {
  static const std::regex words("(^|[^\\w-])(" + std::string(glossary) + ")(?![\\w-])",
                                std::regex::icase);
  std::vector<std::string> found;
  for (std::sregex_iterator at(passage.begin(), passage.end(), words), end; at != end; ++at)
    found.push_back((*at)[2].str() + ": " + passage);
  return found;
}

} // namespace gridsmith::test
