! A loop in a procedure within another one, and a share that is computed by hand.
program outer
  use omp_lib
  integer :: a(1000)
  a = 0
  call inner(a)
  !$omp parallel
  a(1 + 100 / omp_get_num_threads() * omp_get_thread_num()) = 1
  !$omp end parallel
contains
  subroutine inner(numbers)
    integer :: numbers(:), i
    !$omp parallel do
    do i = 1, size(numbers)
      numbers(i) = i
    end do
  end subroutine
end program
