! The program with the cure applied: measure wall time.
program main
  integer :: i
  real(8) :: sum
  integer(8) :: begin, finish, rate
  sum = 0
  call system_clock(begin, rate)
  !$omp parallel do reduction(+:sum)
  do i = 1, 600000000
    sum = sum + 1d0 / i
  end do
  call system_clock(finish)
  write (0, '(a, f6.3)') 'it took ', real(finish - begin, 8) / rate
  print '(f8.3)', sum
end program
