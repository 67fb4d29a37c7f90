! The triple loop of a three-body term: iterations get longer.
program main
  integer :: i, j, k
  real(8) :: energy
  energy = 0
  !$omp parallel do private(j, k) reduction(+:energy) ! HERE
  do i = 1, 1400
    do j = 1, i
      do k = 1, j
        energy = energy + 1d0 / (i + j + k)
      end do
    end do
  end do
  print '(f12.1)', energy
end program
