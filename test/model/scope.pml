/* scope.pml - the end of a scope of tasks (src/task/scope.c), by Dijkstra and Scholten.
 *
 * WORKERS workers, of which number 0 has opened the scope with one task in it; SPAWNS more are spawned, by any task, here or by a
 * message to any other worker. Messages have no order: what is under way between two workers is a number. A task that was
 * sent is counted in `outstanding` of its sender until it is acknowledged: at once where the worker has a part of the scope already, else
 * when the part is left. `alive`: tasks that have not returned, those under way included; when the scope ends it is 0.
 * Mutants: ACKNOWLEDGED_AT_ONCE (also the message that made the part, before its children), LEFT_WITH_OUTSTANDING (a part is left when its
 * own tasks have returned), PART_KEPT (it is never left). */
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef SPAWNS
#define SPAWNS 3
#endif

byte tasks[WORKERS * WORKERS];            /* under way: from * WORKERS + to */
byte acknowledged[WORKERS];               /* under way to this worker */
byte running[WORKERS], outstanding[WORKERS], parent[WORKERS];
bool part[WORKERS];
byte alive, spawned;
bool over;

/* Nothing of the scope is left here? */
inline check_end(w) {
  if
#ifdef LEFT_WITH_OUTSTANDING
  :: running[w] == 0 ->
#else
  :: running[w] == 0 && outstanding[w] == 0 ->
#endif
    if
    :: w == 0 -> assert(!alive); over = true
    :: w != 0 && part[w] ->
#ifndef PART_KEPT
      part[w] = false;
      acknowledged[parent[w]]++
#else
      skip
#endif
    :: else -> skip
    fi
  :: else -> skip
  fi
}

/* One comes from that worker. */
inline arrive(w, from) {
  tasks[from * WORKERS + w]--;
  if
  :: !part[w] ->
    part[w] = true;
    parent[w] = from;
#ifdef ACKNOWLEDGED_AT_ONCE
    part[w] = false;
    acknowledged[from]++
#endif
  :: else ->
    acknowledged[from]++
  fi;
  running[w]++
}

proctype worker(byte w) {
  byte to;
  do
  :: atomic { over -> break }
  :: atomic { tasks[w] > 0 && !over -> arrive(w, 0) }
  :: atomic { tasks[WORKERS + w] > 0 && !over -> arrive(w, 1) }
#if WORKERS > 2
  :: atomic { tasks[2 * WORKERS + w] > 0 && !over -> arrive(w, 2) }
#endif
#if WORKERS > 3
  :: atomic { tasks[3 * WORKERS + w] > 0 && !over -> arrive(w, 3) }
#endif
  :: atomic { /* a task spawns one */
       running[w] > 0 && spawned < SPAWNS && !over ->
       spawned++;
       alive++;
       select(to : 0 .. WORKERS - 1);
       if
       :: to == w -> running[w]++
       :: else -> outstanding[w]++; tasks[w * WORKERS + to]++
       fi
     }
  :: atomic { /* a task returns */
       running[w] > 0 && !over ->
       running[w]--;
       alive--;
       check_end(w)
     }
  :: atomic { /* an acknowledgement comes */
       acknowledged[w] > 0 && !over ->
       acknowledged[w]--;
       outstanding[w]--;
       check_end(w)
     }
  od
}

init {
  byte i;
  atomic {
    part[0] = true;
    running[0] = 1;
    alive = 1;
    i = 0;
    do
    :: i < WORKERS -> run worker(i); i++
    :: else -> break
    od
  }
}
