! Fortran's forms of all constructs.
program constructs
  use omp_lib
  implicit none
  integer, parameter :: n = 100, rounds = 10
  integer(8) :: total, dynamic_total, wide, i8
  integer :: i, k, copied, first, second, found, nested
  integer :: values(n), order(n), place
  real(16) :: large
  logical :: got
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  total = 0; dynamic_total = 0; wide = 0; first = 0; second = 0; found = 0; nested = 0; place = 0; large = 0; copied = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel do reduction(+:total)               ! expect: FORK 1, IBAR T, IDLE T-1
  do i = 1, n
    total = total + i
  end do
  !$omp end parallel do
  !$omp parallel private(k) firstprivate(copied)     ! expect: FORK 1, IBAR T, IDLE T-1
  !$omp do schedule(dynamic, 3) reduction(+:dynamic_total)
  do i = 1, n
    dynamic_total = dynamic_total + i
  end do
  !$omp end do                                       ! expect: IBAR T
  !$omp do schedule(guided) reduction(+:wide)
  do i8 = 1, n
    wide = wide + i8
  end do
  !$omp end do                                       ! expect: IBAR T
  !$omp do
  do i = 1, n
    values(i) = i
  end do
  !$omp end do                                       ! expect: EBAR T
  !$omp do schedule(static, 1) ordered
  do i = 1, n
    !$omp ordered
    place = place + 1
    order(place) = i
    !$omp end ordered                                ! expect: ORDERED 100, ODWT 0..100*(T>1)
  end do
  !$omp end do                                       ! expect: IBAR T
  !$omp sections
  !$omp section
  first = 1
  !$omp section
  second = 2
  !$omp end sections                                 ! expect: IBAR T
  !$omp single
  found = found + 1
  !$omp end single                                   ! expect: SINGLE 1, EBAR T
  !$omp single
  found = found + 1
  !$omp end single nowait                            ! expect: SINGLE 1
  !$omp single
  copied = 7
  !$omp end single copyprivate(copied)               ! expect: SINGLE 1, IBAR T, EBAR T
  !$omp barrier                                      ! expect: EBAR T
  !$omp masked
  !$omp atomic
  found = found + copied
  !$omp end masked
  do k = 1, rounds
    !$omp critical
    first = first + 1
    !$omp end critical                               ! expect: CTWT 0..2*10*T*(T>1)
    !$omp critical (kiwi)
    second = second + 1
    !$omp end critical (kiwi)
    !$omp atomic
    large = large + 1                                ! expect: ATWT 0..10*T*(T>1)
    call omp_set_lock(lock)                          ! expect: LKWT 0..2*10*T*(T>1)
    place = place + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    call omp_set_nest_lock(nest)
    nested = nested + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    got = omp_test_lock(lock)
    if (got) call omp_unset_lock(lock)
  end do
  !$omp barrier                                      ! expect: EBAR T
  !$omp single
  do i = 1, 10
    !$omp task firstprivate(i)                       ! expect: TASK 10
    !$omp atomic
    found = found + i
    !$omp end task
  end do
  !$omp taskwait                                     ! expect: SUSPEND 1
  !$omp end single                                   ! expect: SINGLE 1, EBAR T
  !$omp end parallel
  !$omp parallel sections                            ! expect: FORK 1, IBAR T, IDLE T-1
  !$omp section
  first = first + 1
  !$omp section
  second = second + 1
  !$omp end parallel sections
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
  print '(3(i0, 1x))', total, dynamic_total, wide
  print '(6(i0, 1x))', first, second, found, nested, place, sum(values)
  print '(l1, 1x, i0)', all(order == values), int(large)
end program constructs
