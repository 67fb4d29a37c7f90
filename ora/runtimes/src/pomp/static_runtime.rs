//! The routines of a runtime that is linked into the program together with this library: the references pull them out of
//! their archive.

use std::ffi::CStr;

macro_rules! linked {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name();)*
        }

        /// The routine of that name.
        pub(super) fn find(name: &CStr) -> Option<*mut ()> {
            let all: &[(&str, unsafe extern "C" fn())] = &[$((stringify!($name), $name)),*];
            let found = all.iter().find(|(known, _)| known.as_bytes() == name.to_bytes());
            found.map(|(_, routine)| *routine as *const () as *mut ())
        }
    };
}

linked! {
    omp_get_thread_num omp_get_num_threads omp_get_level omp_get_ancestor_thread_num omp_get_max_threads
    omp_init_lock omp_destroy_lock omp_set_lock omp_unset_lock omp_test_lock
    omp_init_nest_lock omp_destroy_nest_lock omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock
    omp_init_lock_ omp_destroy_lock_ omp_set_lock_ omp_unset_lock_ omp_test_lock_
    omp_init_nest_lock_ omp_destroy_nest_lock_ omp_set_nest_lock_ omp_unset_nest_lock_ omp_test_nest_lock_
}
