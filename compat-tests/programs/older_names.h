/* Names of constructs that OpenMP 5.1 and 5.2 deprecated. Programs use them, so those of the tests do as well. gcc 16 warns. */
#if __GNUC__ >= 16
#pragma GCC diagnostic ignored "-Wdeprecated-openmp"
#endif
