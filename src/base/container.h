/* container.h - from the address of a member to the struct that holds it. */
#ifndef SCREE__CONTAINER_H
#define SCREE__CONTAINER_H
#include <stddef.h>

#define SCREE__CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))
#endif
