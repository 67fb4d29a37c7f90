! threadprivate common blocks and module variables, copyin, copyprivate of allocatables, reductions of derived types.
module numbers
  implicit none
  type pair
    integer :: a = 0, b = 0
  end type
  interface operator(+)
    procedure add
  end interface
  integer, allocatable :: of_thread(:)
  !$omp threadprivate(of_thread)
  !$omp declare reduction(+ : pair : omp_out = omp_out + omp_in) initializer(omp_priv = pair())
contains
  pure type(pair) function add(x, y)
    type(pair), intent(in) :: x, y
    add = pair(x%a + y%a, x%b + y%b)
  end function
end module

program private_variables
  use omp_lib
  use numbers
  implicit none
  integer :: mine, i, wrong
  character(len=10) :: name
  common /block/ mine, name
  !$omp threadprivate(/block/)
  type(pair) :: both
  integer, allocatable :: given(:)
  mine = 5
  name = "common"
  allocate(of_thread(4))
  of_thread = 6
  wrong = 0
  !$omp parallel copyin(/block/, of_thread) reduction(+:wrong)
  if (mine /= 5 .or. name /= "common" .or. sum(of_thread) /= 24) wrong = wrong + 1
  of_thread = omp_get_thread_num()
  !$omp end parallel
  !$omp parallel reduction(+:wrong) private(given)
  if (any(of_thread /= omp_get_thread_num())) wrong = wrong + 1
  allocate(given(3))
  !$omp single
  given = 9
  !$omp end single copyprivate(given)
  if (sum(given) /= 27) wrong = wrong + 1
  !$omp end parallel
  !$omp parallel do reduction(+:both) schedule(dynamic, 3)
  do i = 1, 50
    both = both + pair(i, 1)
  end do
  print '(3(i0, 1x))', wrong, both%a, both%b
end program
