/* Queens on a board: tasks with a firstprivate board, as deep as it goes. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 7 };

static int fits(const char *board, int row, int column) {
    int i;
    for (i = 0; i < row; i++)
        if (board[i] == column || board[i] - column == row - i || column - board[i] == row - i) return 0;
    return 1;
}

static void place(const char *before, int row, int *solutions) {
    int column;
    if (row == N) {
#pragma omp atomic
        *solutions += 1;
        return;
    }
    for (column = 0; column < N; column++) {
        char board[N];
        if (!fits(before, row, column)) continue;
        memcpy(board, before, N);
        board[row] = (char)column;
#pragma omp task firstprivate(board, row)
        place(board, row + 1, solutions);
    }
#pragma omp taskwait
}

int main(void) {
    const char empty[N] = {0};
    int solutions = 0;
#pragma omp parallel
#pragma omp single
    place(empty, 0, &solutions);
    printf("%d\n", solutions);
    return 0;
}
