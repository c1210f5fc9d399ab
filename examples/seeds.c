/* seeds.c - handlers under 300 schedules of the simulator: tokens hop from rank to rank, and no hop may be lost. */
#include <scree/scree_sim.h>

enum { TOKENS = 5, LIVES = 10, SEEDS = 300 };

typedef struct {
  uint32_t lives, id;
} token;
SCREE_MESSAGE(token, token);

typedef struct {
  token_type type;
  scree_reduce hops; /* sum[0] */
} rank_state;

static void on_token(scree_worker *w, const scree_batch *batch, const token *items, void *arg) {
  rank_state *mine = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    token t = items[i];
    mine->hops.sum[0]++;
    if (--t.lives > 0) token_send(w, mine->type, (w->rank + t.id + t.lives) % w->ranks, t);
  }
}
SCREE_HANDLER(token, token, on_token);

/* One virtual rank, which would otherwise be a process. Ranks run one at a time, so `wrong` needs no lock. */
static void program(scree_world *world, void *wrong) {
  rank_state mine;
  scree_worker *w = scree_worker_of(world, 0);
  if (token_register(world, &mine, &mine.type)) return;
  for (int epoch = 0; epoch < 3; epoch++) {
    mine.hops = (scree_reduce)SCREE_REDUCE_INIT;
    if (scree_begin(w)) return;
    for (uint32_t i = 0; i < TOKENS; i++) token_send(w, mine.type, i % w->ranks, (token){LIVES, i});
    if (scree_end(w, &mine.hops)) return;
    if (mine.hops.sum[0] != (uint64_t)w->ranks * TOKENS * LIVES) *(bool *)wrong = true;
  }
}

int main(void) {
  int bad = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    bool wrong = false;
    uint32_t ranks = (uint32_t)(seed % 7 + 1);
    scree_sim_config config = {.seed = seed, .ranks = ranks, .nodes = ranks > 2 ? 2 : 1};
    scree_options options = SCREE_OPTIONS_INIT;
    options.in_flight = 1 + seed % 3; /* 1 is the hardest case */
    scree_status status = scree_sim_run(&config, &options, program, &wrong, NULL);
    if (status == SCREE_OK && !wrong) continue;
    printf("seed %d: %s\n", (int)seed, wrong ? "a hop was lost" : scree_status_text(status));
    bad++;
  }
  printf("%d seeds, %d bad\n", SEEDS, bad);
  return bad != 0;
}
