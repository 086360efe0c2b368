#!/usr/bin/env bash
# Sets up a fresh Debian 12 or Ubuntu 24.04 machine and does one of two things:
#   ./gridsmith.sh tune [ARGUMENTS]   installs, builds and tunes the transpose kernel (or what ARGUMENTS say)
#   ./gridsmith.sh test [ARGUMENTS]   installs, builds and runs all tests (ARGUMENTS go to ctest)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(g++ cmake ninja-build catch2 libcli11-dev libeigen3-dev libfmt-dev libgmp-dev libseccomp-dev libsqlite3-dev
  libssl-dev nlohmann-json3-dev zlib1g-dev)

usage() {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}

# Only what is missing is installed, so a prepared machine needs neither root nor a network.
install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

build() {
  local toolkit=${CUDA_PATH:-/usr/local/cuda}
  [ -x "$toolkit/bin/nvcc" ] && PATH="$toolkit/bin:$PATH"
  cmake --preset release >build.log 2>&1 || { cat build.log >&2; exit 1; }
  grep -- '-- Gridsmith' build.log >&2 || true
  cmake --build --preset release "$@" >>build.log 2>&1 || { tail -n 60 build.log >&2; exit 1; }
}

case ${1:-} in
tune)
  shift
  install_packages
  build
  [ $# -gt 0 ] || set -- transpose --exhaustive
  exec build/bin/gridsmith tune "$@"
  ;;
test)
  shift
  install_packages
  build
  exec ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" "$@"
  ;;
*) usage ;;
esac
