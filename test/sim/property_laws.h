/* property_laws.h - changes of a graph that change its answers in a known way. */
#ifndef PROPERTY_LAWS_H
#define PROPERTY_LAWS_H
#include "algorithm_graphs.h"

enum { PROPERTY_LAWS = 7 };

const char *property_law_name(size_t law);

/* Makes `out` of `in`, whose answers are given. False: the law says nothing of this graph. */
bool property_law_apply(size_t law, const case_graph *in, const case_answer *answer, uint64_t draw, case_graph *out);

/* The serial answers of `in` and of what the same call made of it are as the law says; else why[size] says where not.
 */
bool property_law_holds(size_t law, const case_graph *in, const case_answer *answer, uint64_t draw,
                        const case_answer *changed, char *why, size_t size);

#endif
