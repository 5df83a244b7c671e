# shellcheck shell=bash
# Runs Maven and counts the results of its tests. Sourced; adds to the caller's variables passed, failed and skipped.

# Adds up the reports in every module's target/$1, and shows the output of failed tests.
count_reports() {
  local report sums
  sums=$(find . -path "*/target/$1/TEST-*.xml" -exec awk '
    function number(name) { return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3) + 0 : 0 }
    /<testsuite / { t += number("tests"); f += number("failures") + number("errors"); s += number("skipped") }
    END { print t + 0, f + 0, s + 0 }' {} + | awk '{ t += $1; f += $2; s += $3 } END { print t + 0, f + 0, s + 0 }')
  read -r report_tests report_failed report_skipped <<<"$sums"
  passed=$((passed + report_tests - report_failed - report_skipped))
  failed=$((failed + report_failed))
  skipped=$((skipped + report_skipped))
  echo "$report_tests tests, $report_failed failed, $report_skipped skipped"
  find . -path "*/target/$1/TEST-*ContractTest.xml" -exec grep -o '<testsuite .*' {} + |
    sed -E 's/.* name="([^"]*[.])?([^".]*)ContractTest".* tests="([0-9]+)".* errors="([0-9]+)".* failures="([0-9]+)".*/  transport contract of \2: \3 tests, errors \4, failures \5/' | sort
  echo "slowest classes:"
  find . -path "*/target/$1/TEST-*.xml" -exec grep -oh '<testsuite .*' {} + |
    sed -E 's/.* name="([^"]*[.])?([^".]*)".* time="([0-9.]+)".*/\3 s  \2/' | sort -rn | head -n 10 | sed 's/^/  /'
  while read -r report; do
    report=${report%.xml}-output.txt
    report=${report/TEST-/}
    if [[ -s $report ]]; then
      echo "--- end of $report"
      tail -n 60 "$report"
    fi
  done < <(find . -path "*/target/$1/TEST-*.xml" -exec grep -lE '<(failure|error)[ >]' {} +)
}

# maven ARGUMENT...: runs Maven to the end, even if a module fails.
maven() {
  # sed removes the colour reset that Maven 3.8 prints at the end, even if it has set no colours.
  mvn -B -q -ntp -fae -Dstyle.color=never "$@" 2>&1 9>&- | sed -u $'s/\e\\[[0-9;]*m//g'
}

# The process groups that end with this shell; empty if there are none.
beside='' foreground=''
trap end_groups EXIT

end_groups() {
  local group
  for group in $beside $foreground; do
    kill -TERM -- "-$group" 2>/dev/null || true
    kill -CONT -- "-$group" 2>/dev/null || true # a stopped process ends only after it has been resumed
  done
}

# start_beside FILE COMMAND...: starts a command or function, and writes its output to a file. Its processes form a
# separate group, which does not receive the Ctrl-C of a terminal. The group therefore ends with this shell.
start_beside() {
  local file=$1
  shift
  set -m
  "$@" >"$file" 2>&1 &
  beside=$!
  set +m
}

# Waits for the end of the command that start_beside has started, and returns its exit code.
wait_beside() {
  local code=0
  wait "$beside" || code=$?
  beside=
  return "$code"
}

# run_in_group COMMAND...: runs a command or function, and returns its exit code. Its processes form a separate group,
# because a command in the foreground would outlive this shell if only the shell received a signal.
run_in_group() {
  local code=0
  set -m
  "$@" &
  foreground=$!
  set +m
  wait "$foreground" || code=$?
  foreground=
  return "$code"
}

# tests REPORTS MAVEN_ARGUMENT...: runs Maven and counts the results. Fails if Maven fails, even if no test has failed.
tests() {
  local reports=$1 code=0
  shift
  find . -path "*/target/$reports" -prune -exec rm -rf {} +
  run_in_group maven -T 3 -Dtest.reports="$reports" "$@" || code=$?
  count_reports "$reports"
  if ((code != 0 && report_failed == 0)); then
    failed=$((failed + 1))
  fi
  ((code == 0 && report_failed == 0))
}
