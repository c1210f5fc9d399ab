#!/usr/bin/env bash
# message_layer.sh - the message layer alone is built, installed and used on a system that has a compiler, an MPI,
# libatomic_ops and meson, and no more: the system `messages` of test/systems.sh.
. "$(dirname "$0")/../support/shell.sh"

what="the message layer on a bare system"
if [ "${SCREE_TEST_FULL:-0}" != 1 ]; then
  skipped "$what" "with --full alone it makes a root of Debian"
  finish
elif [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  skipped "$what" "test/systems.sh needs root and debootstrap"
  finish
fi
SCREE_SYSTEMS=$tmp/systems test/systems.sh messages | tee "$tmp/said"
if grep -q "the root could not be made" "$tmp/said"; then
  skipped "$what" "no root of Debian can be made here"
  finish
fi
for part in packages "meson install" "the program of README.md"; do
  check "$what, $part" grep -q "^systems: messages, $part: passed" "$tmp/said"
done
finish
