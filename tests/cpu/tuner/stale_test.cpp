// SPDX-License-Identifier: Apache-2.0
// Nothing stale: the whole way with the real compiler and the fake worker. Whatever a compilation
// reads decides whether records and compiled code serve again.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <cstdlib>

namespace stale_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A kernel of two configurations, tuned again and again.
class House {
public:
  /// @param name so that no two of them find each other's code in the cache
  House(const std::string& name, const std::string& first_lines, const std::string& options) {
    static const test::Folder cache; // of all, for the worker's own code
    ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    fs::copy_file(GRIDSMITH_BINARY_DIR "/tests/fake_worker", folder() / "gridsmith-worker");
    fs::create_symlink(GRIDSMITH_PROGRAMS_DIR "/gridsmith-compiler",
                       folder() / "gridsmith-compiler");
    kernel_ = test::write_kernel(folder(), "k", 2);
    put("k.cu", first_lines + " // " + name +
                    "\nextern \"C\" __global__ void k(float* out) {\n"
                    "  out[threadIdx.x] = X + F;\n}\n");
    std::ifstream in(kernel_);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string after = "\"KernelName\": \"k\",";
    text.replace(text.find(after), after.size(), after + "\"CompilerOptions\": [" + options + "],");
    test::write(kernel_, text);
  }

  const fs::path& folder() const { return folder_.path(); }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / name).parent_path());
    test::write(folder() / name, text);
  }

  TuningResult tune(bool stored = true) const {
    SessionSettings settings{.kernel = kernel_.string()};
    settings.strategy = "exhaustive";
    if (stored)
      settings.store = folder() / "store.db";
    settings.helpers.compilers = 1;
    settings.finals.most = 0;
    settings.helpers.installation.programs = folder();
    return Session(settings).run().at(0).result;
  }

  /// Compiled and measured now.
  void expect_fresh() const {
    const TuningResult fresh = tune();
    CHECK(fresh.reused == 0);
    REQUIRE(fresh.measurements.size() == 2);
    for (const Measurement& one : fresh.measurements) {
      INFO(one.reason);
      CHECK(one.correct());
      CHECK(one.spent.compile_ms > 0);
    }
  }

  /// By the store, and without it by the cache.
  void expect_known() const {
    CHECK(tune().reused == 2);
    for (const Measurement& one : tune(false).measurements)
      CHECK(one.spent.compile_ms == 0);
  }

private:
  test::Folder folder_;
  fs::path kernel_;
};

} // namespace

TEST_CASE("a header that changes is compiled and measured again, however it is included") {
  struct Form {
    const char *name, *lines, *options, *header, *beside, *beside_text;
  };

  for (const Form& form : {
           Form{"quotes", "#include \"a.h\"", "", "a.h", "", ""},
           Form{"brackets", "#include <a.h>", "", "a.h", "", ""},
           Form{"nested", "#include \"inc/o.h\"", "", "inc/a.h", "inc/o.h", "#include \"a.h\"\n"},
           Form{"folder", "#include <deep/a.h>", "\"-Iinc\"", "inc/deep/a.h", "", ""},
           Form{"folder as next word", "#include <a.h>", "\"-I\", \"inc\"", "inc/a.h", "", ""},
           Form{"pre-include", "", "\"--pre-include=a.h\"", "a.h", "", ""},
           Form{"macro", "#define H \"a.h\"\n#include H", "", "a.h", "", ""},
           Form{"macro in folder", "#define H <deep/a.h>\n#include H", "\"-Iinc\"", "inc/deep/a.h",
                "", ""},
           Form{"option", "#include H", "\"-DH=\\\"a.h\\\"\"", "a.h", "", ""},
           Form{"comments", "#/**/include/**/\"a.h\"", "", "a.h", "", ""},
           Form{"continuation", "#include \\\n  \"a.h\"", "", "a.h", "", ""},
       }) {
    INFO(form.name);
    const House house(form.name, form.lines, form.options);
    if (*form.beside)
      house.put(form.beside, form.beside_text);
    house.put(form.header, "#define F 2\n");
    house.expect_fresh();
    house.put(form.header, "#define F 3\n");
    house.expect_fresh();
    CHECK(house.tune().reused == 2);
  }
}

TEST_CASE("a new header earlier on the path, or one that is only asked for, is noticed") {
  const House house("path",
                    "#include <a.h>\n"
                    "#if __has_include(\"optional.h\")\n#define G 1\n#else\n#define G 0\n#endif\n"
                    "#define F (E + G)",
                    "\"-Ione\", \"-Itwo\"");
  house.put("two/a.h", "#define E 2\n");
  house.expect_fresh();
  house.put("one/a.h", "#define E 3\n");
  house.expect_fresh();
  house.put("optional.h", "");
  house.expect_fresh();
  house.expect_known();
}

TEST_CASE("a tuning warns of a __constant__ variable that nothing fills") {
  const auto warning = [](const std::string& values) {
    const House house(
        "constants", "__constant__ float table[2]" + values + ";\n#define F table[threadIdx.x % 2]",
        "");
    return house.tune().evaluator.unfilled_constants;
  };
  CHECK(warning(" = {1, 2}") == std::nullopt);
  CHECK_THAT(warning("").value_or(""),
             contains_text("nothing fills the __constant__ variable table of the source"));
}

} // namespace stale_test
