! Calls its tool as a program of the report's time does.
program control
    implicit none
    integer*8 :: command, modifier
    command = 1
    modifier = 7
!$omp parallel num_threads(2)
!$omp end parallel
    call ompt_control(command, modifier)
    command = 4
    call ompt_control(command, -1_8)
    print '(i0)', command
end program control
