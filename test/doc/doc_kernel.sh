#!/usr/bin/env bash
# doc_kernel.sh - the kernel of CONTRIBUTING.md is the one that is compiled, and the command line shows and runs it.
# Its row test/kernels/row_in_degree.c makes it one of the kernels that all tests of kernels run.
. "$(dirname "$0")/../support/shell.sh"

# page NAME: the block of code that the page calls NAME
page() { sed -n "/^\`\`\`c $1\$/,/^\`\`\`\$/p" CONTRIBUTING.md | sed '1d;$d'; }
same() { diff <(page "$1") "test/kernels/$1"; }
check "the kernel is the page's" same in_degree.c

scree=$BUILD/test/scree_in_degree
lists() { "$scree" --help | grep -qE '^ +in-degree +arcs that lead to each vertex$'; }
check "the command line lists it" lists
helps() { "$scree" in-degree --help | grep -qE '^ +messages +one message for each arc$'; }
check "its help lists the variant" helps
runs() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$scree" in-degree path:5 --validate --output - | diff - "$tmp/expected"; }
printf '%s\t%s\n' 0 1 1 2 2 2 3 2 4 1 >"$tmp/expected"
check "it runs" runs
finish
