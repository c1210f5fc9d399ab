/* report.c - scree report: reads result files and prints or writes them. */
#include "study/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "study/report/text.h"
#include "study/study.h"
#include "study/util/output.h"
#include "study/util/printable.h"

typedef struct {
  study_results *results[STUDY_WORDS];
  study_table *tables[STUDY_WORDS];
  size_t count;
} inputs;

static int complain(const char *why) {
  study_complain(why);
  return 2;
}

/* 0, or an exit code after printing the reason. */
static int inputs_open(inputs *p, const study_request *request) {
  char why[1024];
  if (request->operand_count == 0)
    return complain("report: no result files given; name one or more files that scree sweep --results FILE wrote");
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

static void inputs_close(inputs *p) {
  for (size_t i = 0; i < p->count; i++) {
    study_table_free(p->tables[i]);
    study_results_free(p->results[i]);
  }
}

/* Two files are compared; the table of each is in the HTML page, or is printed when only that file is named. */
static void print_all(const inputs *p) {
  for (size_t i = 0; i < p->count; i++) {
    if (i) puts("");
    if (p->count == 2)
      study_print_caption(p->tables[i], stdout);
    else
      study_print_table(p->tables[i], stdout);
    if (p->results[i]->torn && p->count > 1)
      printf("the last line of %s is incomplete, as after a kill; that run is not included\n", p->results[i]->name);
  }
  puts("");
  if (p->count == 1) study_print_summary(p->tables[0], stdout);
  if (p->count == 2) study_print_changes(p->tables[0], p->tables[1], stdout);
}

/* With several files, the plots of each get a directory of their own. */
static int write_plots(const inputs *p, const char *directory, char *why, size_t size) {
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

static int write_files(const inputs *p, const study_request *r) {
  char why[1024];
  const study_table *const *tables = (const study_table *const *)p->tables;
  if ((r->csv && study_write_csv(r->csv, r->all_runs, tables, p->count, why, sizeof why)) ||
      (r->html && study_write_html(r->html, tables, p->count, why, sizeof why)) ||
      (r->plots && write_plots(p, r->plots, why, sizeof why)))
    return complain(why);
  return 0;
}

/* Files on standard output are not mixed with anything else. */
static bool is_silent(const study_request *r) {
  return r->quiet || study_is_standard_output(r->csv) || study_is_standard_output(r->html);
}

int study_report(const study_request *request) {
  inputs p = {0};
  if (study_is_standard_output(request->csv) && study_is_standard_output(request->html))
    return complain("options '--csv' and '--html' both use standard output; give one of them a file");
  int code = inputs_open(&p, request);
  if (code == 0) {
    if (!is_silent(request)) print_all(&p);
    code = write_files(&p, request);
  }
  inputs_close(&p);
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  perror("scree: standard output");
  return 1;
}
