/* A plug-in of libgomp that simulates a device with the host's memory and processors. libgomp looks for it under one of the names that
 * it was built with, such as libgomp-plugin-nvptx.so.1. Programs need no code for the device: the plug-in reports that it executes the
 * host's (GOMP_OFFLOAD_CAP_NATIVE_EXEC). The functions are those of gcc's libgomp-plugin.h. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION 2
#endif

/* libgomp.so of gcc 12 requires 2, and reports "plugin version mismatch" otherwise. */
unsigned GOMP_OFFLOAD_version(void) { return PLUGIN_VERSION; }
const char *GOMP_OFFLOAD_get_name(void) { return "played"; }
/* Native execution, OpenMP. */
unsigned GOMP_OFFLOAD_get_caps(void) { return 1 << 1 | 1 << 2; }
/* OFFLOAD_TARGET_TYPE_NVIDIA_PTX */
int GOMP_OFFLOAD_get_type(void) { return 5; }
int GOMP_OFFLOAD_get_num_devices(unsigned requirements) {
    (void)requirements;
    return 1;
}
bool GOMP_OFFLOAD_init_device(int device) { return device == 0; }
bool GOMP_OFFLOAD_fini_device(int device) { return device == 0; }
int GOMP_OFFLOAD_load_image(int device, unsigned version, const void *image, void **table) {
    (void)device, (void)version, (void)image, (void)table;
    return 0;
}
bool GOMP_OFFLOAD_unload_image(int device, unsigned version, const void *image) {
    (void)device, (void)version, (void)image;
    return true;
}
void *GOMP_OFFLOAD_alloc(int device, size_t size) {
    (void)device;
    return malloc(size);
}
bool GOMP_OFFLOAD_free(int device, void *address) {
    (void)device;
    free(address);
    return true;
}
bool GOMP_OFFLOAD_dev2host(int device, void *to, const void *from, size_t size) {
    (void)device;
    memcpy(to, from, size);
    return true;
}
bool GOMP_OFFLOAD_host2dev(int device, void *to, const void *from, size_t size) {
    (void)device;
    memcpy(to, from, size);
    return true;
}
bool GOMP_OFFLOAD_dev2dev(int device, void *to, const void *from, size_t size) {
    (void)device;
    memmove(to, from, size);
    return true;
}
bool GOMP_OFFLOAD_can_run(void *function) {
    (void)function;
    return true;
}
void GOMP_OFFLOAD_run(int device, void *function, void *variables, void **arguments) {
    (void)device, (void)arguments;
    ((void (*)(void *))function)(variables);
}
