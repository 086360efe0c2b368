#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# device_code.sh NVCC CATALOGUE PLANS: compiles each kernel that the plans of an H200 launch, once, for three generations.
set -eu
nvcc=$1 catalogue=$2 plans=$3
"$plans" | cut -f 1,3 | sort -u | while IFS="$(printf '\t')" read -r kernel options; do
  echo "$kernel $options"
  # shellcheck disable=SC2086 # words
  "$nvcc" -fatbin -o /dev/null --threads 0 $options "$catalogue/$kernel/$kernel.cu" \
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_120,code=sm_120
done
