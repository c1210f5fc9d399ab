/* own_benchmark.c - a benchmark of plain MPI that `scree sweep --program` can measure: the time of a message of so many
 * bytes to the other rank and back.
 *
 *     mpicc -O2 own_benchmark.c -o own_benchmark
 *     scree sweep --program './own_benchmark {bytes}' --bytes 8..64K*8 --ranks 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 1000 };

int main(int argc, char **argv) {
  int rank, ranks;
  const int bytes = argc > 1 ? atoi(argv[1]) : 8;
  char *buffer = calloc(1, (size_t)bytes + 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double start = MPI_Wtime();
  for (int i = 0; i < TIMES && ranks == 2; i++)
    for (int turn = 0; turn < 2; turn++)
      if (turn == rank)
        MPI_Send(buffer, bytes, MPI_CHAR, !rank, 0, MPI_COMM_WORLD);
      else
        MPI_Recv(buffer, bytes, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0)
    printf("{\"configuration\": {\"ranks\": %d}, \"runs\": [{\"seconds\": %.9f}]}\n", ranks,
           (MPI_Wtime() - start) / TIMES);
  MPI_Finalize();
  free(buffer);
  return 0;
}
