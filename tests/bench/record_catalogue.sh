#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the catalogue on this machine's first GPU: what is not recorded yet, kernel by kernel, each at its first size, with
# the counters of the sets default and shared, at most 10 samples, nothing pruned early. From the root; needs a GPU, no ncu beside it.
#   tests/bench/record_catalogue.sh [--seconds S] [--sample N] [--sizes all] [--again] [--store FILE] [--archive FILE.tar] [KERNEL…]
# --seconds S   at most so long for a kernel and size (60). Configurations come in random order, so what is missing then is
#               no particular part of the space; the same command goes on with it where the store is kept
# --sample N    of a larger space a random sample of N (1000)
# --sizes all   every size of the definition
# --again       also what is recorded
# --store FILE  where measurements are kept meanwhile (record.db)
# --archive     each recording is also added to this tar file as soon as it is there
set -uo pipefail
seconds=60 sample=1000 sizes=first again= store=record.db archive=
gridsmith=${GRIDSMITH:-build/bin/gridsmith} catalogue=kernels/catalogue
while [[ ${1:-} == --* ]]; do
  case $1 in
    --again) again=yes; shift; continue ;;
    --seconds) seconds=$2 ;;
    --sample) sample=$2 ;;
    --sizes) sizes=$2 ;;
    --store) store=$2 ;;
    --archive) archive=$(realpath -m "$2") ;;
    *) echo "unknown option '$1'" >&2; exit 2 ;;
  esac
  shift 2 || exit 2
done

# "NVIDIA H200" -> h200
device=$("$gridsmith" devices --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p' | head -1 |
  sed 's/^NVIDIA //' | tr 'A-Z ' 'a-z_')
[ -n "$device" ] || { echo "no GPU: 'gridsmith doctor' says why" >&2; exit 3; }

# sizes_of KERNEL: its problem sizes, one a line.
sizes_of() {
  "$gridsmith" kernels --json | python3 -c '
import json, sys
for kernel in json.load(sys.stdin):
    if kernel["kernel"] == sys.argv[1]:
        print("\n".join(kernel["problem_sizes"]))' "$1"
}

[ $# -gt 0 ] || set -- $("$gridsmith" kernels --json | sed -n 's/.*"kernel": *"\([^"]*\)".*/\1/p')
failed=0
for kernel; do
  for size in $(sizes_of "$kernel" | { [ "$sizes" = all ] && cat || sed -n 1p; }); do
    file=$kernel/recordings/${size}__$device.json.gz
    [ -z "$again" ] && [ -e "$catalogue/$file" ] && continue
    mkdir -p "$catalogue/$kernel/recordings"
    start=$(date +%s.%N)
    # A minute more than it may take: start and end are not counted.
    timeout $((seconds + 60)) "$gridsmith" tune "$kernel" --size "$size" --strategy random --evaluations "$sample" \
      --seconds "$seconds" --counters default,shared --full --samples 10 --store "$store" --record "$catalogue/$file.new.gz" --json --quiet \
      >"$store.answer" 2>"$store.notes"
    code=$?
    took=$(date +%s.%N | awk -v start="$start" '{ printf "%.1f", $1 - start }')
    if [ $code -ne 0 ] || ! [ -s "$catalogue/$file.new.gz" ]; then
      echo "$kernel $size: failed with $code after $took s: $(tail -1 "$store.notes")"
      rm -f "$catalogue/$file.new.gz"
      rmdir --ignore-fail-on-non-empty "$catalogue/$kernel/recordings"
      failed=1
      continue
    fi
    mv "$catalogue/$file.new.gz" "$catalogue/$file"
    [ -z "$archive" ] || tar -rf "$archive" -C "$catalogue" "$file"
    rows=$(zcat "$catalogue/$file" | grep -c '^{"values"')
    wrong=$(zcat "$catalogue/$file" | grep '^{"values"' | grep -vc '"status":"correct"')
    echo "$kernel $size: $rows configurations, $wrong of them not correct, $(stat -c %s "$catalogue/$file") bytes, $took s"
  done
done
rm -f "$store.answer" "$store.notes"
exit $failed
