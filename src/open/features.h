/* features.h - what joins the worlds that open. */
#ifndef SCREE__FEATURES_H
#define SCREE__FEATURES_H
#include "core/holder.h"

/* Ends with NULL. */
extern const scree__feature *const scree__features[];
#endif
