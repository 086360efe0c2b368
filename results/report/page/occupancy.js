// SPDX-License-Identifier: Apache-2.0
// How many blocks an SM holds: the rules of metrics/device/occupancy.cpp, for the curves. The limits are the report's.

const roundUp = (value, unit) => Math.ceil(value / unit) * unit;

function byRegisters(limits, registers, warps) {
  if (!(registers > 0)) return Infinity;
  if (registers > limits.max_registers_per_thread) return 0;
  const warp = roundUp(registers * limits.warp_size, limits.register_granularity);
  if (warp * roundUp(warps, limits.sub_partitions) > limits.registers_per_block) return 0;
  return Math.floor(
    (Math.floor(limits.registers_per_sm / limits.sub_partitions / warp) * limits.sub_partitions) / warps,
  );
}

function byShared(limits, bytes) {
  const reserved = limits.reserved_shared_bytes_per_block;
  const block = roundUp(bytes + reserved, limits.shared_unit);
  if (block > limits.shared_bytes_per_block_optin + reserved) return 0;
  return block === 0 ? Infinity : Math.floor(limits.shared_bytes_per_sm / block);
}

/** @param shared bytes per block, static and dynamic. @return { percent, blocks, limiter } */
export function occupancy(limits, threads, registers, shared) {
  const warps = Math.ceil(threads / limits.warp_size);
  const most = limits.max_threads_per_sm / limits.warp_size;
  if (threads < 1 || threads > limits.max_threads_per_block) return { percent: 0, blocks: 0, limiter: 'warps' };
  const all = [
    ['registers', byRegisters(limits, registers, warps)],
    ['shared memory', byShared(limits, shared)],
    ['warps', Math.floor(most / warps)],
    ['blocks', limits.max_blocks_per_sm],
  ];
  const [limiter, blocks] = all.reduce((least, one) => (one[1] < least[1] ? one : least));
  return { percent: (100 * blocks * warps) / most, blocks, limiter };
}

/** What a row is launched with; null where something is not known, or less shared memory is wanted than the curves have. */
export function launchOf(set, row) {
  if (set.fact('shared_carveout_percent')?.known(row)) return null;
  const at = (name) => set.fact(name)?.numbers[row] ?? NaN;
  const launch = {
    threads: at('threads_per_block'),
    registers: at('registers'),
    shared: set.fact('shared_bytes') ? at('shared_bytes') : 0,
  };
  return Object.values(launch).some(Number.isNaN) ? null : launch;
}
