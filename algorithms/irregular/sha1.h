/* sha1.h - SHA-1 (FIPS 180-4) by nettle: what the trees of UTS are made of. */
#ifndef SCREE__IRREGULAR_SHA1_H
#define SCREE__IRREGULAR_SHA1_H
#include <nettle/sha1.h>
#include <nettle/version.h>

/* Of `text`, which has `bytes` bytes. */
static inline void scree__sha1(uint8_t digest[SHA1_DIGEST_SIZE], const uint8_t *text, size_t bytes) {
  struct sha1_ctx c;
  sha1_init(&c);
  sha1_update(&c, bytes, text);
#if NETTLE_VERSION_MAJOR < 4
  sha1_digest(&c, SHA1_DIGEST_SIZE, digest);
#else
  sha1_digest(&c, digest);
#endif
}

#endif
