! A generator of random numbers keeps its state in a saved variable.
module generator
contains
  integer function draw()
    integer, save :: seed = 12345
    seed = iand(seed * 1103 + 12345, 1048575) ! HERE
    draw = seed
  end function
end module

program main
  use generator
  integer :: i, low
  low = 0
  !$omp parallel do reduction(+:low)
  do i = 1, 20000
    if (draw() < 524288) low = low + 1
  end do
  print '(a)', merge('right', 'wrong', low > 5000)
end program
