! Detachable tasks in Fortran: events that are fulfilled before, in and after the bodies, and by another task.
program detach
  use omp_lib
  implicit none
  integer(omp_event_handle_kind) :: first, second, third
  integer :: done, i
  done = 0
  !$omp parallel
  !$omp single
  do i = 1, 20
    !$omp task detach(first)
      !$omp atomic
      done = done + 1
    !$omp end task
    !$omp task detach(second) firstprivate(first)
      !$omp atomic
      done = done + 1
      call omp_fulfill_event(first)
    !$omp end task
    !$omp task detach(third)
      call omp_fulfill_event(third)
      !$omp atomic
      done = done + 1
    !$omp end task
    call omp_fulfill_event(second)
    !$omp taskwait
  end do
  !$omp end single
  !$omp end parallel
  print '(i0)', done
end program
