/* Constructs and routines for devices, on the default device: the host, or one that a plug-in simulates. Argument: the part. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check(int right) {
    if (!right) wrong++;
}

static void constructs(void) {
    int a[100], i, sum = 0;
    for (i = 0; i < 100; i++) a[i] = i;
#pragma omp target data map(tofrom : a)
    {
#pragma omp target map(tofrom : sum)
        for (i = 0; i < 100; i++) sum += a[i];
#pragma omp target update from(a)
    }
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
    check(sum == 4950);
}

static void teams(void) {
    int sum = 0;
#pragma omp target teams num_teams(3) map(tofrom : sum) reduction(+ : sum)
    sum++;
    check(sum >= 1 && sum <= 3);
}

static void deferred(void) {
    int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : sum)
        sum++;
#pragma omp taskwait
    }
    check(sum == 1);
}

/* Target tasks: of a deferred construct, and of constructs with dependences. The last construct has none. */
static void tasks(void) {
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait depend(out : x) map(tofrom : x)
        x++;
#pragma omp target depend(inout : x) map(tofrom : x)
        x++;
#pragma omp target update to(x) depend(in : x)
#pragma omp task final(1) shared(x)
        {
#pragma omp target nowait map(tofrom : x)
            x++;
        }
#pragma omp taskwait
#pragma omp target map(tofrom : x)
        x++;
    }
    check(x == 4);
}

/* On the host, no matter which device is the default one. */
static void on_host(void) {
    int sum = 0;
#pragma omp target device(omp_get_initial_device()) map(tofrom : sum)
    sum++;
#pragma omp target if (0) map(tofrom : sum)
    sum++;
    check(sum == 2);
}

static void routines(int device, int is_host) {
    static char a[100], b[100];
    int host = omp_get_initial_device();
    size_t volume[2] = {2, 3}, origin[2] = {0, 0}, sizes[2] = {10, 10};
    void *memory = omp_target_alloc(100, device);
    memset(a, 7, sizeof a);
    check(memory && !omp_target_memcpy(memory, a, 90, 10, 10, device, host));
    check(!omp_target_memcpy(b, memory, 90, 10, 10, host, device));
    check(b[9] == 0 && b[10] == 7 && b[99] == 7);
    check(!omp_target_memcpy_rect(memory, a, 1, 2, volume, origin, origin, sizes, sizes, device, host));
    check(!omp_target_associate_ptr(a, memory, 100, 0, device) == !is_host);
    check(!omp_target_disassociate_ptr(a, device) == !is_host);
    omp_target_free(memory, device);
}

/* Refusals and failures of the runtime: numbers that no device has, and the host's where a device is needed. Then one copy. */
static void refused(void) {
    const int host = omp_get_initial_device(), none[2] = {77, -77};
    size_t volume[2] = {2, 3}, origin[2] = {0, 0}, sizes[2] = {10, 10};
    static char a[100], b[100];
    int at;
    for (at = 0; at < 2; at++) {
        check(omp_target_alloc(8, none[at]) == NULL);
        omp_target_free(a, none[at]);
        check(omp_target_memcpy(a, b, 4, 0, 0, none[at], host) != 0);
        check(omp_target_memcpy(a, b, 4, 0, 0, host, none[at]) != 0);
        check(omp_target_memcpy_rect(a, b, 1, 2, volume, origin, origin, sizes, sizes, none[at], host) != 0);
        check(omp_target_memcpy_rect(a, b, 1, 2, volume, origin, origin, sizes, sizes, host, none[at]) != 0);
        check(omp_target_associate_ptr(a, b, 4, 0, none[at]) != 0);
        check(omp_target_disassociate_ptr(a, none[at]) != 0);
#if __GNUC__ >= 13
        check(omp_target_memcpy_async(a, b, 4, 0, 0, none[at], host, 0, NULL) != 0);
        check(omp_target_memcpy_rect_async(a, b, 1, 2, volume, origin, origin, sizes, sizes, host, none[at], 0, NULL) != 0);
#endif
    }
    check(omp_target_alloc((size_t)-1 / 2, host) == NULL);
    omp_target_free(NULL, host);
    check(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) != 0);
    /* gcc 12's libgomp copies nothing, and reports success. */
    (void)omp_target_memcpy_rect(a, b, 1, -1, volume, origin, origin, sizes, sizes, host, host);
    check(omp_target_associate_ptr(a, b, 4, 0, host) != 0);
    check(omp_target_disassociate_ptr(a, host) != 0);
    check(omp_target_memcpy_rect(a, b, 1, 2, volume, origin, origin, sizes, sizes, host, host) == 0);
}

/* libgomp's functions for objects with code for devices: version, first and last function and variable on the host, kind of the
 * device, and the code. */
extern void GOMP_offload_register_ver(unsigned, const void *, int, const void *) __attribute__((weak));
extern void GOMP_offload_unregister_ver(unsigned, const void *, int, const void *) __attribute__((weak));

static void code(void) {
    static const void *nothing[4];
    static const char image[] = "code";
    const int nvptx = 5;
    int sum = 0;
    if (!GOMP_offload_register_ver) return;
#pragma omp target map(tofrom : sum)
    sum++;
    GOMP_offload_register_ver(1 << 16, nothing, nvptx, image);
    GOMP_offload_unregister_ver(1 << 16, nothing, nvptx, image);
    check(sum == 1);
}

/* gcc has the routines since release 13. */
static void asynchronous(int device) {
#if __GNUC__ >= 13
    static char a[100], b[100];
    int host = omp_get_initial_device();
    size_t volume[2] = {2, 3}, origin[2] = {0, 0}, sizes[2] = {10, 10};
    char *memory = omp_target_alloc(100, device);
    memset(a, 7, sizeof a);
    check(memory && !omp_target_memcpy_async(memory, a, 90, 10, 10, device, host, 0, NULL));
#pragma omp taskwait
    check(!omp_target_memcpy_async(b, memory, 90, 10, 10, host, device, 0, NULL));
#pragma omp taskwait
    check(b[9] == 0 && b[10] == 7 && b[99] == 7);
    check(!omp_target_memcpy_rect_async(memory, a, 1, 2, volume, origin, origin, sizes, sizes, device, host, 0, NULL));
#pragma omp taskwait
    omp_target_free(memory, device);
#else
    (void)device;
#endif
}

static void async_on_host(void) { asynchronous(omp_get_initial_device()); }
static void async_on_device(void) { asynchronous(omp_get_default_device()); }

static void on_default_device(void) { routines(omp_get_default_device(), omp_get_default_device() == omp_get_initial_device()); }
/* OpenMP 6.1's name of the default device, which gcc 16 has. */
static void on_named_device(void) {
#if __GNUC__ >= 16
    routines(omp_default_device, omp_get_default_device() == omp_get_initial_device());
#endif
}
static void routines_on_host(void) { routines(omp_get_initial_device(), 1); }

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*act)(void);
    } parts[] = {{"constructs", constructs}, {"teams", teams}, {"tasks", tasks},
                 {"deferred", deferred},     {"on_host", on_host}, {"code", code}, {"refused", refused}, {"async_on_host", async_on_host}, {"async_on_device", async_on_device},
                 {"routines", on_default_device}, {"routines_by_name", on_named_device}, {"routines_on_host", routines_on_host}};
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) parts[i].act();
    printf("devices %d, wrong %d\n", omp_get_num_devices(), wrong);
    return wrong != 0;
}
