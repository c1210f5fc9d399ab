/* sim_mpi_messages.c - messages between two ranks: they travel, arrive, and meet a receive. */
#include <stdlib.h>
#include <string.h>

#include "block/block.h"
#include "sim_mpi.h"

static bool matches(const sim_mpi_request *receive, const sim_mpi_message *m) {
  return receive->comm == m->comm && receive->tag == m->tag &&
         (receive->peer == MPI_ANY_SOURCE || (uint32_t)receive->peer == m->source);
}

/* The receive has its message, and will be complete later. */
static void meet(sim_mpi_request *receive, sim_mpi_message *m) {
  sim_mpi *s = sim_mpi_here;
  if (m->bytes > receive->bytes)
    sim_mpi_wrong("a message of %zu bytes was cut by a receive of %zu", m->bytes, receive->bytes);
  receive->bytes = m->bytes < receive->bytes ? m->bytes : receive->bytes;
  receive->peer = (int)m->source;
  receive->copy = m->data;
  receive->complete_at = sim_mpi_later(SIM_MPI_RECEIVE);
  if (m->waiting) m->waiting->complete_at = sim_mpi_later(SIM_MPI_SEND);
  s->token.max_steps = s->token.steps + s->idle_limit; /* something moved */
  free(m);
}

static void arrive(sim_mpi_mailbox *mail, sim_mpi_message *m) {
  if (m->failed && memcmp(m->failed, m->data, m->bytes) != 0)
    sim_mpi_wrong("the buffer of %zu bytes of a send that failed, tag %d, was written to", m->bytes, m->tag);
  for (size_t i = 0; i < mail->posted.count; i++)
    if (matches(mail->posted.at[i], m)) {
      meet(mail->posted.at[i], m);
      sim_mpi_remove(&mail->posted, i);
      return;
    }
  sim_mpi_push(&mail->arrived, m);
}

/* Messages of one rank over one communicator stay in order. */
static bool is_behind(const sim_mpi_list *travelling, size_t at) {
  const sim_mpi_message *m = travelling->at[at];
  for (size_t i = 0; i < at; i++) {
    const sim_mpi_message *before = travelling->at[i];
    if (before->comm == m->comm && before->source == m->source) return true;
  }
  return false;
}

/* The one that is to arrive first, of those that may; SIZE_MAX: none. */
static size_t next_to_arrive(const sim_mpi_list *travelling) {
  size_t next = SIZE_MAX;
  for (size_t i = 0; i < travelling->count; i++) {
    const sim_mpi_message *m = travelling->at[i], *best = next == SIZE_MAX ? NULL : travelling->at[next];
    if (!sim_mpi_over(m->arrives_at) || (best && m->arrives_at >= best->arrives_at)) continue;
    if (!is_behind(travelling, i)) next = i;
  }
  return next;
}

void sim_mpi_deliver(void) {
  sim_mpi_mailbox *mail = &sim_mpi_here->mail[sim_mpi_me()];
  for (size_t at; (at = next_to_arrive(&mail->travelling)) != SIZE_MAX;) {
    sim_mpi_message *m = mail->travelling.at[at];
    sim_mpi_remove(&mail->travelling, at);
    arrive(mail, m);
  }
}

void sim_mpi_withdraw(sim_mpi_request *receive) {
  sim_mpi_list *posted = &sim_mpi_here->mail[receive->owner].posted;
  for (size_t i = 0; i < posted->count; i++)
    if (posted->at[i] == receive) {
      sim_mpi_remove(posted, i);
      return;
    }
}

static char *copy_of(const void *buffer, size_t bytes) {
  char *copy = malloc(bytes ? bytes : 1);
  if (!copy) abort();
  return memcpy(copy, buffer, bytes);
}

/* Blocks contain the worker that has sent them. */
static uint32_t sender(const sim_mpi_message *m) {
  return m->bytes < sizeof(scree__wire) ? 0 : ((const scree__wire *)(const void *)m->data)->owner;
}

/* Of this worker to that one, those that its receives have not taken. */
static uint64_t unreceived(const sim_mpi_list *list, const sim_mpi_message *as) {
  uint64_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const sim_mpi_message *m = list->at[i];
    count += m->comm == as->comm && m->source == as->source && m->tag == as->tag && sender(m) == sender(as);
  }
  return count;
}

/* Credits bound what is unhandled at a receiver. */
static void check_window(const sim_mpi_mailbox *mail, const sim_mpi_message *m) {
  const scree_options *o = sim_mpi_here->options;
  uint64_t count = unreceived(&mail->travelling, m) + unreceived(&mail->arrived, m);
  if (m->tag == SIM_MPI_BLOCK && sim_mpi_here->errors == 0 && o && o->in_flight != SCREE_UNSET && count > o->in_flight)
    sim_mpi_wrong("rank %u has %llu blocks of one worker in flight to another, where the option in_flight permits %llu",
                  sim_mpi_me(), (unsigned long long)count, (unsigned long long)o->in_flight);
}

static void request_send(sim_mpi_message *m, const void *buf, int dest, size_t eager, MPI_Request *request) {
  sim_mpi_request *q = sim_mpi_new_request(SIM_MPI_SEND, m->comm, request);
  q->peer = dest;
  q->tag = m->tag;
  q->buffer = (void *)(uintptr_t)buf;
  q->bytes = m->bytes;
  q->copy = copy_of(buf, m->bytes);
  if (m->bytes > eager)
    m->waiting = q;
  else
    q->complete_at = sim_mpi_later(SIM_MPI_SEND);
}

/* Up to `eager` bytes it completes by itself. One that fails has sent its message or not; there is no request. */
static int start_send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm handle, size_t eager,
                      MPI_Request *request) {
  sim_mpi *s = sim_mpi_here;
  int code = sim_mpi_enter(true);
  if (code != MPI_SUCCESS && (s->token.hung || scree__one_in(&s->random, 2))) return code;
  sim_mpi_comm *comm = sim_mpi_comm_of(handle);
  size_t bytes = sim_mpi_bytes(count, type);
  if (dest < 0 || (uint32_t)dest >= comm->size) {
    sim_mpi_wrong("a send to rank %d of %u", dest, comm->size);
    return MPI_ERR_RANK;
  }
  sim_mpi_message *m = malloc(sizeof *m);
  if (!m) abort();
  *m = (sim_mpi_message){.comm = comm,
                         .source = sim_mpi_rank_in(comm, sim_mpi_me()),
                         .tag = tag,
                         .bytes = bytes,
                         .data = copy_of(buf, bytes),
                         .arrives_at = sim_mpi_later(SIM_MPI_RECEIVE),
                         .failed = code == MPI_SUCCESS ? NULL : buf};
  sim_mpi_release(m->data);
  if (code == MPI_SUCCESS) request_send(m, buf, dest, eager, request);
  sim_mpi_push(&s->mail[comm->members[dest]].travelling, m);
  check_window(&s->mail[comm->members[dest]], m);
  return code;
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  return start_send(buf, count, type, dest, tag, comm, sim_mpi_here->eager, request);
}

int MPI_Issend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  return start_send(buf, count, type, dest, tag, comm, 0, request);
}

static void meet_arrived(sim_mpi_mailbox *mail, sim_mpi_request *receive) {
  for (size_t i = 0; i < mail->arrived.count; i++) {
    sim_mpi_message *m = mail->arrived.at[i];
    if (!matches(receive, m)) continue;
    sim_mpi_remove(&mail->arrived, i);
    meet(receive, m);
    return;
  }
  sim_mpi_push(&mail->posted, receive);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle, MPI_Request *request) {
  int code = sim_mpi_enter(true);
  if (code != MPI_SUCCESS) return code;
  sim_mpi_request *q = sim_mpi_new_request(SIM_MPI_RECEIVE, sim_mpi_comm_of(handle), request);
  q->peer = source;
  q->tag = tag;
  q->buffer = buf;
  q->bytes = sim_mpi_bytes(count, type);
  memset(buf, SIM_MPI_RUBBISH, q->bytes < 4096 ? q->bytes : 4096);
  meet_arrived(&sim_mpi_here->mail[sim_mpi_me()], q);
  return MPI_SUCCESS;
}
