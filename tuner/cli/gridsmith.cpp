// SPDX-License-Identifier: Apache-2.0
// gridsmith: the command line. Links nothing of CUDA; starts on any machine in milliseconds.
#include "gridsmith/tuner/cli/program.hpp"

int main(int count, char** words) {
  return gridsmith::run_program(count, words);
}
