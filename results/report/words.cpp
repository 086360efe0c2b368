// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/words.hpp"

#include <array>

namespace gridsmith {
namespace {

constexpr auto words = std::to_array<ExplainedWord>({
    {"parameter", "one tunable: a name and its allowed values"},
    {"configuration", "one value per parameter"},
    {"constraint", "an expression over parameters, device and problem size that must hold"},
    {"problem size", "the extents of the work, in elements"},
    {"launch geometry", "grid in blocks, block in threads, dynamic shared memory in bytes"},
    {"work model",
     "the FLOPs and the least bytes that the algorithm needs, not what the hardware moved"},
    {"device", "the GPU that it was measured on"},
    {"peak", "what the device was measured to reach"},
    {"measurement", "what happened to one configuration"},
    {"status", "correct, or why it failed: constraints, compile, runtime, correctness, timeout"},
    {"counter", "what the hardware counted during one launch"},
    {"metric", "what is derived from counters, times and facts"},
    {"strategy", "what proposed the configurations, in this order"},
    {"conditions", "whatever changes the meaning of a time: cache state, clocks, sampling"},
    {"default", "the configuration that the kernel's definition names"},
    {"best", "the configuration chosen among those with the lowest time"},
    {"tied", "its interval overlaps that of the fastest"},
    {"interval", "contains the median time with a probability of 95 %, if the samples are "
                 "independent"},
    {"pruned early", "timing was stopped because it could not become the best"},
    {"verified", "the output was compared with that of a reference"},
    {"finals", "the best ones measured again, in turn, so that drift hits all alike"},
    {"occupancy", "warps on a multiprocessor in percent of the most it holds"},
    {"predicted occupancy", "what registers, shared memory and block size allow"},
    {"achieved occupancy", "warps that were there while it ran, on average"},
    {"limiter", "what keeps more blocks from a multiprocessor"},
    {"sector", "32 bytes, the least that caches and memory move"},
    {"request", "one load or store of a warp"},
    {"sectors per request",
     "4 for a coalesced warp of 4-byte elements, up to 32 for a scattered one"},
    {"effective bandwidth", "bytes of the work model by the time"},
    {"DRAM throughput", "bytes counted at the DRAM by the time"},
    {"bank conflict", "lanes of a warp wait for one another at a bank of shared memory"},
    {"roofline", "what bandwidth and arithmetic allow at each intensity"},
    {"arithmetic intensity", "FLOPs per byte moved"},
    {"excess", "how much slower than the best of all, in percent of it"},
    {"importance", "share of the variance of log time that a parameter, or a pair, explains"},
    {"loss", "time of the chosen configuration / best time of that size; 1 is no loss"},
    {"spilled", "registers that the compiler had to keep in memory"},
    {"drift", "times that change over the samples, by clocks or temperature"},
});

} // namespace

std::span<const ExplainedWord> report_words() {
  return words;
}

} // namespace gridsmith
