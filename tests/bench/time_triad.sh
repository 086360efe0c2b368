#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seconds of whole commands where the reference is a formula of 33,554,432 elements and the launches take some
# milliseconds: tune without and with counters, baseline save, check with nothing changed and with a slower kernel.
# Needs a GPU.
#   time_triad.sh BUILD/bin/gridsmith [TIMES]
set -euo pipefail
gridsmith=$(realpath "$1") times=${2:-5}
kernel=$(realpath "$(dirname "$0")/triad")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$kernel"/triad.* .

# seconds NAME COMMAND...: the command's seconds, TIMES times; a check that fails is one too.
seconds() {
  local name=$1 begun ended all=()
  shift
  for ((i = 0; i < times; ++i)); do
    begun=$(date +%s%N)
    "$@" >last.log 2>&1 || { (($? == 1)) && [[ $name == *slower* ]]; } || { cat last.log; exit 1; }
    ended=$(date +%s%N)
    all+=("$(awk "BEGIN { printf \"%.2f\", ($ended - $begun) / 1e9 }")")
  done
  printf '| %s | %s |\n' "$name" "${all[*]}"
}

save() {
  rm -rf gridsmith-baseline.*
  "$gridsmith" baseline save triad.json --with-cubins
}

printf '| command | seconds, one run after the other |\n|---|---|\n'
seconds 'tune, no counters' "$gridsmith" tune triad.json --counters none --no-store
seconds 'tune, default counters' "$gridsmith" tune triad.json --no-store
seconds 'baseline save' save
seconds 'check, nothing changed' "$gridsmith" check triad.json
# One element of c in 32 is read twice.
sed -i 's/a\[i\] = b\[i\] + s \* c\[i\];/a[i] = b[i] + s * c[i] + (i % 32 ? 0.0f : 0.0f * c[n - 1 - i]);/' triad.cu
seconds 'check, slower' "$gridsmith" check triad.json
