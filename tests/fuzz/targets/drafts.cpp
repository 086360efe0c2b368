// SPDX-License-Identifier: Apache-2.0
// A source of which definitions are drafted: a token is where it is said to be, and a drafted
// definition is JSON that names the kernel, or the source is refused with a reason.
#include "gridsmith/kernels/draft/device_part.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/kernels/draft/struct_types.hpp"
#include "gridsmith/kernels/syntax/rewriting.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::drafts {

void run(const std::uint8_t* bytes, std::size_t count) {
  const std::string text(text_of(bytes, count));
  const auto bundle = make_bundle({"k.cu", text});
  const ReadSource source(bundle);
  std::size_t done = 0;
  for (const Token& token : source.tokens) {
    require(token.at >= done && !token.text.empty(), "a token is nowhere");
    done = token.at + token.text.size();
    require(text.compare(token.at, token.text.size(), token.text) == 0, "a token is elsewhere");
  }
  for (const KernelSignature& kernel : source.kernels)
    answered([&] {
      const KernelChoice choice = choice_of(source, kernel);
      const Draft draft = draft_of(source, kernel, choice, std::nullopt, "k.cu");
      require(draft.json["KernelSpecification"]["KernelName"] == choice.name, "another kernel");
      device_part(*bundle);
      rewritten(bundle, choice.rewritten);
      for (const KernelParameter& parameter : kernel.parameters)
        struct_types(source.tokens, parameter.type, {{"N", 4}});
    });
  types_of_probe(text);
}

} // namespace gridsmith::fuzz::drafts
