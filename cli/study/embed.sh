#!/bin/sh
# embed.sh - prints a file as a C array.
#   embed.sh NAME FILE          the bytes of FILE as array NAME, followed by a 0
set -eu
echo "static const unsigned char $1[] = {"
od -An -v -tx1 "$2" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
echo "0};"
