/* Names of constructs that OpenMP 5.1 and 5.2 replaced. Programs have them, so those of the tests do, too. gcc 16 warns. */
#if __GNUC__ >= 16
#pragma GCC diagnostic ignored "-Wdeprecated-openmp"
#endif
