/* A program that is its own tool of OpenMP 5: compares all places and their processors with what the runtime's routines say. */
#include "omp-tools.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static ompt_get_num_places_t get_num_places;
static ompt_get_place_proc_ids_t get_place_proc_ids;
static ompt_get_partition_place_nums_t get_partition_place_nums;

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    get_num_places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
    get_place_proc_ids = (ompt_get_place_proc_ids_t)lookup("ompt_get_place_proc_ids");
    get_partition_place_nums = (ompt_get_partition_place_nums_t)lookup("ompt_get_partition_place_nums");
    return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

int main(void) {
    int places = omp_get_num_places(), place, processors = 0, wrong = 0, at, members = 0;
    int *nums = calloc((size_t)places + 1, sizeof *nums);
    if (!nums || get_num_places() != places) wrong++;
    for (place = 0; place < places; place++) {
        int theirs[64], ours[64], count = omp_get_place_num_procs(place);
        if (count > 64 || get_place_proc_ids(place, 64, ours) != count) {
            wrong++;
            continue;
        }
        omp_get_place_proc_ids(place, theirs);
        for (at = 0; at < count; at++) wrong += ours[at] != theirs[at];
        processors += count;
    }
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    wrong += get_partition_place_nums(places, nums) != omp_get_partition_num_places();
    printf("%d places of %d processors, %d wrong\n", places, processors, wrong);
    free(nums);
    return members != 2;
}
