! A variable that a section writes while another one prints it; with -DCLEAN it prints another.
program race_io
  implicit none
  integer :: value(8), other
  value = 1
  other = 2
  !$omp parallel num_threads(2)
  !$omp sections
  !$omp section
  value(7) = 3
  !$omp section
#ifdef CLEAN
  print *, other
#else
  print *, value
#endif
  !$omp end sections
  !$omp end parallel
end program
