//! Tests that an emulated processor can't run, by what the emulator or the root lacks.

/// A test by a part of its name, and the reason.
type Skipped = (&'static str, &'static str);

/// Packages whose tests run on an emulated processor, and those of their tests that can't.
pub(crate) const TESTS: [(&str, &[Skipped]); 3] =
    [("compat-tests", LIBRARY), ("ora-cli", COMMAND), ("ora-validate-tool", &[])];

const ADDRESSES: &str = "ThreadSanitizer does not start: the emulator's addresses have 47 bits";
const MEMORY: &str =
    "the memory of the process is the emulator's, which grows with each thread that has ended, also without ora";
const OWN_FILES: &str = "/proc/PID of an emulated process is the emulator's: its program, its mappings";
const CACHE: &str = "the root's list of libraries (ldconfig) has those of its own processor";

const SANITIZERS: &str = "the root has the sanitizers' libraries for its cross compilers alone";

const LIBRARY: &[Skipped] = &[
    (
        "endings::errno_and_signal_masks_are_kept",
        "libgomp waits by `syscall` there, which sets errno when a signal comes",
    ),
    ("examples::the_tool_in_rust_shows", "cargo builds the tool for the processor that cargo itself runs on"),
    ("private_runtimes::libgomps_that_come_and_go_are_reported_each_time", MEMORY),
    ("processes::short_lived_threads_leave_nothing_behind", MEMORY),
    (
        "processes::what_runs_on_other_stacks_is_reported",
        "the emulator puts the program's data above the first thread's stack, and with them a stack that is to lie below all others",
    ),
    ("race::a_race_of_singles_is_found", ADDRESSES),
    ("race::tasks_and_teams_of_one_thread_are_concurrent", ADDRESSES),
    ("race::the_detector_acquits_right_programs", ADDRESSES),
    ("sanitizers::programs_with_asan_run_without_a_report", "AddressSanitizer ends Fortran's tasks, also without ora"),
    ("secure::no_variable_that_names_a_file_counts", "the emulating user namespace has one group"),
    ("signal_stress::wherever_a_signal_comes", "syscall user dispatch (prctl) stops the emulator's own system calls"),
    (
        "wait_durations::waits_for_libgomps_mutexes",
        "code is slower there than the clock says: reporting a short wait takes most of it",
    ),
];

const NAMESPACE: &str = "the emulating user namespace has one user and one group";
const FILTERS: &str = "the emulator refuses filters of system calls (seccomp)";
const TIMES: &str = "times of the emulator's own are the program's: it translates code, and starts a process in 0.1 s";
const TRACES: &str = "the emulator has no ptrace and no process_vm_readv: run them on an emulated machine";
const SAMPLES: &str = "the emulator has no perf_event_open: timers bring about a tenth of the samples";
const READS: &str = "the emulator has no process_vm_readv, by which stacks are read where they may be gone";

const COMMAND: &[Skipped] = &[
    ("advice::tasks_says_which_are_too_long_or_too_small", TIMES),
    ("agreement::stat_and_report_say_the_same", TIMES),
    ("attach::", TRACES),
    ("attach_cycles::", TRACES),
    ("attach_elsewhere::a_filter_of_system_calls_is_named", FILTERS),
    ("attach_recordings::", TRACES),
    ("attach_refusals::a_child_in_its_parents_memory", TRACES),
    ("attach_refusals::a_process_that_executes_another_program", TRACES),
    ("efficiency::known_programs_have_their_known_efficiencies", TIMES),
    ("environment::this_installation_is_ready", CACHE),
    ("files::an_interpreter_that_does_not_exist_is_named", CACHE),
    ("files::another_libc_is_told_by_the_interpreter", CACHE),
    ("hang::", TRACES),
    (
        "limits::a_table_that_finds_no_room_is_told",
        "the emulator copies /proc/self/cmdline to a file in memory, and the limit ends it (SIGXFSZ)",
    ),
    ("linking::a_program_for_the_race_detector_is_known_by_its_calls", SANITIZERS),
    ("linking::a_program_that_is_linked_to_the_library_and_to_no_runtime", CACHE),
    ("linking::a_sanitizer_wants_to_be_first_and_may", SANITIZERS),
    ("other_environments::a_filter_of_system_calls_kills_nothing", FILTERS),
    ("other_environments::a_profile_that_another_user_could_not_write", NAMESPACE),
    ("other_environments::a_program_in_another_root_runs", "that root has no dynamic linker for the emulator"),
    ("perf_events::children_of_all_kinds_live", SAMPLES),
    ("perf_events::where_events_are_refused_there_are_timers", FILTERS),
    ("planted_faults::each_planted_fault_is_found", TIMES),
    ("processes::a_libgomp_that_came_later_is_reported", OWN_FILES),
    ("processes::a_process_under_ora_has_all_it_needs", OWN_FILES),
    ("processes::a_process_without_the_library_is_unseen", OWN_FILES),
    ("processors::a_thread_that_sleeps_is_blocked", TIMES),
    ("processors::where_schedstat_cannot_be_read", FILTERS),
    (
        "profile::a_small_alternate_stack_is_enough",
        "the emulator's signal frames take 4.6 kB, and AT_MINSIGSTKSZ doesn't say so",
    ),
    ("profile::code_whose_file_is_gone_is_known", READS),
    (
        "profile::stacks_are_whole_through_libraries_signals",
        "a leaf that a signal has interrupted is missing on aarch64",
    ),
    ("python::functions_of_a_perf_map_are_named", "the test's machine code is x86-64's"),
    ("report_times::free_locks_are_the_runtimes_time", TIMES),
    ("report_times::imbalance_is_that_of_running_time", SAMPLES),
    ("tools::names_in_the_list_that_are_no_tools", CACHE),
    ("tools::what_is_no_tool_is_refused_with_a_next_step", CACHE),
    ("tool_runs::of_a_process_is_told_what_can_be_seen", OWN_FILES),
    ("tool_runs::the_record_of_a_process_tells_the_rest", OWN_FILES),
    ("top::a_living_threads_time_is_split_up", OWN_FILES),
    ("top::a_process_under_stat_is_looked_at", OWN_FILES),
    ("top::a_terminal_that_goes_away_ends_it", OWN_FILES),
    ("top::colours_are_left_out_with_no_color", OWN_FILES),
    ("top::processes_are_found_by_their_names", OWN_FILES),
    ("top::text_has_a_block_for_each_look", OWN_FILES),
    ("top::the_screen_shows_a_process", OWN_FILES),
    ("top::the_terminal_is_restored", OWN_FILES),
    ("race::a_program_without_a_race_is_acquitted", ADDRESSES),
    ("race::a_race_is_reported_with_its_variable", ADDRESSES),
    ("race::a_script_and_the_programs_that_a_program_starts", ADDRESSES),
    ("race::every_key_of_the_json_is_described", ADDRESSES),
    ("race::a_sanitizer_that_is_preloaded", ADDRESSES),
    ("race::kinds::a_million_tasks", ADDRESSES),
    ("race::kinds::chunks_and_sections", ADDRESSES),
    ("race::kinds::chunks_of_one_thread", ADDRESSES),
    ("race::kinds::the_functions_in_which", ADDRESSES),
    ("race::kinds::a_forked_child_goes_on_with_nested_tasks", ADDRESSES),
    ("race::kinds::a_print_statement_reads_what_it_prints", ADDRESSES),
    ("race::kinds::a_task_and_the_task_that_created_it", ADDRESSES),
    ("race::kinds::memory_that_is_a_threads_by_its_number", ADDRESSES),
    ("race::kinds::races_between_chunks_of_one_thread", ADDRESSES),
    ("race::kinds::the_mutex_that_the_former_access_held", ADDRESSES),
    ("race::kinds::varied_runs_have_several_teams", ADDRESSES),
    ("race::the_exit_code_is_66_unless_the_user_wants", ADDRESSES),
    ("race::the_sanitizers_own_text_goes_to_the_file", ADDRESSES),
    ("race::the_users_options_for_the_sanitizer_are_kept", ADDRESSES),
];
