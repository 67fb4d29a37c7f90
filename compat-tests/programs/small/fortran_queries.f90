! Fortran's forms of the queries, with both kinds of integers and logicals, at three levels.
! with: OMP_SCHEDULE=guided,4
program queries
  use omp_lib
  implicit none
  character(len=160) :: lines(0:9)
  integer :: me
  lines = ""
  call ask(lines(0), "outside")
  call omp_set_max_active_levels(2)
  call omp_set_dynamic(.false.)
  !$omp parallel num_threads(2) private(me)
  me = omp_get_thread_num()
  call ask(lines(1 + me), "region")
  !$omp parallel num_threads(2)
  call ask(lines(3 + 2 * me + omp_get_thread_num()), "nested")
  !$omp end parallel
  !$omp end parallel
  call omp_set_schedule(omp_sched_static, 9)
  call omp_set_num_threads(3)
  call ask(lines(8), "changed")
  do me = 0, 9
    print '(a)', trim(lines(me))
  end do
contains
  subroutine ask(line, where)
    character(len=*), intent(out) :: line
    character(len=*), intent(in) :: where
    integer(omp_sched_kind) :: kind
    integer :: chunk
    call omp_get_schedule(kind, chunk)
    write (line, '(a, 12(1x, i0), 4(1x, l1))') where, omp_get_level(), omp_get_active_level(), omp_get_num_threads(), &
      omp_get_thread_num(), omp_get_max_threads(), omp_get_max_active_levels(), int(kind), chunk, &
      omp_get_ancestor_thread_num(1), omp_get_team_size(1), omp_get_num_teams(), omp_get_team_num(), &
      omp_in_parallel(), omp_in_final(), omp_get_dynamic(), omp_get_wtime() > 0
  end subroutine
end program
