/* unit_locale.c - numbers are read and written with a point where the program has set a locale of another sign. */
#include <locale.h>
#include <scree/graph/files.h>
#include <scree/kernel.h>
#include <scree/sssp.h>
#include <unistd.h>

#include "base/option_value.h"
#include "harness.h"

static char folder[] = "/tmp/scree-locale-XXXXXX";

static void set_back(void) {
  char command[64];
  setlocale(LC_ALL, "C");
  snprintf(command, sizeof command, "rm -r %s", folder);
  check_equal(system(command), 0);
}

/* A locale whose decimal point is a comma: localedef makes it here, since systems have few. */
static void set_german(void) {
  char command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/said 2>&1", folder, folder);
  const int code = system(command);
  setenv("LOCPATH", folder, 1);
  if (!setlocale(LC_ALL, "de_DE.UTF-8") || strcmp(localeconv()->decimal_point, ",") != 0) {
    print_message("localedef: code %d\n", code);
    set_back();
    harness_skip("localedef cannot make a German locale");
  }
}

static void options(void) {
  const scree_kernel *sssp = scree_kernel_find("sssp");
  scree_sssp_options o;
  char why[256] = "", text[64];
  scree_kernel_options_init(sssp, &o);
  check_equal(scree_kernel_options_set(sssp, &o, "delta", "0.5", why, sizeof why), 0);
  check_string(why, "");
  check(o.delta == 0.5);
  check_equal(scree_kernel_options_set(sssp, &o, "delta", "0,5", why, sizeof why), -1);
  for (size_t i = 0; scree_kernel_option_at(sssp, 0, i); i++) {
    const scree_option *row = &scree_kernel_option_at(sssp, 0, i)->row;
    if (row->kind != SCREE_KIND_REAL) continue;
    scree__option_value_format(row, (scree__option_value){.real = 0.25}, text, sizeof text);
    check_string(text, "0.25");
  }
}

/* Weights as text, in and out. */
static void files(void) {
  static const char graph_text[] = "0 1 0.5\n1 2 1.25\n";
  char in[64], out[64], text[256] = "";
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *g;
  const scree_graph_options how = {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}};
  snprintf(in, sizeof in, "%s/in.txt", folder);
  snprintf(out, sizeof out, "%s/out.txt", folder);
  FILE *file = fopen(in, "w");
  assert_non_null(file);
  fputs(graph_text, file);
  fclose(file);
  assert_int_equal(scree_open(NULL, &world), SCREE_OK);
  assert_int_equal(scree_graphs_open(world, &graphs), SCREE_OK);
  if (check_equal(scree_graph_load(graphs, in, &how, &g), SCREE_OK)) {
    check_equal(scree_graph_write(g, out, NULL), SCREE_OK);
    file = fopen(out, "r");
    if (check(file != NULL)) text[fread(text, 1, sizeof text - 1, file)] = 0, fclose(file);
    check_contains(text, "0.5\n");
    check_contains(text, "1.25\n");
    scree_graph_free(g);
  }
  scree_graphs_close(graphs);
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_TEST(decimal_comma) {
  set_german();
  options();
  files();
  check_string(localeconv()->decimal_point, ",");
  set_back();
}

HARNESS_MAIN
