! A variable that a section writes while another one prints it; with -DCLEAN it reads what the other prints.
program race_io
  implicit none
  integer :: value(8), first, other
  value = 1
  first = 2
  !$omp parallel num_threads(2)
  !$omp sections
  !$omp section
#ifdef CLEAN
  other = first + value(7)
#else
  value(7) = 3
#endif
  !$omp section
  print *, first
  print *, value
  !$omp end sections
  !$omp end parallel
end program
