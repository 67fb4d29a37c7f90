//! The interface's names by number. A test compares them with those of crate `ora`, which this command must not link:
//! its entry points are meant for the programs that it is loaded into.

const REQUESTS: [&str; 11] = [
    "OMP_REQ_START",
    "OMP_REQ_REGISTER",
    "OMP_REQ_UNREGISTER",
    "OMP_REQ_STATE",
    "OMP_REQ_CURRENT_PRID",
    "OMP_REQ_PARENT_PRID",
    "OMP_REQ_STOP",
    "OMP_REQ_PAUSE",
    "OMP_REQ_RESUME",
    "OMP_REQ_TASK_ID",
    "OMP_REQ_TASK_PID",
];

const CODES: [&str; 8] = [
    "OMP_ERRCODE_OK",
    "OMP_ERRCODE_ERROR",
    "OMP_ERRCODE_UNKNOWN",
    "OMP_ERRCODE_UNSUPPORTED",
    "OMP_ERRCODE_SEQUENCE_ERR",
    "OMP_ERRCODE_OBSOLETE",
    "OMP_ERRCODE_THREAD_ERR",
    "OMP_ERRCODE_MEM_TOO_SMALL",
];

/// Names of the events, starting with number 1.
const EVENTS: [&str; 35] = [
    "OMP_EVENT_FORK",
    "OMP_EVENT_JOIN",
    "OMP_EVENT_THR_BEGIN_IDLE",
    "OMP_EVENT_THR_END_IDLE",
    "OMP_EVENT_THR_BEGIN_IBAR",
    "OMP_EVENT_THR_END_IBAR",
    "OMP_EVENT_THR_BEGIN_EBAR",
    "OMP_EVENT_THR_END_EBAR",
    "OMP_EVENT_THR_BEGIN_LKWT",
    "OMP_EVENT_THR_END_LKWT",
    "OMP_EVENT_THR_BEGIN_CTWT",
    "OMP_EVENT_THR_END_CTWT",
    "OMP_EVENT_THR_BEGIN_ODWT",
    "OMP_EVENT_THR_END_ODWT",
    "OMP_EVENT_THR_BEGIN_MASTER",
    "OMP_EVENT_THR_END_MASTER",
    "OMP_EVENT_THR_BEGIN_SINGLE",
    "OMP_EVENT_THR_END_SINGLE",
    "OMP_EVENT_THR_BEGIN_ORDERED",
    "OMP_EVENT_THR_END_ORDERED",
    "OMP_EVENT_THR_BEGIN_ATWT",
    "OMP_EVENT_THR_END_ATWT",
    "OMP_EVENT_THR_BEGIN_CREATE_TASK",
    "OMP_EVENT_THR_END_CREATE_TASK_IMM",
    "OMP_EVENT_THR_END_CREATE_TASK_DEL",
    "OMP_EVENT_THR_BEGIN_SCHD_TASK",
    "OMP_EVENT_THR_END_SCHD_TASK",
    "OMP_EVENT_THR_BEGIN_SUSPEND_TASK",
    "OMP_EVENT_THR_END_SUSPEND_TASK",
    "OMP_EVENT_THR_BEGIN_STEAL_TASK",
    "OMP_EVENT_THR_END_STEAL_TASK",
    "OMP_EVENT_THR_FETCHED_TASK",
    "OMP_EVENT_THR_BEGIN_EXEC_TASK",
    "OMP_EVENT_THR_BEGIN_FINISH_TASK",
    "OMP_EVENT_THR_END_FINISH_TASK",
];

/// Names of the states, starting with number 1.
const STATES: [&str; 16] = [
    "THR_OVHD_STATE",
    "THR_WORK_STATE",
    "THR_IBAR_STATE",
    "THR_EBAR_STATE",
    "THR_IDLE_STATE",
    "THR_SERIAL_STATE",
    "THR_REDUC_STATE",
    "THR_LKWT_STATE",
    "THR_CTWT_STATE",
    "THR_ODWT_STATE",
    "THR_ATWT_STATE",
    "THR_TASK_CREATE_STATE",
    "THR_TASK_SCHEDULE_STATE",
    "THR_TASK_SUSPEND_STATE",
    "THR_TASK_STEAL_STATE",
    "THR_TASK_FINISH_STATE",
];

pub(super) const START: i32 = 0;
pub(super) const REGISTER: i32 = 1;
pub(super) const UNREGISTER: i32 = 2;
pub(super) const STATE: i32 = 3;
pub(super) const CURRENT_PRID: i32 = 4;
pub(super) const PARENT_PRID: i32 = 5;
pub(super) const STOP: i32 = 6;
pub(super) const TASK_ID: i32 = 9;
pub(super) const TASK_PID: i32 = 10;

pub(super) const OK: i32 = 0;
pub(super) const ERROR: i32 = 1;
pub(super) const UNKNOWN: i32 = 2;
pub(super) const UNSUPPORTED: i32 = 3;
pub(super) const SEQUENCE_ERR: i32 = 4;
pub(super) const THREAD_ERR: i32 = 6;
pub(super) const MEM_TOO_SMALL: i32 = 7;

pub(super) fn request(number: i32) -> Option<&'static str> {
    named(&REQUESTS, 0, number)
}

pub(super) fn code(number: i32) -> Option<&'static str> {
    named(&CODES, 0, number)
}

pub(super) fn event(number: i32) -> Option<&'static str> {
    named(&EVENTS, 1, number)
}

pub(super) fn state(number: i32) -> Option<&'static str> {
    named(&STATES, 1, number)
}

/// True if the state has a wait id: IBAR, EBAR, LKWT, CTWT, ODWT, ATWT.
pub(super) fn waits(state: i32) -> bool {
    matches!(state, 3 | 4 | 8..=11)
}

/// True if calls of libgomp show the event.
pub(super) fn on_libgomp(event: i32) -> bool {
    matches!(event, 1..=14 | 17..=25 | 28 | 29 | 33..=35)
}

/// The number of a name, in any of the families.
pub(super) fn number(name: &str) -> Option<i32> {
    families().into_iter().flat_map(|(_, names)| names).find(|(_, known)| *known == name).map(|(number, _)| number)
}

/// Every name, family by family.
pub(super) fn families() -> [(&'static str, Vec<(i32, &'static str)>); 4] {
    [
        ("requests", (0..).zip(REQUESTS).collect()),
        ("reply codes", (0..).zip(CODES).collect()),
        ("events", (1..).zip(EVENTS).collect()),
        ("states", (1..).zip(STATES).collect()),
    ]
}

fn named(names: &[&'static str], first: i32, number: i32) -> Option<&'static str> {
    names.get(usize::try_from(number.checked_sub(first)?).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_and_end_where_the_numbers_do() {
        assert_eq!((request(0), request(10)), (Some("OMP_REQ_START"), Some("OMP_REQ_TASK_PID")));
        assert_eq!((event(1), event(35)), (Some("OMP_EVENT_FORK"), Some("OMP_EVENT_THR_END_FINISH_TASK")));
        assert_eq!((state(16), code(7)), (Some("THR_TASK_FINISH_STATE"), Some("OMP_ERRCODE_MEM_TOO_SMALL")));
        for none in [request(11), request(-1), event(0), event(36), event(i32::MIN), state(0), state(17), code(8)] {
            assert_eq!(none, None);
        }
        assert_eq!(
            (number("OMP_REQ_STATE"), number("OMP_EVENT_JOIN"), number("omp_req_state")),
            (Some(3), Some(2), None)
        );
    }

    #[test]
    fn the_constants_are_the_names_numbers() {
        for (constant, name) in [
            (START, "OMP_REQ_START"),
            (REGISTER, "OMP_REQ_REGISTER"),
            (UNREGISTER, "OMP_REQ_UNREGISTER"),
            (STATE, "OMP_REQ_STATE"),
            (CURRENT_PRID, "OMP_REQ_CURRENT_PRID"),
            (PARENT_PRID, "OMP_REQ_PARENT_PRID"),
            (STOP, "OMP_REQ_STOP"),
            (TASK_ID, "OMP_REQ_TASK_ID"),
            (TASK_PID, "OMP_REQ_TASK_PID"),
            (OK, "OMP_ERRCODE_OK"),
            (ERROR, "OMP_ERRCODE_ERROR"),
            (UNKNOWN, "OMP_ERRCODE_UNKNOWN"),
            (UNSUPPORTED, "OMP_ERRCODE_UNSUPPORTED"),
            (SEQUENCE_ERR, "OMP_ERRCODE_SEQUENCE_ERR"),
            (THREAD_ERR, "OMP_ERRCODE_THREAD_ERR"),
            (MEM_TOO_SMALL, "OMP_ERRCODE_MEM_TOO_SMALL"),
        ] {
            assert_eq!(number(name), Some(constant));
        }
        let waiting: Vec<_> = (0..20).filter(|s| waits(*s)).filter_map(state).collect();
        let names = ["IBAR", "EBAR", "LKWT", "CTWT", "ODWT", "ATWT"].map(|name| format!("THR_{name}_STATE"));
        assert_eq!(waiting, names);
    }
}
