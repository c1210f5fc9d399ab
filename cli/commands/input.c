/* input.c - standard input as a file that all ranks read. */
#include "commands/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All of standard input. 0, or an errno. */
static int copy_to(int fd) {
  static char buffer[1 << 16];
  ssize_t n;
  while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    for (ssize_t done = 0, w; done < n; done += w)
      if ((w = write(fd, buffer + done, (size_t)(n - done))) < 0) return errno;
  }
  return 0;
}

/* 0, or an errno. */
static int make_copy(cli_input *input) {
  int fd = open(input->copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  input->owner = true;
  int error = copy_to(fd);
  return close(fd) && !error ? errno : error;
}

scree_status cli_open_input(scree_graphs *graphs, const char *name, cli_input *input) {
  const bool first = scree_graphs_worker(graphs)->rank == 0;
  *input = (cli_input){.path = name};
  if (strcmp(name, "-") != 0 && strcmp(name, "/dev/stdin") != 0) return SCREE_OK;
  scree_reduce pid = {.sum = {first ? (uint64_t)getpid() : 0}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &pid);
  if (status) return status;
  const char *folder = getenv("TMPDIR");
  snprintf(input->copy, sizeof input->copy, "%s/scree-input-%llu", folder && *folder ? folder : "/tmp",
           (unsigned long long)pid.sum[0]);
  input->path = input->copy;
  const int error = first ? make_copy(input) : 0;
  status = scree_graphs_agree(graphs, error ? SCREE_ESTATE : SCREE_OK,
                              "standard input was not copied to '%s': %s; free space there, or set TMPDIR", input->copy,
                              strerror(error));
  if (status) return status;
  return scree_graphs_agree(graphs, access(input->copy, R_OK) ? SCREE_EINVAL : SCREE_OK,
                            "rank %u: standard input is in '%s' of another node; set TMPDIR to a folder that all nodes "
                            "share, or give a file",
                            (unsigned)scree_graphs_worker(graphs)->rank, input->copy);
}

void cli_close_input(cli_input *input) {
  if (input->owner) unlink(input->copy);
  input->owner = false;
}
