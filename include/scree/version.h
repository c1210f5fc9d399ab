/* version.h - the version of the headers and of the library.
 *
 * The macros are those of the headers that a program was compiled against; scree_version is that of the library that it
 * runs with, which may be a later one with the same soname. C11 and C++. */
#ifndef SCREE_VERSION_H
#define SCREE_VERSION_H
#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_VERSION_MAJOR 0
#define SCREE_VERSION_MINOR 3
#define SCREE_VERSION_PATCH 0

#define SCREE_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))

/* One number to compare with, as in  #if SCREE_VERSION_NUMBER >= SCREE_VERSION_OF(0, 3, 0)  */
#define SCREE_VERSION_NUMBER SCREE_VERSION_OF(SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH)

#define SCREE__TEXT(number)                 #number
#define SCREE__TEXT_OF(major, minor, patch) SCREE__TEXT(major) "." SCREE__TEXT(minor) "." SCREE__TEXT(patch)

/* The same as text: "0.3.0". */
#define SCREE_VERSION SCREE__TEXT_OF(SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH)

/* The library's version as text, constant. Local; any thread, any time. */
const char *scree_version(void);

#ifdef __cplusplus
}
#endif
#endif
