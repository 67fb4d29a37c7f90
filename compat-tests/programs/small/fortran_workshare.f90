! workshare, loops, sections, single with copyprivate, ordered, doacross, critical, atomic and locks in Fortran.
program workshare
  use omp_lib
  implicit none
  integer, parameter :: n = 20
  integer :: i, order(n), place, guarded, locked, first, count
  real(8) :: a(n), b(n), total
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  logical :: got
  place = 0; guarded = 0; locked = 0; total = 0; count = 0; first = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel private(got, first)
  !$omp workshare
  a = 2
  b = a * 3
  forall (i = 1:n) a(i) = a(i) + b(i)
  where (a > 5) b = 1
  total = sum(a)
  !$omp end workshare
  !$omp do ordered schedule(dynamic)
  do i = 1, n
    !$omp ordered
    place = place + 1
    order(place) = i
    !$omp end ordered
  end do
  !$omp do ordered(1) schedule(static, 1)
  do i = 2, n
    !$omp ordered depend(sink: i - 1)
    b(i) = b(i - 1) + 1
    !$omp ordered depend(source)
  end do
  !$omp single
  first = 8
  !$omp end single copyprivate(first)
  !$omp critical (named) hint(omp_sync_hint_contended)
  guarded = guarded + first
  !$omp end critical (named)
  call omp_set_lock(lock)
  locked = locked + 1
  call omp_unset_lock(lock)
  call omp_set_nest_lock(nest)
  call omp_set_nest_lock(nest)
  count = count + omp_test_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  got = omp_test_lock(lock)
  if (got) call omp_unset_lock(lock)
  !$omp sections
  !$omp section
  a(1) = 100
  !$omp section
  a(2) = 200
  !$omp end sections
  !$omp end parallel
  !$omp parallel workshare
  a = a + 1
  !$omp end parallel workshare
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
  print '(3(f8.1, 1x))', total, sum(a), b(n)
  print '(l1, 2(1x, i0))', all(order == [(i, i = 1, n)]), (guarded + locked) / omp_get_max_threads(), count / omp_get_max_threads()
end program
