// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/verifier.hpp"

namespace verifier_test {

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

/// One round as the judged launches make it.
std::size_t round(FakeWorkspace& workspace, const Candidates& candidates,
                  Occasion which = Occasion::first) {
  Verifier verifier(workspace, candidates, Verification::kernel, which);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    verifier.prepare(i);
    workspace.launch(i, *candidates[i]->kernel);
    verifier.launched(i);
  }
  return verifier.settle();
}

} // namespace

TEST_CASE("an answer is judged before the next launch is prepared") {
  Calls calls;
  FakeWorkspace workspace(calls);
  FakeBatch batch({{}, {.wrong = true}, {}}, calls);
  CHECK(round(workspace, batch.candidates()) == 3);
  CHECK(calls == Calls{"begin 3", "prepare 0", "launch A", "judge 0", "prepare 1", "launch B",
                       "judge 1", "prepare 2", "launch C", "judge 2", "read"});
  CHECK_FALSE(batch[0].failed);
  CHECK(batch[0].execution.verification == Verification::kernel);
  CHECK(batch[1].failed);
  CHECK(batch[1].execution.status == Status::correctness);
  CHECK(batch[1].execution.reason == "element 3 is 7");
  CHECK(batch[1].execution.verification == Verification::kernel);
  CHECK_FALSE(batch[2].failed);
}

TEST_CASE("damage is repaired and settles nobody behind it") {
  Calls calls;
  FakeWorkspace workspace(calls);
  FakeBatch batch({{.ms = 4}, {.damages = true}, {.ms = 2}}, calls);
  CHECK(round(workspace, batch.candidates()) == 2);
  CHECK(calls.back() == "repair");
  CHECK(batch[1].execution.reason == "wrote past the end");
  CHECK_FALSE(batch[2].failed); // though its answer was wrong
  CHECK(batch[2].execution.spent.gpu_ms == 2);
  CHECK(batch[0].first_ms == 4.0);
}

TEST_CASE("what could not be launched is not judged and has been compared with nothing") {
  Calls calls;
  FakeWorkspace workspace(calls);
  FakeBatch batch({{}}, calls);
  const Candidates candidates = batch.candidates();
  Verifier verifier(workspace, candidates, Verification::kernel, Occasion::first);
  verifier.prepare(0);
  fail(*candidates[0], Status::runtime, "refused");
  verifier.launched(0);
  CHECK(verifier.settle() == 1);
  CHECK(calls == Calls{"begin 1", "prepare 0", "read"});
  CHECK(batch[0].execution.status == Status::runtime);
  CHECK(batch[0].execution.verification == Verification::none);
}

TEST_CASE("what was timed is compared again, and says so") {
  Calls calls;
  FakeWorkspace workspace(calls);
  FakeBatch batch({{.ms = 2, .overwritten_ms = 5}, {.right_until = 1}, {}}, calls);
  Candidates candidates = batch.candidates();
  CHECK(round(workspace, candidates) == 3);
  CHECK_FALSE(batch[0].execution.compared_after);
  calls.clear();
  CHECK(round(workspace, candidates, Occasion::again) == 3);
  CHECK(calls.at(1) == "overwrite 0");
  CHECK(batch[0].execution.compared_after);
  CHECK(batch[0].first_ms == 2.0); // the order of timing is that of the first launches
  CHECK(batch[0].again_ms == 5.0);
  CHECK(batch[1].execution.status == Status::correctness);
  CHECK(batch[1].execution.reason == "wrong when launched again: element 3 is 7");
  CHECK_FALSE(batch[1].execution.compared_after);
}

TEST_CASE("damage after timing is blamed on who does it again") {
  Calls calls;
  FakeWorkspace workspace(calls);
  FakeBatch batch({{}, {}}, calls);
  workspace.damaged_before = true; // a pruned one did it, say
  CHECK(round(workspace, batch.candidates(), Occasion::again) == 0);
  CHECK(calls.back() == "repair");
  CHECK_FALSE(batch[0].failed);
  CHECK(round(workspace, batch.candidates(), Occasion::again) == 2);
  CHECK(batch[0].execution.compared_after);
  FakeBatch guilty({{.damages = true}}, calls);
  CHECK(round(workspace, guilty.candidates(), Occasion::again) == 0);
  CHECK(round(workspace, guilty.candidates(), Occasion::again) == 1);
  CHECK_THAT(guilty[0].execution.reason, contains_text("wrote past the end"));
}

TEST_CASE("where nothing is compared nothing was compared again") {
  Calls calls;
  FakeWorkspace workspace(calls);
  FakeBatch batch({{}}, calls);
  const Candidates candidates = batch.candidates();
  Verifier verifier(workspace, candidates, Verification::none, Occasion::again);
  verifier.prepare(0);
  workspace.launch(0, *candidates[0]->kernel);
  verifier.launched(0);
  CHECK(verifier.settle() == 1);
  CHECK_FALSE(batch[0].execution.compared_after);
}

TEST_CASE("what outputs are compared with") {
  const auto by = [](const ReferenceWork& reference, bool output = true) {
    OpenWork work;
    work.arguments.emplace_back().buffer.emplace().output = output;
    work.reference = reference;
    return verification_by(work);
  };
  ReferenceWork kernel, host, file;
  kernel.kernel = Launchable{};
  host.element = {{"out", "i"}};
  file.expected = {1};
  CHECK(by({}) == Verification::none);
  CHECK(by(host) == Verification::host);
  CHECK(by(file) == Verification::file);
  CHECK(by(kernel) == Verification::kernel);
  CHECK(by(kernel, false) == Verification::none);
  kernel.default_configuration = true;
  CHECK(by(kernel) == Verification::default_configuration);
  kernel.kernel.reset(); // given up
  CHECK(by(kernel) == Verification::none);
}

} // namespace verifier_test
