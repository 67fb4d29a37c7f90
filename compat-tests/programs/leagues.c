/* Leagues of teams on the host, alone and in target regions. Argument: which part. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int teams_seen;

/* Three teams, with regions of two threads in them, which share a loop. */
static void alone(void) {
    int n = 0;
#pragma omp teams num_teams(3) reduction(+ : n)
    {
        int i;
        n += omp_get_team_num() + 1;
#pragma omp distribute
        for (i = 0; i < 6; i++) n += 10;
#pragma omp parallel num_threads(2) reduction(+ : n)
        n += 100;
    }
    teams_seen += n == 6 + 60 + 600 ? 3 : 100;
}

/* As many teams as the runtime creates. */
static void any(void) {
#pragma omp teams
    {
        if (omp_get_team_num() == 0) teams_seen += 1;
    }
}

static void in_target(void) {
    int n = 0;
#pragma omp target teams num_teams(2) map(tofrom : n)
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp atomic
            n++;
        }
    }
    teams_seen += n == 4 || n == 2 ? n : 100;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*act)(void);
    } parts[] = {{"alone", alone}, {"any", any}, {"in_target", in_target}};
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) parts[i].act();
    printf("%d\n", teams_seen);
    return 0;
}
