#include "traced_run.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "harness.h"
#include "observe/trace.h"

/* ---- what a run does, by the library's counters ---- */

static void count_all(const scree_world *world, traced *s) {
  for (uint32_t w = 0; w < world->endpoints; w++) {
    const scree__worker *me = world->worker[w];
    bool closing = w == 0 && !s->ends && !scree__agreed(world);
    s->expected[world->rank][w] =
        (counts){me->end.epochs + closing, me->in.items, me->in.batches, me->end.rounds.count};
  }
}

/* The streams of other ranks do not count. */
void traced_play(scree_world *world, void *traced_) {
  traced *s = traced_;
  s->over_mpi = strcmp(scree_thread_level(world), "none") != 0;
  bool first = world->rank == 0;
  check_equal(scree_trace(world, first ? s->file : world->rank & 1 ? stderr : NULL), SCREE_OK);
  s->fn(world, s->arg);
  count_all(world, s);
  if (s->ends) check_equal(scree_trace(world, first ? NULL : stderr), scree__agreed(world));
}

/* ---- reading the file ---- */

double event_number(const cJSON *object, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  return check_text(cJSON_IsNumber(item), "no number '%s'", name) ? item->valuedouble : -1;
}

const char *event_text(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text ? text : "";
}

static void read_facts(timeline *t, const cJSON *event) {
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
  if (strcmp(event_text(event, "name"), "scree_trace") == 0) {
    check(event_number(args, "ranks") == t->ranks && event_number(args, "threads") == t->threads);
    snprintf(t->failure, sizeof t->failure, "%s", event_text(args, "failure"));
    snprintf(t->missing, sizeof t->missing, "%s", event_text(args, "missing"));
  }
  if (strcmp(event_text(event, "name"), "scree_endpoint") != 0) return;
  track *of = &t->of[(int)event_number(event, "pid")][(int)event_number(event, "tid")];
  of->held = (uint64_t)event_number(args, "events");
  of->dropped = (uint64_t)event_number(args, "dropped");
  of->offset = (int64_t)event_number(args, "clock_offset_ns");
  of->error = (uint64_t)event_number(args, "clock_error_ns");
}

static void count(timeline *t, track *of, const cJSON *event, const span *s) {
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
  const char *category = event_text(event, "cat");
  if (s->epoch) {
    int64_t k = (int64_t)event_number(args, "epoch");
    check_text(k > of->last_epoch, "epoch %" PRId64 " follows %" PRId64, k, of->last_epoch);
    of->last_epoch = k;
    of->found.epochs++;
    if (k < JUDGED) of->begin[k] = s->begin, of->end[k] = s->end;
  } else if (strcmp(category, "handler") == 0) {
    of->found.items += (uint64_t)event_number(args, "items");
    of->found.batches++;
    if (cJSON_HasObjectItem(args, "from_rank")) /* else the type does not use it */
      check(event_number(args, "from_rank") < t->ranks && event_number(args, "from_worker") < t->threads);
    snprintf(t->batch, sizeof t->batch, "%s", event_text(event, "name"));
  } else if (strcmp(category, "detection") == 0) {
    of->found.rounds++;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(args, "ended"))) t->ended++;
  } else if (strcmp(category, "wait") == 0) {
    check(event_number(args, "turns") >= 1);
    t->waits++;
  } else if (strcmp(category, "task") != 0 && strcmp(category, "steal") != 0) {
    check_string(category, "lock");
    t->locks++;
  }
}

/* Events end in the order of the list, and each contains, or follows, all before it. */
static void nest(track *of, span s) {
  check_text(s.end >= s.begin && s.end >= of->last_end, "an event ends at %" PRId64 ", one before it at %" PRId64,
             s.end, of->last_end);
  of->last_end = s.end;
  while (of->open_count > 0 && of->open[of->open_count - 1].begin >= s.begin) of->open_count--;
  const span *before = of->open_count > 0 ? &of->open[of->open_count - 1] : NULL;
  check_text(!before || before->end <= s.begin, "an event from %" PRId64 " to %" PRId64 " overlaps one from %" PRId64,
             s.begin, s.end, before ? before->begin : 0);
  of->open[of->open_count++] = s;
}

static void read_event(timeline *t, const cJSON *event) {
  if (strcmp(event_text(event, "ph"), "X") != 0) {
    check_string(event_text(event, "ph"), "M");
    read_facts(t, event);
    return;
  }
  uint32_t rank = (uint32_t)event_number(event, "pid"), thread = (uint32_t)event_number(event, "tid");
  if (!check(rank < t->ranks && thread <= t->threads)) return;
  span s = {.begin = llround(event_number(event, "ts") * 1000),
            .epoch = strcmp(event_text(event, "cat"), "epoch") == 0};
  s.end = s.begin + llround(event_number(event, "dur") * 1000);
  track *of = &t->of[rank][thread];
  t->of[rank][thread == t->threads ? 0 : thread].events++;
  count(t, of, event, &s);
  nest(of, s);
}

timeline *timeline_read(const char *text, uint32_t ranks, uint32_t threads) {
  timeline *t = calloc(1, sizeof *t);
  cJSON *all = cJSON_Parse(text);
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(all, "traceEvents"), *event;
  assert_non_null(t);
  t->ranks = ranks;
  t->threads = threads;
  for (uint32_t i = 0; i < ranks * (threads + 1); i++) {
    track *of = &t->of[i / (threads + 1)][i % (threads + 1)];
    of->open = malloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof(span));
    of->last_end = INT64_MIN;
    of->last_epoch = -1;
  }
  check_text(cJSON_GetArraySize(list) > 0, "no list of events: %.200s", text);
  cJSON_ArrayForEach(event, list) read_event(t, event);
  cJSON_Delete(all);
  return t;
}

void timeline_free(timeline *t) {
  for (uint32_t i = 0; i < MOST_RANKS * (MOST_THREADS + 2); i++)
    free(t->of[i / (MOST_THREADS + 2)][i % (MOST_THREADS + 2)].open);
  free(t);
}

/* ---- judging it ---- */

static void judge_endpoint(const track *of, const counts *expected, uint64_t room) {
  check_equal(of->events, of->held);
  check(of->held <= room && (of->dropped == 0 || of->held == room));
  if (of->dropped) return;
  check_equal(of->found.epochs, expected->epochs);
  check_equal(of->found.items, expected->items);
  check_equal(of->found.batches, expected->batches);
  check(of->found.rounds <= expected->rounds + 1); /* one more in the closing epoch */
  for (size_t i = 0; i < of->open_count; i++) check(of->open[i].epoch);
}

void timeline_judge_epochs(const timeline *t, int64_t tolerance) {
  for (int k = 0; k < JUDGED; k++) {
    int64_t begun = INT64_MIN, ended = INT64_MAX;
    for (uint32_t r = 0; r < t->ranks; r++)
      for (uint32_t w = 0; w < t->threads; w++) {
        const track *of = &t->of[r][w];
        if (!of->end[k]) continue;
        if (of->begin[k] > begun) begun = of->begin[k];
        if (of->end[k] < ended) ended = of->end[k];
      }
    if (begun == INT64_MIN) continue; /* no one recorded it */
    check_text(begun <= ended + tolerance, "epoch %d ends at %" PRId64 " and begins at %" PRId64, k, ended, begun);
  }
}

timeline *traced_run(traced *s, const scree_sim_config *config, const scree_options *options, scree_status *status) {
  char *text = NULL;
  size_t size;
  s->file = open_memstream(&text, &size);
  assert_non_null(s->file);
  *status = scree_sim_run(config, options, traced_play, s, NULL);
  fclose(s->file);
  const uint32_t threads = config->threads + (options->progress == SCREE_PROGRESS_FULL);
  timeline *t = timeline_read(text, config->ranks, threads);
  free(text);
  for (uint32_t r = 0; r < (t->missing[0] ? 1 : config->ranks); r++)
    for (uint32_t w = 0; w < threads; w++) judge_endpoint(&t->of[r][w], &s->expected[r][w], options->trace_events);
  return t;
}
