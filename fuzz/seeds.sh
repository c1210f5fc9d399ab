#!/usr/bin/env bash
# seeds.sh DIR - writes the initial inputs of a fuzzer into DIR/KIND; of graphs: a format (scree_graph_format), options, a file.
#
# There is one small file per feature of a reader. one_input.h defines kinds, and bytes 0 and 1.
set -eu
dir=$1/graph
mkdir -p "$1/graph" "$1/options" "$1/sources"
n=0

# seed FORMAT OPTIONS TEXT: both numbers octal, TEXT a format of printf; plain, gzip, and if available zstd in one frame and two
seed() {
  local file
  n=$((n + 1))
  file=$dir/seed$(printf %02d $n)
  printf "\\$1\\$2$3" >"$file"
  case $1 in 0 | 1 | 2 | 3 | 10) printf "\\$(printf %o $((8#$1 + 135)))\\$2$3" >"$file.members" ;; esac
  { printf "\\$1\\$2"; printf "$3" | gzip -9n; } >"$file.gz"
  command -v zstd >/dev/null || return 0
  { printf "\\$1\\$2"; printf "$3" | zstd -q; } >"$file.zst"
  { printf "\\$1\\$2"; printf "$3" | head -c 9 | zstd -q; printf "$3" | tail -c +10 | zstd -q; } >"$file.frames"
}

seed 0 1 '# comment\n1 2\n2 3\n\n3 1\n'                    # directed edges, by content
seed 0 2 '5\t7\r\n7\t9\r\n9 9\r\n'                         # undirected
seed 2 34 '1 2 0.5\n2 3 17\n3 1 1e-3\n'                    # --columns 1,2,3
seed 2 4 '0 3\n4 1 9 9\n'                                  # --base 0
seed 2 7 '1 3\n4294967296 1\n'                             # --base 1
seed 2 1 '9223372036854775807 0\n18446744073709551615 1\n' # the largest id, and one too large
seed 2 1 'src dst\n1 2\n'
seed 2 1 '5\n1 2\n'
seed 2 1 '5 5 4\n1 2\n2 3\n3 4\n4 1\n'
seed 2 1 '\357\273\2771 2\n2 3\n'                             # a byte order mark
seed 2 67 '# c\nfrom to\n1 2\n'                             # --header
seed 2 155 '1;a b;2\n2 ; 3;\n3;;4\n'                        # --separator
seed 2 243 'x\n// y\n4 4\n1 2\n2 3\n3 4\n4 1\n'             # --skip-lines 1 --comment // --first-line edge
seed 2 1 '3 5\n10 20\n20 30\n30 10\n20 10\n30 20\n'        # counts vertices and edges
seed 2 1 '1\t2\t\t"a\tb"\n2\t\t3\n'                         # tabs, an empty field, quotes
seed 2 34 '"1","2",.5\n3,"4",,\n"",1\n'                      # commas, quotes
seed 2 1 '1 2\t\t3\n007 1\n'                              # two tabs, leading zeros
seed 0 1 '1 2 3 4\n2 1 3\n3 1 2\n4 1\n'                      # adjacency lists
seed 0 2 '1 2 3\n2 1 3\n3 1 2\n'
seed 0 1 '# 1\n2 5\n3 5\n# 2\n3 5\n'                        # LGL
seed 0 67 ',source,target\n0,1,2\n'                         # an index in front
seed 0 1 '\377\3761\0 \0002\0'                               # UTF-16
seed 0 0 'c\np sp 3 2\na 1 2 7\na 3 1 0\n'
seed 1 0 'p sp 4 1\na 4 4 12.5\n'
seed 1 0 'p sp 1099511627776 1\na 1 2 3\n'
seed 0 0 '%%%%MatrixMarket matrix coordinate pattern general\n%% c\n3 3 2\n1 2\n3 3\n'
seed 0 0 '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 2e1\n'
seed 3 2 '%%%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n'
seed 3 0 '%%%%MatrixMarket matrix array complex hermitian\n2 2\n'
seed 4 2 '\1\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0' # Graph500 tuples
seed 0 0 '\211scree\r\n\4\3\2\1\1\0\0\0'                    # the start of an image
seed 6 0 '\0\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' # .sg
seed 7 2 '\1\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0' # .wsg
# packed FORMAT OPTIONS WORD...: bytes in hexadecimal, zN: N zero bytes
packed() {
  local word text=''
  for word in "${@:3}"; do
    case $word in z*) text+=$(printf '\\0%.0s' $(seq "${word#z}")) ;; *) text+=$(sed 's/../\\x&/g' <<<"$word") ;; esac
  done
  seed "$1" "$2" "$text"
}
# Images without their gaps (one_input.h): one part; two parts; labels without weights.
packed 203 0 z24 03 z7 02 z7 04 z7 01 z13 1c40 z8 01 z7 02 z7 04 z15 01 z7 03 z7 04 z7 01 z7 02 z3 01 z51 05 z3 05 z3 07 z3 07 z3
packed 225 0 z24 03 z7 02 z7 04 z7 01 z13 1c4001 z7 01 z7 01 z7 03 z7 01 z15 01 z7 03 z7 01 z3 02 z59 05 z3 07 z3 05 z11 01 z7 01 z63 07 z3
packed 203 0 z24 03 z7 02 z7 02 z7 0a z13 f03f z12 05 z3 02 z7 02 z7 0a z7 14 z7 46 z15 01 z7 02 z7 02 z7 01 z3 02 z59
seed 10 0 '%%%% c\n3 2\n2\n1 3\n2\n'
seed 10 0 '2 1 111 2\n5 1 1 2 7\n5 1 1 1 7\n'
# The last of five ranks has no line. What it counts of the lines before is not the first fault.
seed 10 0 '%%et(m\2\t 2\t\t3\n007 \t\t3\n\t 2\nt!rn general\n%%:\0\n3 3 2\n1 2\n3 3\n'
seed 0 1 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n'
seed 0 1 '<!DOCTYPE html>\n'
seed 0 1 ''

# text KIND TEXT
text() {
  n=$((n + 1))
  printf "$2" >"${dir%/graph}/$1/seed$n"
}
text options '\0coalesce-bytes = 4K # c\n\n# d\nmemory=64M\nalgorithm = delta\ndelta = 2.5\n'
text options '\1validate = on\nsources = 3\nroute = ring\r\nin-flight = 3\nranks = auto\n'
text options '\4plan = on\nmemory = 18446744073709551616\n'
text sources '\0001 2\t3\n\n# c\n4,5\n18446744073709551616\n'
