#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up a fresh Debian 12 or Ubuntu 24.04 machine and does one of two things:
#   ./gridsmith.sh tune [ARGUMENTS]   installs, builds and tunes the transpose
#                                     kernel (or what ARGUMENTS say)
#   ./gridsmith.sh test [ARGUMENTS]   installs, builds and runs all tests
#                                     (ARGUMENTS go to ctest)
# The program is then build/bin/gridsmith; build.log has what the build said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(g++ cmake ninja-build libcairo2-dev libcli11-dev libcpp-httplib-dev libeigen3-dev libfmt-dev libgmp-dev
  libseccomp-dev libsqlite3-dev libssl-dev nlohmann-json3-dev zlib1g-dev)
command -v pkg-config >/dev/null || packages+=(pkg-config)
# For the report's page. A node that came another way brings its npm along.
command -v npm >/dev/null || packages+=(nodejs npm)

usage() {
  sed -n '3,8s/^# //p' gridsmith.sh
}

die() {
  printf 'gridsmith.sh: %s\n' "$@" >&2
  exit 1
}

# Only what is missing is installed, so a prepared machine needs neither root nor a network.
install_packages() {
  command -v dpkg-query >/dev/null || return 0 # another system: CMake says what is missing
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=() by_hand="apt-get install --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "packages are missing, and installing them needs root. Let root do this, then start again:" "$by_hand"
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  # Lists that are there may do where the network does not.
  "${as_root[@]}" apt-get update -qq >&2 || echo "gridsmith.sh: the package lists could not be fetched; trying with those that are there" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null ||
    die "packages could not be installed (no network, or no rights?). Once they can, do this, then start again:" "$by_hand"
}

# Compilers at once: as many as there are cores, and as the memory holds at 0.8 GB each, the most that one of ours takes.
compilers_at_once() {
  local cores memory limit most
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
  most=$((${memory:-800000} / 800000))
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  [[ $limit =~ ^[0-9]+$ ]] && [ $((limit / 800000000)) -lt "$most" ] && most=$((limit / 800000000))
  [ "$most" -lt "$cores" ] && cores=$most
  echo $((cores > 0 ? cores : 1))
}

# Ninja's "[12/345] …" as one line that moves on a terminal, else as a line every 15 seconds; all of it to build.log.
show_progress() {
  local line steps all left=0 began=$SECONDS said=$SECONDS moving=
  [ -t 2 ] && [ "${TERM:-dumb}" != dumb ] && moving=1
  while IFS= read -r line; do
    printf '%s\n' "$line" >>build.log
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    steps=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    [ "$steps" -gt 0 ] && left=$(((SECONDS - began) * (all - steps) / steps))
    if [ -n "$moving" ]; then
      printf '\r\033[KBuilding: [%d/%d], about %d s left' "$steps" "$all" "$left" >&2
    elif [ $((SECONDS - said)) -ge 15 ]; then
      printf 'Building: [%d/%d], about %d s left\n' "$steps" "$all" "$left" >&2
      said=$SECONDS
    fi
  done
  [ -z "$moving" ] || printf '\r\033[K' >&2
}

# A tree that was moved or copied brings the build of another folder along.
forget_other_folder() {
  local home
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' build/CMakeCache.txt 2>/dev/null || true)
  if [ -n "$home" ] && [ "$home" != "$PWD" ]; then
    echo "build/ was made for $home; it is configured anew" >&2
    rm -rf build/CMakeCache.txt build/CMakeFiles
  fi
}

# configure CMAKE_ARGUMENTS...
configure() {
  local toolkit=${CUDA_PATH:-/usr/local/cuda}
  [ -x "$toolkit/bin/nvcc" ] && PATH="$toolkit/bin:$PATH"
  # Several sources as one: a fifth sooner built, though more of it again after a change.
  cmake --preset release -DCMAKE_UNITY_BUILD=ON "$@" >build.log 2>&1 || {
    cat build.log >&2
    die "it could not be configured; where build/ is of another machine or compiler, remove build/ and start again"
  }
  grep -- '-- Gridsmith' build.log >&2 || true
}

# build TARGETS...
build() {
  local all=$* begun=$SECONDS
  cmake --build --preset release -j "$(compilers_at_once)" ${all:+--target} "$@" 2>&1 | show_progress || {
    tail -n 60 build.log >&2
    die "the build failed; all of its output is in $PWD/build.log"
  }
  [ $((SECONDS - begun)) -lt 5 ] || echo "Built in $((SECONDS - begun)) s" >&2
}

case ${1:-} in
tune)
  shift
  install_packages
  forget_other_folder
  # Tests are half of a whole build, and not needed here; where they are built already, they stay.
  tests=$(grep -qs '^GRIDSMITH_TESTS:BOOL=ON' build/CMakeCache.txt && echo ON || echo OFF)
  configure -DGRIDSMITH_TESTS="$tests"
  build gridsmith gridsmith_pages
  [ $# -gt 0 ] || set -- transpose --exhaustive
  exec build/bin/gridsmith tune "$@"
  ;;
test)
  shift
  packages+=(catch2 python3-numpy)
  # For gridsmith-mpi; another MPI serves as well.
  command -v mpicc >/dev/null || packages+=(libopenmpi-dev openmpi-bin)
  # Ubuntu's is for desktops alone: there the browser's tests are shown as skipped.
  if grep -qs '^ID=debian' /etc/os-release; then packages+=(chromium); fi
  install_packages
  forget_other_folder
  configure
  build
  # One more than there are cores: many of them wait for programs.
  exec ctest --test-dir build --output-on-failure --no-tests=error -j "$(($(nproc) + 1))" "$@"
  ;;
-h | --help | help) usage ;;
'')
  usage >&2
  exit 2
  ;;
*)
  echo "gridsmith.sh: unknown word '$1' (valid: tune, test, --help)" >&2
  exit 2
  ;;
esac
