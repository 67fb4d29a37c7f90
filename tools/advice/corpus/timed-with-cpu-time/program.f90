! The program scales, but measures itself with a clock of processor time.
program main
  integer :: i
  real(8) :: sum
  real :: begin, finish
  sum = 0
  call cpu_time(begin)
  !$omp parallel do reduction(+:sum)
  do i = 1, 600000000
    sum = sum + 1d0 / i
  end do
  call cpu_time(finish)
  write (0, '(a, f6.3)') 'it took ', finish - begin
  print '(f8.3)', sum
end program
