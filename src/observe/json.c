/* json.c - the lines of a timeline. The last one, of the whole trace, has no comma after it. */
#include "observe/json.h"

#include <inttypes.h>
#include <scree/routed.h>
#include <scree/scree.h>

/* ---- strings ---- */

/* Bytes of the UTF-8 sequence at s; 0: there is none. */
static int utf8(const unsigned char *s) {
  int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
  if (n == 4 && (s[0] < 0xf0 || s[0] > 0xf4)) return 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0; /* overlong; a surrogate */
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0; /* overlong; beyond U+10FFFF */
  return n;
}

void scree__json_string(const char *text, FILE *to) {
  fputc('"', to);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int n = utf8(s);
    if (n == 0)
      fputs("\\ufffd", to);
    else if (*s < 32)
      fprintf(to, "\\u%04x", (unsigned)*s);
    else if (*s == '"' || *s == '\\')
      fprintf(to, "\\%c", *s);
    else
      fwrite(s, 1, (size_t)n, to);
    s += n ? n : 1;
  }
  fputc('"', to);
}

/* ---- events ---- */

static const char *const names[] = {
    [SCREE__EVENT_EPOCH] = "epoch",           [SCREE__EVENT_IDLE] = "idle",
    [SCREE__EVENT_FULL] = "wait for a block", [SCREE__EVENT_LOCK] = "wait for MPI's lock",
    [SCREE__EVENT_ROUND] = "detection round", [SCREE__EVENT_REDUCTION] = "detection round between nodes",
    [SCREE__EVENT_STEAL] = "steal",
};
static const char *const categories[] = {
    [SCREE__EVENT_EPOCH] = "epoch",         [SCREE__EVENT_BATCH] = "handler", [SCREE__EVENT_IDLE] = "wait",
    [SCREE__EVENT_FULL] = "wait",           [SCREE__EVENT_LOCK] = "lock",     [SCREE__EVENT_ROUND] = "detection",
    [SCREE__EVENT_REDUCTION] = "detection", [SCREE__EVENT_TASK] = "task",     [SCREE__EVENT_STEAL] = "steal",
};
static const char *const numbers[SCREE__EVENTS] = {
    [SCREE__EVENT_EPOCH] = "epoch", [SCREE__EVENT_BATCH] = "items",       [SCREE__EVENT_IDLE] = "turns",
    [SCREE__EVENT_FULL] = "turns",  [SCREE__EVENT_ROUND] = "outstanding", [SCREE__EVENT_REDUCTION] = "outstanding",
    [SCREE__EVENT_TASK] = "task",   [SCREE__EVENT_STEAL] = "closures",
};

void scree__trace_begin(FILE *to) {
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", to);
}

static void name(const char *what, uint32_t rank, uint32_t thread, const char *text, FILE *to) {
  fprintf(to, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"name\":", what, rank,
          thread);
  scree__json_string(text, to);
  fputs("}},\n", to);
}

static void name_process(const scree__endpoint_trace *e, FILE *to) {
  char text[160];
  snprintf(text, sizeof text, "rank %" PRIu32 " (%s)", e->track.rank, e->host);
  name("process_name", e->track.rank, 0, text, to);
  fprintf(to,
          "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"args\":{\"sort_index\":%" PRIu32 "}},\n",
          e->track.rank, e->track.rank);
}

/* Users see the names of threads; the numbers are for programs. */
void scree__trace_endpoint(const scree__endpoint_trace *e, FILE *to) {
  const scree__track *at = &e->track;
  char text[100];
  if (at->worker == 0) name_process(e, to);
  int n = e->progress ? snprintf(text, sizeof text, "progress thread")
                      : snprintf(text, sizeof text, "worker %" PRIu32, at->worker);
  if (e->dropped && n > 0)
    snprintf(text + n, sizeof text - (size_t)n, " (%" PRIu64 " older events dropped)", e->dropped);
  name("thread_name", at->rank, at->worker, text, to);
  if (e->leader) name("thread_name", at->rank, at->threads, "detection between nodes", to);
  fprintf(to,
          "{\"name\":\"scree_endpoint\",\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
          ",\"args\":{\"events\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"clock_offset_ns\":%" PRId64
          ",\"clock_error_ns\":%" PRIu64 "}},\n",
          at->rank, at->worker, e->events, e->dropped, e->clock_offset, e->clock_error);
}

static void print_microseconds(const char *key, int64_t ns, FILE *to) {
  uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
  fprintf(to, "\"%s\":%s%" PRIu64 ".%03u,", key, ns < 0 ? "-" : "", size / 1000, (unsigned)(size % 1000));
}

static void print_arguments(const scree__event *e, scree__track track, FILE *to) {
  fputs("\"args\":{", to);
  if (numbers[e->kind]) fprintf(to, "\"%s\":%" PRIu64, numbers[e->kind], e->number);
  if (e->kind == SCREE__EVENT_BATCH && e->source != SCREE_NO_SOURCE)
    fprintf(to, ",\"from_rank\":%" PRIu32 ",\"from_worker\":%" PRIu32, e->source / track.threads,
            e->source % track.threads);
  if (e->kind == SCREE__EVENT_ROUND || e->kind == SCREE__EVENT_REDUCTION)
    fprintf(to, ",\"ended\":%s", e->type ? "true" : "false");
  fputs("}},\n", to);
}

/* A round between nodes goes on while the leader does other things, so it has a track of its own. */
void scree__trace_event(const scree__event *e, scree__track track, int64_t begin, int64_t end, const char *type,
                        FILE *to) {
  fputs("{\"name\":", to);
  scree__json_string(*type ? type : names[e->kind], to);
  fprintf(to, ",\"cat\":\"%s\",\"ph\":\"X\",", categories[e->kind]);
  print_microseconds("ts", begin, to);
  print_microseconds("dur", end - begin, to);
  fprintf(to, "\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",", track.rank,
          e->kind == SCREE__EVENT_REDUCTION ? track.threads : track.worker);
  print_arguments(e, track, to);
}

static void print_reason(const char *key, const char *text, FILE *to) {
  if (!*text) return;
  fprintf(to, ",\"%s\":", key);
  scree__json_string(text, to);
}

void scree__trace_end(uint32_t ranks, uint32_t threads, const char *failure, const char *missing, FILE *to) {
  fprintf(to,
          "{\"name\":\"scree_trace\",\"ph\":\"M\",\"pid\":0,\"args\":{\"version\":\"%s\",\"ranks\":%" PRIu32
          ",\"threads\":%" PRIu32,
          SCREE_VERSION, ranks, threads);
  print_reason("failure", failure, to);
  print_reason("missing", missing, to);
  fputs("}}\n]}\n", to);
}
