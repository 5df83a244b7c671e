#!/usr/bin/env bash
# Smoke test. Without arguments, runs RBMQ's demo over each transport, and rocketlog's demo with the defaults. With
# arguments, runs both demos with these arguments, and rocketlog's demo in each mode. Fails if a demo loses, duplicates,
# reorders or corrupts messages or records, or if rocketlog's producers cannot use the mode. Also fails if a garbage
# collection pauses one of RBMQ's processes for 5 ms or longer in each of several runs. The duration of a demo is limited
# to $SMOKE_LIMIT_S seconds.
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export ROCKETBUFS_JAVA_OPTS="${ROCKETBUFS_JAVA_OPTS:-} -Xlog:gc:file=$logs/%p.log"

# run PROGRAM FIELD ARGUMENT...: runs a program's demo briefly, and checks its last line, in which FIELD must be positive.
run() {
  local code=0 output result fault program=$1 field=$2
  shift 2
  output=$(timeout "${SMOKE_LIMIT_S:-300}" "$home/bin/$program" demo --warmup 1s --duration 2s --json "$@" </dev/null) || code=$?
  if ((code != 0)); then
    printf '%s\n' "$output"
    echo "$program demo $* exited with $code"
    exit 1
  fi
  result=${output##*$'\n'}
  for fault in lost duplicated reordered corrupted; do
    if [[ ! $result =~ \"$fault\"[[:space:]]*:[[:space:]]*0[[:space:]]*[,}] ]]; then
      printf '%s\n' "$output"
      echo "$program demo $*: $fault is not 0 in its last line"
      exit 1
    fi
  done
  if [[ ! $result =~ \"$field\"[[:space:]]*:[[:space:]]*[0-9.]*[1-9] ]]; then
    printf '%s\n' "$output"
    echo "$program demo $*: $field is not positive"
    exit 1
  fi
  printf '%s\n' "$result"
}

# demo ARGUMENT...: runs RBMQ's demo, and checks the pauses of its processes. On a busy machine, other programs may use
# the processor during a pause, so the demo runs again after a long pause.
demo() {
  local attempt
  for attempt in 1 2 3 4 5; do
    rm -f "$logs"/*
    run rbmq delivered_per_s "$@"
    if [[ -z $(ls "$logs") ]]; then
      echo "rbmq demo $*: no garbage collection log was written"
      exit 1
    fi
    if ! grep -hE ' Pause .* ([5-9]|[0-9]{2,})[.][0-9]+ms$' "$logs"/*; then
      return
    fi
  done
  echo "rbmq demo $*: a garbage collection took 5 ms or longer in each of $attempt runs"
  exit 1
}

# Runs in a folder outside the project, as it might for a user.
cd /
if (($# > 0)); then
  demo "$@"
  for mode in private exclusive shared; do
    run rocketlog consumed_per_s --mode "$mode" "$@"
  done
else
  demo
  demo --set rocketbufs.transport=rdma --set rocketbufs.rdma.provider=tcp
  demo --set rocketbufs.transport=shm
  run rocketlog consumed_per_s
fi
