# shellcheck shell=bash
# Counts the results of a step of .ci/run. `.ci/count.bash --try` tests it with sample logs.

# The only permitted excuse for skipped checks: no Docker engine can be started, unless CONTAINERS is `required`. The other line is that of the tests, which start
# no engine; the step `containers` does.
readonly OF_TESTS='NOT TRIED: topics, registry and transactions on Kafka in a container'
readonly WITHOUT_ENGINE='NOT TRIED: .*no Docker engine can be started here: .'

# count_step STATUS LOG: prints "PASSED FAILED". The counts are in the last line of the log; without counts, the step counts as one. A step fails if it
# counts nothing, or skips a check without that excuse. A step that has only an excuse neither passes nor fails.
count_step() {
  local status=$1 log=$2 counts good=1 bad=0 untried excuse="$OF_TESTS|$WITHOUT_ENGINE"
  [ "${CONTAINERS:-}" != required ] || excuse="${OF_TESTS}[.]"
  counts=$(tail -n 1 "$log")
  untried=$(grep -E '(^|[^[:alnum:]])NOT TRIED: ' "$log" | grep -cvE "$excuse" || true)
  if [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    good=${BASH_REMATCH[1]}
    bad=${BASH_REMATCH[2]}
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then bad=1; fi
  elif [ "$status" -ne 0 ]; then
    good=0
    bad=1
  elif grep -qE "$excuse" "$log"; then
    good=0
  fi
  printf '%d %d\n' "$good" $((bad + untried))
}

# name | exit code | log, "/" between lines | expected | CONTAINERS
count_cases() {
  cat <<'TABLE'
a step without counts | 0 | done | 1 0
a step that fails | 1 | done | 0 1
a step that counts | 0 | a/7 passed, 0 failed | 7 0
a step that counts failures | 1 | a/7 passed, 2 failed | 7 2
a step that fails elsewhere | 1 | a/7 passed, 0 failed | 7 1
a step that counts nothing | 0 | 0 passed, 0 failed | 0 1
no engine and nothing else | 0 | NOT TRIED: Kafka; no Docker engine can be started here: no permission | 0 0
no engine among other checks | 0 | passed  a/NOT TRIED: the image; no Docker engine can be started here: no permission/12 passed, 0 failed | 12 0
no engine and no reason | 0 | NOT TRIED: Kafka; no Docker engine can be started here: | 1 1
no chart | 0 | NOT TRIED: the packaged chart; helm is missing/12 passed, 0 failed | 12 1
no compose | 0 | NOT TRIED: compose; there is no docker compose | 1 1
a skipped test | 0 | claimstream: skipped tests: 1/NOT TRIED: pods as processes. Run this test as root/90 passed, 0 failed | 90 1
a required engine and nothing else | 0 | NOT TRIED: Kafka; no Docker engine can be started here: no permission | 1 1 | required
a required engine for Kafka | 0 | NOT TRIED: topics, registry and transactions on Kafka in a container; no Docker engine can be started here: a | 1 1 | required
a required engine among other checks | 0 | NOT TRIED: the image; no Docker engine can be started here: no permission/12 passed, 0 failed | 12 1 | required
the container test of the tests, required | 0 | NOT TRIED: topics, registry and transactions on Kafka in a container./90 passed, 0 failed | 90 0 | required
the container test of the tests | 0 | NOT TRIED: topics, registry and transactions on Kafka in a container./90 passed, 0 failed | 90 0
TABLE
}

try_counts() {
  local name status log expected CONTAINERS found passed=0 failed=0 file
  file=$(mktemp)
  while IFS='|' read -r name status log expected CONTAINERS; do
    CONTAINERS=${CONTAINERS# }
    expected=${expected# }
    expected=${expected% }
    log=${log# }
    tr / '\n' <<<"${log% }" >"$file"
    found=$(count_step "$((status))" "$file")
    if [ "$found" = "$expected" ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      printf 'FAILED  %s: counted as %s, expected %s\n' "$name" "$found" "$expected"
    fi
  done < <(count_cases)
  rm -f "$file"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}

if [ "${BASH_SOURCE[0]}" = "$0" ] && [ "${1:-}" = --try ]; then
  set -euo pipefail
  try_counts
fi
