#!/bin/sh
# village.sh - makes village.gr, the road network that the project ships: sh examples/village.sh >examples/village.gr
#
# Room: the map as a program, so that anyone can see that it was made up, and make the same again.
#
# 400 crossings on a 20 by 20 grid, 110 m apart on average and shaken; a river between columns 10 and 11 that only
# three bridges cross; a quarter of the other streets left out, but never so that a crossing is cut off; a bypass of
# long stretches around the north. Every road goes both ways, as two arcs of the same length in metres. Random
# numbers are those of Park and Miller (CACM 1988), which fit an awk's numbers exactly.
exec awk '
function random() { seed = (16807 * seed) % 2147483647; return seed / 2147483647 }
function root(v) { while (parent[v] != v) v = parent[v] = parent[parent[v]]; return v }
function bridge(r) { return r == 3 || r == 9 || r == 16 }
function metres(a, b, winding) { return int(winding * sqrt((x[a] - x[b]) ^ 2 + (y[a] - y[b]) ^ 2) + 0.5) }
function candidate(a, b, open) { m++; from[m] = a; to[m] = b; want[m] = open }
function build(k) { built[k] = 1; roads++; parent[root(from[k])] = root(to[k]) }
BEGIN {
  seed = 20260; side = 20
  for (r = 0; r < side; r++)
    for (c = 0; c < side; c++) {
      v = r * side + c + 1
      x[v] = 110 * c + 60 * (random() - 0.5) + (c > 10 ? 90 : 0)
      y[v] = 110 * r + 60 * (random() - 0.5)
      parent[v] = v
    }
  for (r = 0; r < side; r++)
    for (c = 0; c < side; c++) {
      v = r * side + c + 1
      if (c + 1 < side && (c != 10 || bridge(r))) candidate(v, v + 1, c == 10 || random() < 0.75)
      if (r + 1 < side) candidate(v, v + side, random() < 0.75)
    }
  for (c = 0; c + 5 < side; c += 5) candidate(c + 1, c + 6, 1)
  for (k = 1; k <= m; k++) if (want[k]) build(k)
  for (k = 1; k <= m; k++) if (!built[k] && root(from[k]) != root(to[k])) build(k)
  print "c village.gr: a made-up village, by examples/village.sh. Lengths in metres, every road both ways."
  print "p sp", side * side, 2 * roads
  for (k = 1; k <= m; k++)
    if (built[k]) {
      d = metres(from[k], to[k], to[k] - from[k] == 5 ? 1.02 : 1.05 + 0.2 * random())
      print "a", from[k], to[k], d
      print "a", to[k], from[k], d
    }
}'
