! As constructs.c, in Fortran.
module grid
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine here(tag) bind(c)
      import
      character(kind=c_char), intent(in) :: tag(*)
    end subroutine
  end interface
contains
  subroutine step(cells)
    real(8), intent(inout) :: cells(:)
!$omp parallel ! construct step
    call here(c_char_"step"//c_null_char)
    cells(1) = cells(1) + 1
!$omp end parallel
  end subroutine
end module

subroutine external(cells)
  use grid
  real(8), intent(inout) :: cells(4)
!$omp parallel ! construct external
  call here(c_char_"external"//c_null_char)
  cells(1) = cells(1) + 1
!$omp end parallel
end subroutine

program heat
  use grid
  implicit none
  real(8) :: cells(4)
  interface
    subroutine external(cells)
      real(8), intent(inout) :: cells(4)
    end subroutine
  end interface
  cells = 1
!$omp parallel ! construct heat
  call here(c_char_"heat"//c_null_char)
  cells(3) = cells(3) + 1
!$omp end parallel
  call step(cells)
  call external(cells)
  call within()
  call here(c_char_"program"//c_null_char)
  print *, sum(cells)
contains
  subroutine within()
!$omp parallel ! construct within
    call here(c_char_"within"//c_null_char)
    cells(2) = cells(2) + 1
!$omp end parallel
  end subroutine
end program
