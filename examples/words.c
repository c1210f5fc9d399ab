/* words.c - messages of variable length: byte strings of 0 bytes to 1 MiB, and a reduction over all of them. */
#include <scree/scree.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1000, LARGE = 1 << 20 };

SCREE_VARIABLE(word);
static void on_word(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w;
  scree_reduce *part = arg;
  const void *at = items;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    const char *text = scree_record_next(&at, &bytes);
    part->sum[0]++;
    part->sum[1] += bytes;
    if (bytes < part->min) part->min = bytes;
    if (bytes > part->max) part->max = bytes;
    if (bytes && text[bytes - 1] != 'w') part->sum[0] += WORDS; /* corrupted: makes the total wrong */
  }
}
SCREE_VARIABLE_HANDLER(word, on_word);

int main(void) {
  scree_world *world;
  word_type word;
  scree_reduce total = SCREE_REDUCE_INIT;
  char *text = malloc(LARGE);
  if (!text || scree_open(NULL, &world) || word_register(world, &total, &word)) return 1;
  memset(text, 'w', LARGE);
  scree_worker *w = scree_worker_of(world, 0);

  if (scree_begin(w)) return 1;
  for (uint32_t i = w->rank; i < WORDS; i += w->ranks) word_send(w, word, i * 7 % w->ranks, text, i);
  if (w->rank == 0) word_send(w, word, w->ranks - 1, text, LARGE);
  if (scree_end(w, &total)) return 1;

  if (w->rank == 0)
    printf("%d words of %d to %d bytes, %d bytes in all\n", (int)total.sum[0], (int)total.min, (int)total.max,
           (int)total.sum[1]);
  free(text);
  return scree_close(world) != SCREE_OK;
}
