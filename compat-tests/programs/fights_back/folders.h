/* The ways "folders" and "recording": replace the contents of a recording, in folders to which anybody may write, and in the folder to
   which the process itself records. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failures;

/* Most of these attempts fail most of the time. */
#define TRY(call) ((void)((call) != 0 && failures++))

/* A link to VICTIM replaces the folder. */
static void exchange(int place, const char *name)
{
    TRY(unlinkat(place, "fights-back", 0));
    TRY(symlinkat(victim, place, "fights-back"));
    TRY(syscall(SYS_renameat2, place, "fights-back", place, name, 2 /* RENAME_EXCHANGE */));
}

static void sparse_file(int folder, const char *name)
{
    int file = openat(folder, name, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file >= 0) {
        TRY(ftruncate(file, (off_t)3 << 30));
        TRY(close(file));
    }
}

/* Puts something that is not a recording among the folders of one. */
static void foreign(int folder)
{
    char name[32];
    switch (random_number() % 5) {
    case 0:
        TRY(mkdirat(folder, "pid-1", 0700));
        TRY(mkfifoat(folder, "pid-1/events", 0700));
        TRY(mkfifoat(folder, "pid-1/records", 0700));
        break;
    case 1:
        TRY(mkdirat(folder, "pid-2", 0700));
        TRY(symlinkat(victim, folder, "pid-2/records"));
        break;
    case 2:
        TRY(symlinkat("/etc", folder, "pid-3"));
        break;
    case 3:
        TRY(mkdirat(folder, "pid-4", 0700));
        sparse_file(folder, "pid-4/events");
        break;
    default:
        TRY(mkdirat(folder, "pid-5", 0700));
        for (int inner = 0; inner < 50; inner++) {
            snprintf(name, sizeof name, "pid-5/%d", inner);
            TRY(mkdirat(folder, name, 0));
        }
    }
}

static void *folders(void *unused)
{
    static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};
    (void)unused;
    for (;;) {
        for (int which = 0; which < 3; which++) {
            DIR *place = opendir(places[which]);
            struct dirent *entry;
            while (place && (entry = readdir(place))) {
                if (strncmp(entry->d_name, "ora-", 4))
                    continue;
                int folder = openat(dirfd(place), entry->d_name, O_DIRECTORY | O_NOFOLLOW);
                struct stat about;
                if (folder < 0 || fstat(folder, &about) || about.st_uid != getuid())
                    ;
                else if (random_number() % 6 == 0)
                    exchange(dirfd(place), entry->d_name);
                else
                    foreign(folder);
                if (folder >= 0)
                    close(folder);
            }
            if (place)
                closedir(place);
        }
        pause_for(100);
    }
    return 0;
}

/* Repeatedly, something else takes the name of the process's events for a moment. */
static void *recording(void *unused)
{
    const char *all = getenv("ORA_TRACE_DIR");
    char own[600];
    (void)unused;
    snprintf(own, sizeof own, "%s/pid-%d", all ? all : "/", getpid());
    int folder;
    while ((folder = open(own, O_DIRECTORY | O_NOFOLLOW)) < 0)
        pause_for(1000);
    TRY(symlinkat(victim, folder, "link"));
    TRY(symlinkat(victim, folder, "records.link"));
    TRY(mkfifoat(folder, "pipe", 0700));
    TRY(mkdirat(folder, "folder", 0700));
    sparse_file(folder, "sparse");
    for (;;) {
        static const char *const others[] = {"link", "pipe", "folder", "sparse"};
        const char *other = others[random_number() % 4];
        for (int there_and_back = 0; there_and_back < 2; there_and_back++) {
            TRY(syscall(SYS_renameat2, folder, other, folder, "events", 2 /* RENAME_EXCHANGE */));
            pause_for((long)(random_number() % 2000));
        }
    }
    return 0;
}
