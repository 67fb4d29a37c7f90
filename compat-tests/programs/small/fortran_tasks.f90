! Tasks of Fortran: allocatables, arrays, strings and derived types as firstprivate, dependences, groups, recursion.
module shapes
  implicit none
  type shape
    integer :: sides = 3
    real(8), allocatable :: angles(:)
    character(len=20) :: name = "triangle"
  end type
contains
  recursive integer function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(a) if(n > 5)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b) final(n < 4) untied
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    value = a + b
  end function
  subroutine measure(given, number)
    character(len=*), intent(in) :: given
    integer, intent(inout) :: number
    character(len=len(given)) :: text
    text = given
    !$omp task firstprivate(text) shared(number) mergeable
    !$omp atomic
    number = number + len(text) + index(text, "text")
    !$omp end task
    !$omp taskwait
  end subroutine
end module

program tasks
  use omp_lib
  use shapes
  implicit none
  integer :: i, total, chain, number, matrix(10, 10)
  integer, allocatable :: values(:), empty(:)
  real(8) :: sum_of_angles
  type(shape) :: one
  allocate(values(500))
  values = 2
  matrix = 3
  allocate(one%angles(3))
  one%angles = 60
  total = 0; chain = 1; number = 0; sum_of_angles = 0
  !$omp parallel
  !$omp single
  do i = 1, 40
    !$omp task firstprivate(values, matrix, empty, i) shared(total)
    values(i) = i
    if (allocated(empty)) values = -1
    !$omp atomic
    total = total + sum(values) + sum(matrix)
    !$omp end task
    !$omp task firstprivate(one) if(mod(i, 3) > 0) shared(sum_of_angles)
    one%angles(1) = one%angles(1) + 1
    !$omp atomic
    sum_of_angles = sum_of_angles + sum(one%angles) + one%sides
    !$omp end task
    !$omp task depend(inout: chain) firstprivate(i) shared(chain)
    chain = mod(chain * 7 + i, 1009)
    !$omp end task
    call measure("some text of its own length", number)
  end do
  !$omp taskgroup
  !$omp task shared(number)
  !$omp task shared(number)
  !$omp atomic
  number = number + 1
  !$omp end task
  !$omp end task
  !$omp end taskgroup
  !$omp taskyield
  !$omp end single
  !$omp end parallel
  print '(3(i0, 1x), f8.1)', total, chain, number, sum_of_angles
  print '(2(f5.1, 1x), i0, 1x, i0)', one%angles(1), one%angles(2), values(1), size(values)
  !$omp parallel
  !$omp single
  number = fibonacci(14)
  !$omp end single
  !$omp end parallel
  print '(i0, 1x, i0)', number, fibonacci(8)
end program
