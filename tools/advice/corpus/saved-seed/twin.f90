! The program with the cure applied: threadprivate(seed).
module generator
contains
  integer function draw()
    integer, save :: seed = 12345
    !$omp threadprivate(seed)
    seed = iand(seed * 1103 + 12345, 1048575)
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
