/* Retrograde analysis of four games with computed predecessors, and backward sweeps of the two games without cycles.

   The yardstick of benchmarks/solving.py: one thread, gcc -O3 -march=native, everything known about a game is used.
   An entry is the number of plies until the win plus one, negative if the player to move loses, 0 if neither wins, with
   the position index of solver/index.py. Each entry is 16 bits, or 32 for reach-the-edge.

   retrograde GAME END METHOD RUNS OUTPUT: METHOD is `search` or `sweep`; prints the seconds of CPU time of each run and
   writes the entries to the file OUTPUT. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline))

static int32_t *queue;
static uint8_t *open_moves; /* per position: legal moves not yet known to lose */
static int16_t *entries;
static int32_t *long_entries;

static void *allocate(size_t bytes) {
  void *memory = calloc(bytes, 1);
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* Resolve predecessor `p` of a position that was popped with `entry`: a lost position makes every predecessor a win; a
   won one takes a move away. */
#define VISIT(column, p, entry)                                                                                        \
  do {                                                                                                                 \
    int64_t visited = (p);                                                                                             \
    if (entry < 0) {                                                                                                   \
      if (!column[visited]) column[visited] = 1 - entry, queue[tail++] = (int32_t)visited;                             \
    } else if (!--open_moves[visited]) {                                                                               \
      if (!column[visited]) column[visited] = -1 - entry, queue[tail++] = (int32_t)visited;                            \
    }                                                                                                                  \
  } while (0)

#define FINISH(column, p, won) (column[p] = (won) ? 1 : -1, queue[tail++] = (int32_t)(p))

/* Line Runner: places 0 to end + 2, steps 1 to 3, a token that would land on the other stops one place behind it. */

static int64_t line_runner_size(int64_t end) { return 2 * (end + 3) * (end + 3); }

INLINE void line_runner_back(int64_t m, int64_t end, int64_t own, int64_t other, int64_t own_weight, int64_t base,
                             int entry, int64_t *queued) {
  int64_t tail = *queued;
  /* base: index of the predecessor's turn with the other token's digit added */
  for (int64_t step = 1; step <= 3; step++) {
    int64_t from = own - step;
    if (from >= 0 && from < end && own != other) VISIT(entries, base + from * own_weight, entry);
    if (own + 1 == other && from + 1 >= 0 && from + 1 < end) VISIT(entries, base + (from + 1) * own_weight, entry);
  }
  (void)m;
  *queued = tail;
}

static void line_runner_search(int64_t end) {
  int64_t m = end + 3, half = m * m, tail = 0;
  for (int64_t turn = 0; turn < 2; turn++)
    for (int64_t a = 0; a < m; a++)
      for (int64_t b = 0; b < m; b++) {
        int64_t p = turn * half + a * m + b;
        if (a < end && b < end)
          open_moves[p] = 3;
        else /* if both have arrived, the player who has just moved wins */
          FINISH(entries, p, turn ? b >= end && a < end : a >= end && b < end);
      }
  for (int64_t head = 0; head < tail; head++) {
    int64_t q = queue[head], turn = q >= half, cell = q - turn * half, a = cell / m, b = cell - a * m;
    int entry = entries[q];
    if (turn) { /* player 1 has moved */
      if (b < end) line_runner_back(m, end, a, b, m, b, entry, &tail);
    } else if (a < end)
      line_runner_back(m, end, b, a, 1, half + a * m, entry, &tail);
  }
}

INLINE int better(int one, int other) { /* the better of two entries for the player to move: 1, 2, ..., 0, ..., -2, -1 */
  return one > 0 && other > 0 ? (one < other ? one : other)
                              : one < 0 && other < 0 ? (one < other ? one : other) : (one > other ? one : other);
}

INLINE int backed_up(int entry) { return entry > 0 ? -entry - 1 : entry < 0 ? 1 - entry : 0; }

static void line_runner_sweep(int64_t end) {
  int64_t m = end + 3, half = m * m;
  for (int64_t a = m - 1; a >= 0; a--)
    for (int64_t b = m - 1; b >= 0; b--) {
      int64_t cell = a * m + b;
      if (a >= end || b >= end) {
        entries[cell] = a >= end && b < end ? 1 : -1;
        entries[half + cell] = b >= end && a < end ? 1 : -1;
        continue;
      }
      int first = -32768, second = -32768;
      for (int step = 1; step <= 3; step++) {
        if (a + 1 != b || step != 1) {
          int64_t to = a + step - (a + step == b);
          int entry = backed_up(entries[half + to * m + b]);
          first = first == -32768 ? entry : better(first, entry);
        }
        if (b + 1 != a || step != 1) {
          int64_t to = b + step - (b + step == a);
          int entry = backed_up(entries[a * m + to]);
          second = second == -32768 ? entry : better(second, entry);
        }
      }
      if (a + 1 == b) first = better(first, backed_up(second));
      if (b + 1 == a) second = better(second, backed_up(first));
      entries[cell] = (int16_t)first;
      entries[half + cell] = (int16_t)second;
    }
}

/* Flag Chase: player 1 walks from 0 and player 2 from `end` to the flag in the middle, steps 1 to 3, exactly. */

static int64_t flag_chase_size(int64_t end) { return 2 * (end / 2 + 1) * (end - end / 2 + 1); }

static void flag_chase_search(int64_t end) {
  int64_t flag = end / 2, m = end - flag + 1, half = (flag + 1) * m, tail = 0;
  for (int64_t turn = 0; turn < 2; turn++)
    for (int64_t a = 0; a <= flag; a++)
      for (int64_t b = 0; b < m; b++) {
        int64_t p = turn * half + a * m + b, left = turn ? b : flag - a;
        if (a < flag && b > 0)
          open_moves[p] = (uint8_t)(left < 3 ? left : 3);
        else
          FINISH(entries, p, turn ? b == 0 && a < flag : a == flag && b > 0);
      }
  for (int64_t head = 0; head < tail; head++) {
    int64_t q = queue[head], turn = q >= half, cell = q - turn * half, a = cell / m, b = cell - a * m;
    int entry = entries[q];
    if (turn) {
      if (b > 0)
        for (int64_t step = 1; step <= 3 && step <= a; step++) VISIT(entries, cell - step * m, entry);
    } else if (a < flag)
      for (int64_t step = 1; step <= 3 && b + step < m; step++) VISIT(entries, half + cell + step, entry);
  }
}

static void flag_chase_sweep(int64_t end) {
  int64_t flag = end / 2, m = end - flag + 1, half = (flag + 1) * m;
  for (int64_t a = flag; a >= 0; a--)
    for (int64_t b = 0; b < m; b++) {
      int64_t cell = a * m + b;
      if (a == flag || b == 0) {
        entries[cell] = a == flag && b > 0 ? 1 : -1;
        entries[half + cell] = b == 0 && a < flag ? 1 : -1;
        continue;
      }
      int first = backed_up(entries[half + cell + m]), second = backed_up(entries[cell - 1]);
      for (int64_t step = 2; step <= 3; step++) {
        if (a + step <= flag) first = better(first, backed_up(entries[half + cell + step * m]));
        if (b >= step) second = better(second, backed_up(entries[cell - step]));
      }
      entries[cell] = (int16_t)first;
      entries[half + cell] = (int16_t)second;
    }
}

/* Number Line Sprint: places 1 to end, either end wins, steps 1 and 2 both ways, no jumping or joining; stuck loses. */

static int64_t sprint_size(int64_t end) { return 2 * end * end; }

INLINE int sprint_is_free(int64_t from, int64_t to, int64_t other) { /* nothing in the way, the start excluded */
  return to > from ? !(other > from && other <= to) : !(other < from && other >= to);
}

static void sprint_search(int64_t end) {
  int64_t half = end * end, last = end - 1, tail = 0; /* places are counted from 0 here */
  for (int64_t turn = 0; turn < 2; turn++)
    for (int64_t a = 0; a < end; a++)
      for (int64_t b = 0; b < end; b++) {
        int64_t p = turn * half + a * end + b, own = turn ? b : a, other = turn ? a : b;
        int is_home_a = a == 0 || a == last, is_home_b = b == 0 || b == last;
        if (is_home_a || is_home_b) {
          FINISH(entries, p, turn ? is_home_b && !is_home_a : is_home_a && !is_home_b);
          continue;
        }
        int moves = 0;
        for (int64_t step = -2; step <= 2; step++)
          moves += step && own + step >= 0 && own + step <= last && sprint_is_free(own, own + step, other);
        open_moves[p] = (uint8_t)moves;
        if (!moves) FINISH(entries, p, 0);
      }
  for (int64_t head = 0; head < tail; head++) {
    int64_t q = queue[head], turn = q >= half, cell = q - turn * half, a = cell / end, b = cell - a * end;
    int64_t own = turn ? a : b, other = turn ? b : a, weight = turn ? end : 1; /* of the player who has moved */
    int entry = entries[q];
    if (other == 0 || other == last) continue;
    int64_t base = (1 - turn) * half + cell;
    for (int64_t step = -2; step <= 2; step++) {
      int64_t from = own - step;
      if (step && from > 0 && from < last && sprint_is_free(from, own, other)) VISIT(entries, base - step * weight, entry);
    }
  }
}

/* Reach the Edge: one marker on 0 to end, player 1 pulls to 0 and player 2 to `end`; steps 1 to 3, the opponent's last
   step is banned (0: none is); a player without a move passes. */

static int64_t edge_size(int64_t end) { return 8 * (end + 1); }

static void edge_search(int64_t end) {
  int64_t m = end + 1, half = 4 * m, tail = 0;
  for (int64_t turn = 0; turn < 2; turn++)
    for (int64_t banned = 0; banned < 4; banned++)
      for (int64_t place = 0; place <= end; place++) {
        int64_t p = turn * half + banned * m + place, left = turn ? end - place : place;
        if (place > 0 && place < end) {
          int64_t moves = left < 3 ? left : 3;
          moves -= banned && banned <= moves;
          open_moves[p] = (uint8_t)(moves ? moves : 1);
        } else
          FINISH(long_entries, p, turn == (place > 0));
      }
  for (int64_t head = 0; head < tail; head++) {
    int64_t q = queue[head], turn = q >= half, rest = q - turn * half, stride = rest / m, place = rest - stride * m;
    int entry = long_entries[q];
    int64_t base = turn ? 0 : half; /* the player who has moved: 1 goes left, 2 goes right */
    if (stride) {
      int64_t from = turn ? place + stride : place - stride;
      if (from > 0 && from < end)
        for (int64_t banned = 0; banned < 4; banned++)
          if (banned != stride) VISIT(long_entries, base + banned * m + from, entry);
    } else if (place > 0 && place < end && (turn ? place : end - place) == 1)
      VISIT(long_entries, base + m + place, entry); /* passed: the only step left was banned */
  }
}

struct game {
  const char *name;
  int64_t (*size)(int64_t);
  void (*search)(int64_t), (*sweep)(int64_t);
};

static const struct game games[] = {
    {"line-runner", line_runner_size, line_runner_search, line_runner_sweep},
    {"flag-chase", flag_chase_size, flag_chase_search, flag_chase_sweep},
    {"number-line-sprint", sprint_size, sprint_search, NULL},
    {"reach-the-edge", edge_size, edge_search, NULL},
};

int main(int count, char **arguments) {
  if (count != 6) return fputs("usage: retrograde GAME END METHOD RUNS OUTPUT\n", stderr), 2;
  for (size_t n = 0; n < sizeof games / sizeof *games; n++) {
    const struct game *game = &games[n];
    if (strcmp(game->name, arguments[1])) continue;
    int64_t end = atoll(arguments[2]), size = game->size(end), is_long = game->search == edge_search;
    void (*solve)(int64_t) = strcmp(arguments[3], "sweep") ? game->search : game->sweep;
    size_t bytes = (size_t)size * (is_long ? sizeof *long_entries : sizeof *entries);
    for (int run = atoi(arguments[4]); run > 0; run--) {
      clock_t began = clock();
      queue = allocate((size_t)size * sizeof *queue);
      open_moves = allocate((size_t)size);
      void *column = allocate(bytes);
      entries = column;
      long_entries = column;
      solve(end);
      printf("%.6f\n", (double)(clock() - began) / CLOCKS_PER_SEC);
      if (run == 1) {
        FILE *file = fopen(arguments[5], "wb");
        if (!file || fwrite(column, bytes, 1, file) != 1 || fclose(file)) return perror(arguments[5]), 1;
      }
      free(queue), free(open_moves), free(column);
    }
    return 0;
  }
  return fputs("unknown game\n", stderr), 2;
}
