/* provenance.c - the place of a job, for the JSON report: machine, MPI thread level, binding of ranks and threads. */
#include "record/provenance.h"

#include <hwloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- machine ---- */

static void add_topology(cJSON *o) {
  hwloc_topology_t t;
  if (hwloc_topology_init(&t)) return;
  hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED); /* the whole machine */
  if (hwloc_topology_load(t) == 0) {
    hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0), all = hwloc_get_root_obj(t);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model) model = hwloc_obj_get_info_by_name(all, "CPUModel");
    cJSON_AddStringToObject(o, "cpu", model ? model : "unknown");
    cJSON_AddNumberToObject(o, "cores", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE));
    cJSON_AddNumberToObject(o, "hardware_threads", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU));
    cJSON_AddNumberToObject(o, "numa_nodes", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE));
  }
  hwloc_topology_destroy(t);
}

/* The CPU frequency governor of the first core. */
static void add_governor(cJSON *o) {
  char word[64] = "";
  FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "re");
  if (file && !fgets(word, sizeof word, file)) word[0] = 0;
  if (file) fclose(file);
  word[strcspn(word, "\n")] = 0;
  cJSON_AddStringToObject(o, "governor", *word ? word : "unknown");
}

void cli_add_machine(cJSON *root, double load) {
  cJSON *o = cJSON_AddObjectToObject(root, "machine");
  struct utsname name;
  const bool known = uname(&name) == 0;
  cJSON_AddStringToObject(o, "host", known ? name.nodename : "unknown");
  add_topology(o);
  cJSON_AddNumberToObject(o, "memory_bytes", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
  cJSON_AddStringToObject(o, "kernel", known ? name.release : "unknown");
  add_governor(o);
  if (load >= 0) cJSON_AddNumberToObject(o, "load", load);
}

/* ---- MPI ---- */

void cli_add_mpi(cJSON *root, const scree_world *world) {
  cJSON *o = cJSON_AddObjectToObject(root, "mpi");
  cJSON_AddStringToObject(o, "thread_level", scree_thread_level(world));
}

/* ---- ranks and threads ---- */

static void add_core(cJSON *o, const char *cores, int64_t core) {
  if (*cores) cJSON_AddStringToObject(o, "cores", cores);
  if (core >= 0) cJSON_AddNumberToObject(o, "core", (double)core);
}

bool cli_shares(const char *host, const cli_thread *thread, const cli_placement *placement) {
  const bool one_core = thread->cores[0] && !strpbrk(thread->cores, ",-.");
  if (strcmp(host, placement->host)) return false;
  return (thread->core >= 0 && thread->core == placement->core) ||
         (one_core && !strcmp(thread->cores, placement->cores));
}

/* Thread i of the rank at `placement`. */
static void add_thread(cJSON *list, const cli_placement *placements, uint32_t count, const cli_placement *placement,
                       size_t i) {
  const cli_thread *thread = &placement->thread[i];
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(list, o);
  cJSON_AddStringToObject(o, "name", thread->name);
  add_core(o, thread->cores, thread->core);
  cJSON_AddNumberToObject(o, "cpu_seconds", thread->seconds);
  cJSON *ranks = cJSON_AddArrayToObject(o, "shares_with");
  for (uint32_t q = 0; q < count; q++)
    if (cli_shares(placement->host, thread, &placements[q])) cJSON_AddItemToArray(ranks, cJSON_CreateNumber(q));
}

static void add_rank(cJSON *list, const cli_placement *placements, uint32_t count, uint32_t rank) {
  const cli_placement *placement = &placements[rank];
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToArray(list, o);
  cJSON_AddNumberToObject(o, "rank", rank);
  cJSON_AddStringToObject(o, "host", placement->host);
  add_core(o, placement->cores, placement->core);
  cJSON *threads = cJSON_AddArrayToObject(o, "threads");
  for (size_t i = 0; i < placement->threads && i < CLI_THREADS; i++)
    add_thread(threads, placements, count, placement, i);
  if (placement->threads > CLI_THREADS)
    cJSON_AddNumberToObject(o, "threads_left_out", (double)(placement->threads - CLI_THREADS));
}

void cli_add_binding(cJSON *root, const cli_placement *placements, uint32_t ranks) {
  const uint32_t count = ranks < CLI_PLACEMENTS ? ranks : CLI_PLACEMENTS;
  cJSON *list = cJSON_AddArrayToObject(root, "binding");
  for (uint32_t i = 0; i < count; i++) add_rank(list, placements, count, i);
  if (ranks > count) cJSON_AddNumberToObject(root, "ranks_left_out", ranks - count);
}
