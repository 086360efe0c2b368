// Words of the command line that are more than a name or a number.
#pragma once

#include "gridsmith/base/value.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// What to write beside the answer.
struct WriteWish {
  std::string format, file;
};

/// "csv=FILE". @throws InputError: another form, or a format that we do not write.
WriteWish write_from_text(const std::string& text);

/// "9.0" -> 90. @throws InputError
int capability_from_text(const std::string& text);

/// "A=1,B=2" or "A=1 B=2", values matched to those of the parameters. @throws InputError
Configuration configuration_from_text(const std::string& text,
                                      const std::vector<Parameter>& parameters);

} // namespace gridsmith
