! Calls its tool through the function of OpenMP 5, which gfortran's omp_lib does not declare.
program control
    implicit none
    interface
        integer function omp_control_tool(command, modifier)
            integer, intent(in) :: command, modifier
        end function omp_control_tool
    end interface
!$omp parallel num_threads(2)
!$omp end parallel
    print '(i0)', omp_control_tool(64, -1)
    print '(i0)', omp_control_tool(-3, 7)
end program control
