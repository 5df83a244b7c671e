#!/usr/bin/env bash
# Smoke test: runs the demo from the command line, over TCP and over RDMA or with the given arguments. Fails if the demo
# loses, duplicates, reorders or corrupts messages, or if a garbage collection pauses one of its processes for 5 ms or
# longer. $SMOKE_LIMIT_S limits the duration of a demo in seconds.
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export ROCKETBUFS_JAVA_OPTS="${ROCKETBUFS_JAVA_OPTS:-} -Xlog:gc:file=$logs/%p.log"

# demo ARGUMENT...: runs the demo for a short time, and checks its last line.
demo() {
  local code=0 output result field
  output=$(timeout "${SMOKE_LIMIT_S:-120}" "$home/bin/rbmq" demo --warmup 1s --duration 3s --json "$@" </dev/null) || code=$?
  if ((code != 0)); then
    printf '%s\n' "$output"
    echo "rbmq demo $* exited with $code"
    exit 1
  fi
  result=${output##*$'\n'}
  for field in lost duplicated reordered corrupted; do
    if [[ ! $result =~ \"$field\"[[:space:]]*:[[:space:]]*0[[:space:]]*[,}] ]]; then
      printf '%s\n' "$output"
      echo "rbmq demo $*: $field is not 0 in its last line"
      exit 1
    fi
  done
  if [[ ! $result =~ \"delivered_per_s\"[[:space:]]*:[[:space:]]*[0-9.]*[1-9] ]]; then
    printf '%s\n' "$output"
    echo "rbmq demo $* delivered nothing"
    exit 1
  fi
  if [[ -z $(ls "$logs") ]] || grep -hE ' Pause .* ([5-9]|[0-9]{2,})[.][0-9]+ms$' "$logs"/*; then
    echo "rbmq demo $*: a garbage collection took 5 ms or longer, or no log was written"
    exit 1
  fi
  printf '%s\n' "$result"
}

# Runs in a folder outside the project, as a user may do.
cd /
if (($# > 0)); then
  demo "$@"
else
  demo
  demo --set rocketbufs.transport=rdma --set rocketbufs.rdma.provider=tcp
fi
