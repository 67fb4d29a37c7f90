! The constructs of devices.c and leagues.c for devices and leagues, from Fortran. Argument: which part.
program devices
    use omp_lib
    implicit none
    character(len=32) :: part
    integer :: wrong = 0

    call get_command_argument(1, part)
    select case (part)
    case ("constructs")
        call constructs()
    case ("teams")
        call teams()
    case ("deferred")
        call deferred()
    case ("on_host")
        call on_host()
    case ("alone")
        call alone()
    case ("in_target")
        call in_target()
    case default
        wrong = 1
    end select
    if (wrong /= 0) stop 1

contains

    subroutine check(right)
        logical, intent(in) :: right
        if (.not. right) wrong = wrong + 1
    end subroutine check

    subroutine constructs()
        integer :: a(100), i, total
        a = [(i, i = 0, 99)]
        total = 0
        !$omp target data map(tofrom: a)
        !$omp target map(tofrom: total)
        do i = 1, 100
            total = total + a(i)
        end do
        !$omp end target
        !$omp target update from(a)
        !$omp end target data
        !$omp target enter data map(to: a)
        !$omp target exit data map(from: a)
        call check(total == 4950)
    end subroutine constructs

    subroutine teams()
        integer :: total
        total = 0
        !$omp target teams num_teams(3) map(tofrom: total) reduction(+: total)
        total = total + 1
        !$omp end target teams
        call check(total >= 1 .and. total <= 3)
    end subroutine teams

    subroutine deferred()
        integer :: total
        total = 0
        !$omp parallel num_threads(2)
        !$omp single
        !$omp target nowait map(tofrom: total)
        total = total + 1
        !$omp end target
        !$omp taskwait
        !$omp end single
        !$omp end parallel
        call check(total == 1)
    end subroutine deferred

    subroutine on_host()
        integer :: total
        total = 0
        !$omp target device(omp_get_initial_device()) map(tofrom: total)
        total = total + 1
        !$omp end target
        !$omp target if(.false.) map(tofrom: total)
        total = total + 1
        !$omp end target
        call check(total == 2)
    end subroutine on_host

    subroutine alone()
        integer :: n, i
        n = 0
        !$omp teams num_teams(3) reduction(+: n)
        n = n + omp_get_team_num() + 1
        !$omp distribute
        do i = 1, 6
            n = n + 10
        end do
        !$omp end distribute
        !$omp parallel num_threads(2) reduction(+: n)
        n = n + 100
        !$omp end parallel
        !$omp end teams
        call check(n == 6 + 60 + 600)
    end subroutine alone

    subroutine in_target()
        integer :: n
        n = 0
        !$omp target teams num_teams(2) map(tofrom: n)
        !$omp parallel num_threads(2)
        !$omp atomic
        n = n + 1
        !$omp end parallel
        !$omp end target teams
        call check(n == 4 .or. n == 2)
    end subroutine in_target
end program devices
