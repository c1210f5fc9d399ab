#!/bin/sh
# embed.sh - makes a file part of a program.
#   embed.sh NAME FILE          prints C: the bytes of FILE as array NAME, with a 0 behind them
#
# Room: od and sed, which every system has.
set -eu
echo "static const unsigned char $1[] = {"
od -An -v -tx1 "$2" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
echo "0};"
