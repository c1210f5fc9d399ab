/* unit_host.c - the memory that a node has and has left: in planted trees of control groups, and in a real group where
 * the machine lets a test make one. */
#include <scree/scree_sim.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "core/world.h"
#include "harness.h"

static char root[64];

static void put(const char *path, const char *text) {
  char all[256];
  snprintf(all, sizeof all, "%s%s", root, path);
  for (char *p = all + strlen(root) + 1; (p = strchr(p, '/')); p++) {
    *p = 0;
    mkdir(all, 0700);
    *p = '/';
  }
  FILE *file = fopen(all, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void plant(const char *mounts, const char *groups) {
  snprintf(root, sizeof root, "/tmp/scree-host-XXXXXX");
  assert_non_null(mkdtemp(root));
  put("/proc/meminfo", "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:    4000 kB\n");
  put("/proc/self/mountinfo", mounts);
  put("/proc/self/cgroup", groups);
}

static void uproot(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  check_equal(system(command), 0);
}

HARNESS_TEST(machine_alone) {
  snprintf(root, sizeof root, "/nowhere");
  check_equal(scree__memory_limit(root), UINT64_MAX);
  check_equal(scree__memory_left(root), UINT64_MAX);
  plant("", "");
  check_equal(scree__memory_limit(root), 9000 * 1024);
  check_equal(scree__memory_left(root), 4000 * 1024);
  uproot();
  check(scree__memory_left("") > 1 << 20);
  check(scree__memory_limit("") >= scree__memory_left(""));
}

#define DISK "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
#define V2   "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

HARNESS_TEST(cpus) {
  plant(DISK V2, "0::/job/step\n");
  check_equal(scree__cpu_quota(root), UINT64_MAX);
  put("/sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  check_equal(scree__cpu_quota(root), UINT64_MAX);
  put("/sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  check_equal(scree__cpu_quota(root), 2500);
  put("/sys/fs/cgroup/job/step/cpu.max", "150000 100000\n");
  check_equal(scree__cpu_quota(root), 1500);
  uproot();
  plant(DISK "33 22 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n", "4:cpu,cpuacct:/job\n");
  put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  check_equal(scree__cpu_quota(root), UINT64_MAX);
  put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  check_equal(scree__cpu_quota(root), 500);
  uproot();
}

HARNESS_TEST(version_2) {
  plant(DISK V2, "1:name=x:/old\n0::/job/step\n");
  check_equal(scree__memory_left(root), 4000 * 1024); /* groups without limits */
  put("/sys/fs/cgroup/job/step/memory.max", "max\n");
  put("/sys/fs/cgroup/job/step/memory.current", "5\n");
  check_equal(scree__memory_left(root), 4000 * 1024);
  check_equal(scree__memory_limit(root), 9000 * 1024);
  put("/sys/fs/cgroup/job/memory.max", "1000000\n"); /* the group above has the limit */
  check_equal(scree__memory_limit(root), 1000000);
  put("/sys/fs/cgroup/job/memory.current", "700000\n");
  check_equal(scree__memory_left(root), 300000);
  put("/sys/fs/cgroup/job/memory.stat", "anon 500000\ninactive_file 200000\n");
  check_equal(scree__memory_left(root), 500000);
  put("/sys/fs/cgroup/job/step/memory.max", "900000\n");
  check_equal(scree__memory_limit(root), 900000);
  put("/sys/fs/cgroup/memory.max", "600000\n");
  put("/sys/fs/cgroup/memory.current", "700000\n");
  check_equal(scree__memory_limit(root), 600000);
  check_equal(scree__memory_left(root), 0);
  put("/proc/self/cgroup", "0::/\n");
  put("/sys/fs/cgroup/memory.current", "500000\n");
  check_equal(scree__memory_left(root), 100000);
  uproot();
}

#define V1 "33 22 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n34 22 0:31 / /sys/fs/cgroup/mem rw - cgroup c "

HARNESS_TEST(version_1) {
  plant(V1 "rw,cpuset,memory\n", "5:cpu:/c\n4:cpuset,memory:/slurm/job_7/step_0\n1:memory_not:/x\n");
  put("/sys/fs/cgroup/mem/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
  put("/sys/fs/cgroup/mem/memory.usage_in_bytes", "8000000\n");
  check_equal(scree__memory_limit(root), 9000 * 1024);
  check_equal(scree__memory_left(root), 4000 * 1024);
  put("/sys/fs/cgroup/mem/slurm/job_7/memory.limit_in_bytes", "2000000\n");
  put("/sys/fs/cgroup/mem/slurm/job_7/memory.usage_in_bytes", "900000\n");
  put("/sys/fs/cgroup/mem/slurm/job_7/memory.stat", "inactive_file 7\ntotal_inactive_file 400000\n");
  check_equal(scree__memory_limit(root), 2000000);
  check_equal(scree__memory_left(root), 1500000);
  put("/sys/fs/cgroup/mem/slurm/job_7/step_0/memory.limit_in_bytes", "1200000\n");
  put("/sys/fs/cgroup/mem/slurm/job_7/step_0/memory.usage_in_bytes", "200000\n");
  check_equal(scree__memory_limit(root), 1200000);
  check_equal(scree__memory_left(root), 1000000);
  put("/sys/fs/cgroup/mem/x/memory.limit_in_bytes", "5\n"); /* of a controller with another name */
  put("/sys/fs/cgroup/cpu/c/memory.limit_in_bytes", "5\n");
  check_equal(scree__memory_limit(root), 1200000);
  uproot();
}

/* Memory in version 1, the rest in version 2. */
HARNESS_TEST(hybrid) {
  plant(V1 "rw,memory\n30 22 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "4:memory:/a\n0::/b/c\n");
  put("/sys/fs/cgroup/mem/a/memory.limit_in_bytes", "3000000\n");
  put("/sys/fs/cgroup/unified/b/c/cgroup.procs", "1\n");
  check_equal(scree__memory_limit(root), 3000000);
  put("/sys/fs/cgroup/unified/b/memory.max", "2000000\n"); /* both limit it */
  check_equal(scree__memory_limit(root), 2000000);
  uproot();
}

/* In a container the paths of /proc/self/cgroup may be those of the host. */
HARNESS_TEST(namespaces) {
  plant("30 22 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/docker/abc/sub\n");
  put("/sys/fs/cgroup/memory.max", "4000000\n");
  put("/sys/fs/cgroup/sub/memory.max", "3000000\n");
  check_equal(scree__memory_limit(root), 3000000); /* below what is mounted */
  put("/proc/self/cgroup", "0::/docker/abcd/sub\n");
  check_equal(scree__memory_limit(root), 4000000); /* elsewhere: the mount's root is what is visible */
  put("/proc/self/mountinfo", V2);
  check_equal(scree__memory_limit(root), 4000000); /* not below the mount */
  put("/sys/memory.max", "5\n");
  put("/proc/self/cgroup", "0::/../../sub\n");
  check_equal(scree__memory_limit(root), 4000000); /* above the root of the namespace */
  put("/proc/self/cgroup", "junk\n0:\n::\n");
  check_equal(scree__memory_limit(root), 9000 * 1024);
  uproot();
}

/* ---- a real group ---- */

enum { LIMIT = 256 << 20 };

static bool write_number(const char *group, const char *name, long number) {
  char path[600];
  snprintf(path, sizeof path, "%s%s", group, name);
  FILE *file = fopen(path, "w");
  if (!file) return false;
  bool good = fprintf(file, "%ld", number) > 0;
  return fclose(file) == 0 && good;
}

/* A new group below that of this process. */
static bool make_group(char group[512], const char *mount, const char *line_start) {
  char line[400];
  bool made = false;
  FILE *file = fopen("/proc/self/cgroup", "r");
  while (file && !made && fgets(line, sizeof line, file)) {
    const char *path = strstr(line, line_start);
    if (!path) continue;
    path += strlen(line_start);
    int n = (int)strcspn(path, "\n");
    snprintf(group, 512, "%s%.*s/scree-test-%ld", mount, n, path, (long)getpid());
    made = mkdir(group, 0700) == 0;
  }
  if (file) fclose(file);
  return made;
}

static void look(scree_world *world, void *seen) {
  *(uint64_t *)seen = world->overflow_max;
}

/* By a process in the group: the limit, and what two ranks that share the node allow for overflow. */
static bool sees_the_limit(void) {
  uint64_t overflow_max = 0;
  scree_sim_config config = {.seed = 1, .ranks = 2, .nodes = 1};
  if (scree__memory_limit("") != LIMIT || scree__memory_left("") >= LIMIT) return false;
  return scree_sim_run(&config, NULL, look, &overflow_max, NULL) == SCREE_OK && overflow_max == LIMIT / 2 / 4;
}

static void run_in(const char *group, const char *limit) {
  int code = 1;
  pid_t child = fork();
  if (child == 0) {
    bool in = write_number(group, limit, LIMIT) && write_number(group, "/cgroup.procs", (long)getpid());
    _exit(!in ? 2 : sees_the_limit() ? 0 : 1);
  }
  waitpid(child, &code, 0);
  rmdir(group);
  if (WIFEXITED(code) && WEXITSTATUS(code) == 2) harness_skip("the group takes no limit");
  check_equal(code, 0);
}

HARNESS_TEST(real_group) {
  char group[512];
  if (make_group(group, "/sys/fs/cgroup/memory", ":memory:"))
    run_in(group, "/memory.limit_in_bytes");
  else if (make_group(group, "/sys/fs/cgroup", "0::"))
    run_in(group, "/memory.max");
  else
    harness_skip("no control group can be made here");
}

HARNESS_MAIN
