// SPDX-License-Identifier: Apache-2.0
// The page's occupancy curves follow the C++ calculator: at each row's point they give its predicted occupancy.
import { RowSet } from '../../results/report/page/columns.js';
import { launchOf, occupancy } from '../../results/report/page/occupancy.js';
import { modelOf } from './reports.mjs';

export async function checkOccupancy({ check, reports }) {
  const { sets } = await modelOf(reports.all);
  let [compared, wrong] = [0, 0];
  for (const raw of sets) {
    const set = new RowSet(raw);
    const predicted = set.fact('predicted_occupancy');
    for (let row = 0; predicted && row < set.rows; ++row) {
      const launch = launchOf(set, row);
      if (!launch || !predicted.known(row)) continue;
      ++compared;
      const { percent } = occupancy(set.occupancy_limits, launch.threads, launch.registers, launch.shared);
      if (Math.abs(percent - predicted.numbers[row]) > 1e-3) ++wrong;
    }
  }
  check(
    compared > 2000 && wrong === 0,
    `occupancy of ${compared} launches is what the calculator says, of ${wrong} it is not`,
  );
}
