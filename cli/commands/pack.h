/* pack.h - a stream that packs what is written to it, by gzip or zstd. */
#ifndef CLI_PACK_H
#define CLI_PACK_H
#include <stdio.h>

/* A stream whose output goes, packed as the ending .gz or .zst of the name says, to another one, which stays the caller's;
 * that one itself, if the name has neither ending; NULL, and ENOMEM in errno, if there is no memory. fclose writes the end, and
 * fails, with errno, if anything was not written. Local. */
FILE *cli_pack(FILE *to, const char *name);

#endif
