! taskloop in Fortran: grain sizes, collapse, steps down, lastprivate, firstprivate arrays, reductions, wide integers.
program taskloops
  use omp_lib
  implicit none
  integer :: i, j, last, grid(8, 9), first(20)
  integer(8) :: wide, total
  real :: reduced
  integer, allocatable :: copy(:)
  total = 0; reduced = 0; last = 0; grid = 0; first = 4
  allocate(copy(100))
  copy = 1
  !$omp parallel
  !$omp single
  !$omp taskloop grainsize(6) reduction(+:reduced)
  do i = 1, 50
    reduced = reduced + i
  end do
  !$omp end taskloop
  !$omp taskloop num_tasks(5) lastprivate(last) firstprivate(first, copy)
  do i = 100, 1, -7
    last = i + first(3) + copy(50)
  end do
  !$omp end taskloop
  !$omp taskloop collapse(2) private(j)
  do i = 1, 8
    do j = 9, 1, -1
      grid(i, j) = i * j
    end do
  end do
  !$omp end taskloop
  !$omp taskloop nogroup shared(total)
  do wide = 4000000000_8, 4000000100_8, 10_8
    !$omp atomic
    total = total + wide
  end do
  !$omp end taskloop
  !$omp taskwait
  !$omp taskgroup task_reduction(+:total)
  !$omp task in_reduction(+:total)
  total = total + 5
  !$omp end task
  !$omp taskloop simd in_reduction(+:total) nogroup
  do i = 1, 30
    total = total + i
  end do
  !$omp end taskloop simd
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel
  !$omp parallel master taskloop reduction(+:reduced) if(.false.)
  do i = 1, 10
    reduced = reduced + 1
  end do
  !$omp end parallel master taskloop
  print '(f8.1, 1x, 3(i0, 1x))', reduced, last, sum(grid), total
end program
