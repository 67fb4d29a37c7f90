! Task reductions, loops with them, reductions of arrays and many variables, cancellation.
! with: OMP_CANCELLATION=true
program reductions
  use omp_lib
  implicit none
  integer :: i, sum_of_tasks, loop, array(5), largest, region
  real(8) :: product
  logical :: both
  complex :: sum_of_complex
  sum_of_tasks = 0; loop = 0; array = 0; largest = -1; product = 1; both = .true.; sum_of_complex = 0; region = 0
  !$omp parallel reduction(task, +:region)
  !$omp single
  !$omp taskgroup task_reduction(+:sum_of_tasks, array) task_reduction(max:largest)
  do i = 1, 50
    !$omp task in_reduction(+:sum_of_tasks, array) in_reduction(max:largest) firstprivate(i)
    sum_of_tasks = sum_of_tasks + i
    array(1 + mod(i, 5)) = array(1 + mod(i, 5)) + 1
    largest = max(largest, mod(i * 7, 31))
    !$omp end task
  end do
  !$omp end taskgroup
  !$omp end single
  !$omp do reduction(task, +:loop) schedule(guided)
  do i = 1, 40
    !$omp task in_reduction(+:loop) firstprivate(i)
    loop = loop + i
    !$omp end task
  end do
  !$omp task in_reduction(+:region)
  region = region + 1
  !$omp end task
  !$omp end parallel
  !$omp parallel do reduction(*:product) reduction(.and.:both) reduction(+:sum_of_complex, array) schedule(dynamic)
  do i = 1, 20
    product = product * merge(2d0, 1d0, mod(i, 5) == 0)
    both = both .and. i > 0
    sum_of_complex = sum_of_complex + cmplx(i, -i)
    array = array + 1
  end do
  !$omp parallel
  !$omp do
  do i = 1, 1000
    !$omp cancel do if(i == 1)
    !$omp cancellation point do
  end do
  !$omp end do
  !$omp end parallel
  print '(9(i0, 1x))', sum_of_tasks, array, largest, loop, region / omp_get_max_threads()
  print '(f8.1, 1x, l1, 2(1x, f8.1))', product, both, sum_of_complex
end program
