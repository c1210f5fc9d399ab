#!/usr/bin/env bash
# cli_usage.sh - the command line from outside, where no job runs: launchers, hints, help.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

scree=$BUILD/scree

# gives TEXT COMMAND...: it succeeds and prints the text
gives() {
  local text=$1
  shift
  "$@" >"$tmp/said" 2>&1 && grep -qF -- "$text" "$tmp/said" && return
  cat "$tmp/said"
  return 1
}

# ---- launchers: one rank is a plain process, whoever started it

echo '{"scree_sweep":1,"title":"","plan":"","words":{},"started":"","steps":0}' >"$tmp/none.jsonl"
for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE PMIX_SIZE MV2_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS FLUX_JOB_SIZE; do
  check "report as the only process of a launcher, $variable" gives "none.jsonl" \
    env $variable=1 PMIX_RANK=0 "$scree" report "$tmp/none.jsonl"
  check "report as one of several, $variable" refuses 2 "as one of 2 ranks ($variable)" \
    env $variable=2 "$scree" report "$tmp/none.jsonl"
done
check "a plan within an allocation" gives "Runs: " env SLURM_NTASKS=8 PMI_SIZE=1 PMI_RANK=0 \
  "$scree" sweep --scale 8 --dry-run --results "$tmp/new.jsonl"

finish
