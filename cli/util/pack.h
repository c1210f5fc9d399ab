/* pack.h - a stream that packs what is written to it, by gzip or zstd. */
#ifndef CLI_PACK_H
#define CLI_PACK_H
#include <stdio.h>

/* A stream that packs its output, as gzip or zstd if the name ends in .gz or .zst, and writes it to another stream,
 * which stays the caller's; that one itself, if the name has neither ending; NULL, and ENOMEM in errno, if there is no
 * memory. fclose writes the end, and fails, with errno, if anything was not written. Local. */
FILE *cli_pack(FILE *to, const char *name);

#endif
