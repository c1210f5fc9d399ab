/* sim_mpi_run.c - scree_sim_run over the simulated MPI, and what its calls share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/epoch.h"
#include "sim_mpi.h"

enum { IDLE_LIMIT = 1000000, TIME_TO_LEAVE = 1000000, ERROR_ODDS = 100 };

_Thread_local sim_mpi *sim_mpi_here;
_Thread_local uint32_t sim_mpi_errors_max, sim_mpi_errors;

void sim_mpi_let_fail(uint32_t calls) {
  sim_mpi_errors_max = calls;
}
_Thread_local bool sim_mpi_hung;

/* ---- what calls share ---- */

void sim_mpi_wrong(const char *format, ...) {
  va_list args;
  if (sim_mpi_here->wrong[0]) return;
  va_start(args, format);
  vsnprintf(sim_mpi_here->wrong, sizeof sim_mpi_here->wrong, format, args);
  va_end(args);
}

size_t sim_mpi_push(sim_mpi_list *list, void *item) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 8;
    list->at = realloc(list->at, list->room * sizeof *list->at);
    if (!list->at) abort();
  }
  list->at[list->count] = item;
  return list->count++;
}

void sim_mpi_remove(sim_mpi_list *list, size_t at) {
  list->count--;
  memmove(list->at + at, list->at + at + 1, (list->count - at) * sizeof *list->at);
}

static void report_what_waits(sim_mpi *s) {
  for (uint32_t r = 0; r < s->config.ranks; r++) {
    const sim_mpi_mailbox *m = &s->mail[r];
    fprintf(stderr, "simulated MPI: rank %u: %zu messages travel, %zu have arrived, %zu receives wait\n", r,
            m->travelling.count, m->arrived.count, m->posted.count);
    for (size_t i = 0; i < m->arrived.count; i++) {
      const sim_mpi_message *a = m->arrived.at[i];
      fprintf(stderr, "simulated MPI:   arrived: %zu bytes from %u, tag %d\n", a->bytes, a->source, a->tag);
    }
  }
  for (size_t i = 0; i < s->requests.count; i++) {
    const sim_mpi_request *q = s->requests.at[i];
    if (q)
      fprintf(stderr, "simulated MPI: rank %u: request of kind %d, peer %d, tag %d, %zu bytes, complete at step %lld\n",
              q->owner, q->kind, q->peer, q->tag, q->bytes, (long long)q->complete_at);
  }
  scree_report_request();
}

/* A rank of a run that was given up gets errors, and if it continues all the same it is abandoned. */
static int give_up(sim_mpi *s) {
  if (!s->reported && !s->config.quiet) report_what_waits(s);
  s->reported = true;
  if (s->token.steps > s->token.max_steps + TIME_TO_LEAVE) scree__token_leave(&s->token);
  return MPI_ERR_OTHER;
}

/* The calls of a rank come one at a time, as with MPI_THREAD_SERIALIZED, unless the world requests more. */
static void pass(sim_mpi *s) {
  const uint32_t me = sim_mpi_me();
  const uint32_t thread = s->token.holder % s->token.of_rank;
  if (s->busy[me] && !s->multiple) sim_mpi_wrong("two threads of rank %u call MPI at once", me);
  if (thread > s->last_caller) sim_mpi_wrong("thread %u of rank %u calls MPI", thread, me);
  s->busy[me] = true;
  scree__token_step(&s->token);
  s->busy[me] = false;
}

int sim_mpi_enter(bool may_fail) {
  sim_mpi *s = sim_mpi_here;
  pass(s);
  if (s->token.hung) return give_up(s);
  if (!may_fail || s->errors_left == 0 || s->token.steps < s->errors_from || !scree__one_in(&s->random, ERROR_ODDS))
    return MPI_SUCCESS;
  s->errors_left--;
  s->errors++;
  return MPI_ERR_OTHER;
}

void sim_mpi_no_error(void) {
  sim_mpi_here->errors_left++;
  sim_mpi_here->errors--;
}

uint64_t sim_mpi_later(sim_mpi_kind kind) {
  sim_mpi *s = sim_mpi_here;
  uint64_t longest = s->longest[kind], now = s->token.steps;
  if (longest == 0) return now;
  uint64_t delay = scree__draw(&s->random) % (longest + 1);
  if (scree__one_in(&s->random, 64)) delay += scree__draw(&s->random) % 4000;
  return now + delay;
}

bool sim_mpi_over(uint64_t at) {
  return at != UINT64_MAX && sim_mpi_here->token.steps >= at;
}

/* ---- a run ---- */

/* Delays of sends, receives and collective calls: none, short or long. */
static void draw_weather(sim_mpi *s) {
  static const uint64_t longest[] = {0, 3, 3, 30, 30, 300};
  static const uint64_t eager[] = {0, 64, 4096, UINT64_MAX};
  s->random = s->config.seed ^ UINT64_C(0x4d5049);
  s->eager = UINT64_MAX;
  if (s->config.unperturbed) return;
  for (int i = 0; i < 3; i++) s->longest[i] = longest[scree__draw(&s->random) % 6];
  s->eager = eager[scree__draw(&s->random) % 4];
  if (sim_mpi_errors_max == 0) return;
  s->errors_left = (uint32_t)(1 + scree__draw(&s->random) % sim_mpi_errors_max);
  s->errors_from = scree__one_in(&s->random, 4) ? 0 : scree__draw(&s->random) % 5000;
}

/* Unless the test sets the transport: with as many nodes as ranks all blocks travel by MPI, else by shared memory
 * within a node. */
static scree__options options_of(const sim_mpi *s) {
  scree__options o = SCREE__OPTIONS_INIT;
  if (s->options && s->options->size == SCREE__OPTIONS_SIZE) o = *(const scree__options *)s->options;
  if (s->options && s->options->size != SCREE__OPTIONS_SIZE) o.user = *s->options;
  if (o.transport == SCREE_UNSET)
    o.transport = s->config.nodes == s->config.ranks ? SCREE_TRANSPORT_MPI : SCREE_TRANSPORT_AUTO;
  o.pin = SCREE_PIN_OFF; /* its threads are not the system's */
  o.spin = 0;            /* else it depends on the cores of the machine */
  if (s->config.threads) o.threads = s->config.threads;
  return o;
}

static void note(sim_mpi *s, scree_status status) {
  if (status > s->worst) s->worst = status;
}

static void run_rank(void *arg, uint32_t rank) {
  sim_mpi *s = arg;
  scree_world *world = NULL;
  scree__options options = options_of(s);
  (void)rank;
  scree_status status = scree_open(&options.user, &world);
  note(s, status);
  if (status != SCREE_OK) return;
  s->fn(world, s->arg);
  if (s->token.hung && !s->config.quiet) scree_report_print(world, stderr);
  if (!world->worker[0]->in_epoch) {
    note(s, scree_close(world));
    return;
  }
  note(s, SCREE_ESTATE);
  scree__world_free(world);
}

/* What was not received or freed could reach a later world. A world that failed may leave such things. */
static void look_at_the_end(sim_mpi *s) {
  if (s->worst != SCREE_OK || s->errors) return;
  for (uint32_t r = 0; r < s->config.ranks; r++)
    if (s->mail[r].travelling.count + s->mail[r].arrived.count)
      sim_mpi_wrong("%zu messages to rank %u were received by nobody",
                    s->mail[r].travelling.count + s->mail[r].arrived.count, r);
  for (size_t i = 0; i < s->requests.count; i++) {
    const sim_mpi_request *q = s->requests.at[i];
    if (q)
      sim_mpi_wrong("a request (kind %d, %zu bytes, tag %d) of rank %u was never freed", q->kind, q->bytes, q->tag,
                    q->owner);
  }
  for (size_t i = 1; i < s->comms.count; i++) {
    const sim_mpi_comm *c = s->comms.at[i];
    if (c->freed != c->size) sim_mpi_wrong("a communicator was freed by %u of its %u ranks", c->freed, c->size);
  }
}

static void free_messages(sim_mpi_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    sim_mpi_message *m = list->at[i];
    free(m->data);
    free(m);
  }
  free(list->at);
}

static void free_items(sim_mpi_list *list) {
  for (size_t i = 0; i < list->count; i++) free(list->at[i]);
  free(list->at);
}

static void free_all(sim_mpi *s) {
  for (uint32_t r = 0; r < s->config.ranks; r++) {
    free_messages(&s->mail[r].travelling);
    free_messages(&s->mail[r].arrived);
    free(s->mail[r].posted.at);
  }
  free(s->mail);
  free(s->busy);
  for (size_t i = 0; i < s->requests.count; i++) {
    sim_mpi_request *q = s->requests.at[i];
    if (q) free(q->copy);
  }
  free_items(&s->requests);
  for (size_t i = 0; i < s->comms.count; i++) {
    sim_mpi_comm *c = s->comms.at[i];
    sim_mpi_free_rounds(c);
    free(c->members);
    free(c->calls);
  }
  free_items(&s->comms);
  free_items(&s->types);
  free_items(&s->ops);
}

/* The threads of a rank that may call MPI are its first up to this one. A communication thread is made before
 * workers. */
static uint32_t last_caller(const scree__options *o, uint32_t threads) {
  if (o->progress == SCREE_PROGRESS_COMM) return 1;
  return o->thread_level == SCREE_THREAD_LEVEL_FUNNELED ? 0 : threads - 1;
}

static void run(sim_mpi *s) {
  s->mail = calloc(s->config.ranks, sizeof *s->mail);
  s->busy = calloc(s->config.ranks, sizeof *s->busy);
  if (!s->mail || !s->busy) abort();
  sim_mpi_here = s;
  draw_weather(s);
  sim_mpi_comm *world = sim_mpi_new_comm(s->config.ranks);
  for (uint32_t r = 0; r < s->config.ranks; r++) world->members[r] = r;
  s->idle_limit = IDLE_LIMIT + UINT64_C(1000) * s->config.ranks;
  scree__options options = options_of(s);
  uint32_t threads = options.threads == SCREE_UNSET ? 1 : (uint32_t)options.threads;
  threads += options.progress == SCREE_PROGRESS_FULL || options.progress == SCREE_PROGRESS_COMM;
  s->last_caller = last_caller(&options, threads);
  s->multiple = options.thread_level == SCREE_THREAD_LEVEL_MULTIPLE;
  s->token = (scree__token){.threads = s->config.ranks * threads,
                            .of_rank = threads,
                            .seed = s->config.seed,
                            .max_steps = s->idle_limit,
                            .unperturbed = s->config.unperturbed,
                            .run = run_rank,
                            .arg = s,
                            .local = scree__here_slot()};
  if (!scree__token_run(&s->token)) note(s, SCREE_ENOMEM);
  look_at_the_end(s);
  sim_mpi_here = NULL;
}

scree_status scree_sim_run(const scree_sim_config *config, const scree_options *options, scree_sim_fn *fn, void *arg,
                           uint64_t *steps) {
  sim_mpi s = {.config = *config, .options = options, .fn = fn, .arg = arg};
  run(&s);
  sim_mpi_errors = s.errors;
  sim_mpi_hung = s.token.hung;
  if (s.wrong[0]) fprintf(stderr, "simulated MPI: seed %llu: %s\n", (unsigned long long)config->seed, s.wrong);
  if (s.token.hung && !config->quiet)
    fprintf(stderr, "simulated MPI: the run of %u ranks on %u nodes hung: seed %llu, %llu steps\n", config->ranks,
            config->nodes, (unsigned long long)config->seed, (unsigned long long)s.token.steps);
  if (s.token.hung && s.worst == SCREE_OK) s.worst = SCREE_EPEER;
  if (s.wrong[0] && s.worst == SCREE_OK) s.worst = SCREE_EMPI;
  if (steps) *steps = s.token.steps;
  free_all(&s);
  return s.worst;
}
