/* report.c - scree report: reads result files and prints or writes them. */
#include "study/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "study/report/text.h"
#include "study/study.h"

typedef struct {
  study_results *results[STUDY_WORDS];
  study_table *tables[STUDY_WORDS];
  size_t count;
} pile;

static int complain(const char *why) {
  fprintf(stderr, "scree: %s\n", why);
  return 2;
}

/* 0, or the exit code, after it was said why. */
static int pile_open(pile *p, const study_request *request) {
  char why[1024];
  if (request->operand_count == 0)
    return complain("report: which results? Name one or more files, as scree sweep --results FILE leaves them");
  for (; p->count < request->operand_count; p->count++) {
    study_results *r = study_results_read(request->operands[p->count], why, sizeof why);
    if (!r) return complain(why);
    p->results[p->count] = r;
    p->tables[p->count] = study_table_make(r);
    if (p->tables[p->count]) continue;
    snprintf(why, sizeof why, "'%s': no memory for a table of %zu runs", request->operands[p->count], r->count);
    study_results_free(r);
    return complain(why), 1;
  }
  return 0;
}

static void pile_close(pile *p) {
  for (size_t i = 0; i < p->count; i++) {
    study_table_free(p->tables[i]);
    study_results_free(p->results[i]);
  }
}

/* Two files are compared; their own tables are in the page, or come when each is named alone. */
static void print_all(const pile *p) {
  for (size_t i = 0; i < p->count; i++) {
    if (i) puts("");
    if (p->count == 2)
      study_print_caption(p->tables[i], stdout);
    else
      study_print_table(p->tables[i], stdout);
    if (p->results[i]->torn && p->count > 1)
      printf("the last line of %s is torn, as a kill leaves it; that run is not among these\n", p->results[i]->name);
  }
  puts("");
  if (p->count == 1) study_print_words(p->tables[0], stdout);
  if (p->count == 2) study_print_changes(p->tables[0], p->tables[1], stdout);
}

/* Each file's plots in a directory of its own, if there are several. */
static int write_plots(const pile *p, const char *directory, char *why, size_t size) {
  int code = 0;
  for (size_t i = 0; i < p->count && code == 0; i++) {
    char *name = NULL;
    int made = p->count == 1 ? asprintf(&name, "%s", directory) : asprintf(&name, "%s-%zu", directory, i + 1);
    if (made < 0) return snprintf(why, size, "option '--plots': no memory for a name"), -1;
    code = study_write_plots(name, p->tables[i], why, size);
    free(name);
  }
  return code;
}

static int write_files(const pile *p, const study_request *r) {
  char why[1024];
  const study_table *const *tables = (const study_table *const *)p->tables;
  if ((r->csv && study_write_csv(r->csv, tables, p->count, why, sizeof why)) ||
      (r->html && study_write_html(r->html, tables, p->count, why, sizeof why)) ||
      (r->plots && write_plots(p, r->plots, why, sizeof why)))
    return complain(why);
  return 0;
}

int study_report(const study_request *request) {
  pile p = {0};
  int code = pile_open(&p, request);
  if (code == 0) {
    /* CSV on standard output stands there alone. */
    if (!request->csv || strcmp(request->csv, "-") != 0) print_all(&p);
    code = write_files(&p, request);
  }
  pile_close(&p);
  if (fflush(stdout) == 0) return code;
  perror("scree: standard output");
  return 1;
}
