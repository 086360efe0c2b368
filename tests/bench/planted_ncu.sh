#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a check of two files of ncu makes of planted slow-downs. Needs a GPU, ncu and permission to count.
#   planted_ncu.sh BUILD/bin/gridsmith [LAUNCHES]
# EXTRA is in blocks of a thousand that work twice; PLANT as in tests/gpu/check/planted.cu.
set -euo pipefail
gridsmith=$(realpath "$1") launches=${2:-20}
kernel=$(realpath "$(dirname "$0")/../gpu/check")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$kernel"/planted.cu .

# profile EXTRA PLANT ROUNDS FILE
profile() {
  sed -e "s/-DEXTRA=0/-DEXTRA=$1/" -e "s/-DPLANT=0/-DPLANT=$2/" "$kernel/planted.json" >planted.json
  eval "$("$gridsmith" run planted.json --configuration "ROUNDS=$3" --launches "$launches" --print-command ncu)" >ncu.log 2>&1 ||
    { cat ncu.log; exit 1; }
  mv planted.ncu.csv "$4"
}

for rounds in 1 64; do
  profile 0 0 $rounds old.csv
  for plant in "0 0" "30 0" "50 0" "100 0" "200 0" "0 1" "0 2" "0 3"; do
    profile $plant $rounds new.csv
    printf 'rounds %-3s EXTRA PLANT %s: ' "$rounds" "$plant"
    { "$gridsmith" check --ncu old.csv --ncu new.csv || true; } 2>&1 | head -n 12
  done
done
