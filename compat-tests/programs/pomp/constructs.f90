! Constructs of Fortran that OPARI instruments, each a known number of times (tests/all/pomp.rs counts), with T threads. (OPARI 2.0.7 omits
! an argument at `parallel sections`; gfortran then requires that it is omitted at `sections` as well.)
program constructs
  use omp_lib
  implicit none
  integer :: i, total, tested, turns, masters, singles, parts(3), late
  integer :: field(8)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  total = 0
  tested = 0
  turns = 0
  masters = 0
  singles = 0
  parts = 0
  late = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
!$omp parallel num_threads(2)
  call omp_set_lock(lock)
  total = total + 1
  call omp_unset_lock(lock)
  call omp_set_nest_lock(nest)
  tested = tested + omp_test_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
!$omp end parallel
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
!$omp parallel private(i)
!$omp do reduction(+:total)
  do i = 1, 40
    total = total + i
  end do
!$omp end do
!$omp do schedule(dynamic) ordered
  do i = 1, 6
!$omp ordered
    turns = turns * 2 + mod(i, 2)
!$omp end ordered
  end do
!$omp end do
!$omp workshare
  field = 3
!$omp end workshare
!$omp critical(adding)
  parts(3) = parts(3) + 1
!$omp end critical(adding)
!$omp master
  masters = masters + 1
!$omp end master
!$omp single
  do i = 1, 5
!$omp task shared(late)
!$omp atomic
    late = late + 1
!$omp end task
  end do
!$omp taskwait
  singles = singles + 1
!$omp end single
!$omp barrier
!$omp flush
!$omp end parallel
!$omp parallel do schedule(static)
  do i = 1, 8
    field(i) = field(i) + i
  end do
!$omp end parallel do
!$omp parallel sections
!$omp section
  parts(1) = parts(1) + 1
!$omp section
  parts(2) = parts(2) + 1
!$omp end parallel sections
  print '(7i6)', total + tested, turns, masters, singles, parts(1) + parts(2), late, sum(field)
end program constructs
