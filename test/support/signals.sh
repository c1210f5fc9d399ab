# signals.sh - what a signal must end; sourced by one.sh, mutants.sh, dev and .ci/run.

# ---- a command that is waited for ----

child=
# attended COMMAND...: runs it and returns its code; INT, TERM and HUP (see on_signals) end it before this shell
attended() {
  local rc=0
  "$@" </dev/null &
  child=$!
  wait $child || rc=$?
  child=
  return $rc
}
end_child() {
  [ -n "$child" ] || return 0
  kill -TERM $child 2>/dev/null || :
  wait $child 2>/dev/null || :
}

# on_signals COMMAND: what to do before INT, TERM or HUP ends this shell; it gets the signal's name
on_signals() {
  local signal
  for signal in INT TERM HUP; do trap "trap '' INT TERM HUP; $1 $signal; trap - $signal; kill -$signal \$\$" $signal; done
}

# ---- many programs, in process groups of their own ----

# What is started by `env $mark=1 COMMAND...`, and its descendants, have the mark in their environment.
mark=STARTED_BY_$$
started() { grep -lsz "^$mark=1$" /proc/[0-9]*/environ | cut -d/ -f3 || :; }
# end_started: ends them, by force after 5 s
end_started() {
  local i
  kill -TERM $(started) 2>/dev/null || :
  for i in $(seq 150); do
    [ -n "$(started)" ] || return 0
    if [ "$i" -gt 50 ]; then kill -KILL $(started) 2>/dev/null || :; fi
    sleep 0.1
  done
}
