//! The synchronisation that is missing between two accesses, and the clause that would order them. Clauses are proposed
//! only from evidence: mutexes, tasks and constructs that were seen, and the text of the two lines.

#[cfg(test)]
mod clause_tests;
mod directives;
mod lines;
mod mutexes;
#[cfg(test)]
mod order_tests;
mod tasks;

use crate::finding::{Finding, Side};
use crate::frames::Frame;
use crate::source::Sources;
use directives::{are_in_one_region, by_nowait, by_one_thread, released};
use lines::{by_test, by_text, spin};
use mutexes::{by_guard, different_mutexes, is_unprotected_read};
use tasks::{by_task, with_creator};

/// A finding, and what would order its accesses.
#[derive(Clone, Debug)]
pub(crate) struct Explained {
    pub(crate) finding: Finding,
    /// The synchronisation that is missing, as one sentence.
    pub(crate) missing: String,
    /// Clauses and directives that would order the accesses, the most likely first.
    pub(crate) likely: Vec<String>,
}

impl Explained {
    pub(crate) fn new(finding: Finding, sources: &mut Sources) -> Self {
        let (missing, likely) = (missing(&finding), likely(&finding, sources));
        Self { finding, missing, likely }
    }
}

/// One sentence about the order that is missing between the accesses.
fn missing(finding: &Finding) -> String {
    let [one, other] = &finding.sides;
    let created = |side: &Side| {
        let frame = side.construct.as_ref().and_then(|construct| construct.created.first());
        frame.and_then(Frame::line_name).map_or_else(String::new, |line| format!(" created at {line}"))
    };
    let creation = with_creator(one, other);
    if let Some(text) = different_mutexes(finding).filter(|_| creation.is_none() || !is_unprotected_read(finding)) {
        return text;
    }
    if let Some([task, _]) = creation {
        return format!("nothing waits for the task{} before the other access", created(task));
    }
    match (one.in_task(), other.in_task()) {
        (true, true) => "no dependence, taskwait or taskgroup orders the two tasks".to_owned(),
        (true, false) => format!("nothing waits for the task{} before the other access", created(one)),
        (false, true) => format!("nothing waits for the task{} before the other access", created(other)),
        (false, false) if one.in_team() || other.in_team() => {
            "the teams of a league are concurrent: only atomic constructs order them".to_owned()
        }
        (false, false) => match (&one.region, &other.region) {
            (Some(of_one), Some(of_other)) if of_one.id == of_other.id => {
                "both are in the same region, with no barrier and no common mutex between them".to_owned()
            }
            (Some(_), Some(_)) => "they are in two regions that run at the same time".to_owned(),
            (Some(_), None) | (None, Some(_)) => "one is in a region, the other in a thread outside of it".to_owned(),
            (None, None) => "nothing that OpenMP or a mutex orders is between them".to_owned(),
        },
    }
}

/// Clauses and directives that would order the accesses, the most likely first; none without evidence.
fn likely(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    let [one, other] = &finding.sides;
    if !finding.sure && finding.why_possible.as_deref() == Some(race_format::FLUSHED) {
        return one.frame().map(released).into_iter().collect();
    }
    // A thread's own memory needs no order.
    if finding.why_possible.as_deref() == Some(race_format::OWN_BLOCK) {
        return Vec::new();
    }
    if let Some(advice) = by_one_thread(finding, sources) {
        return vec![advice];
    }
    if let Some(advice) = by_guard(finding, sources) {
        return advice;
    }
    if one.in_task() || other.in_task() {
        return by_task(finding, sources);
    }
    // No line of a library's header gets a clause.
    let is_own = finding.sides.iter().all(|side| side.frame().is_none_or(|frame| !frame.is_of_system()));
    if !are_in_one_region(one, other) {
        // Only atomic constructs order the teams of a league.
        let in_league = is_own && one.in_team() && other.in_team();
        let advice = if in_league { by_text(finding, sources) } else { Vec::new() };
        return advice.into_iter().filter(|advice| advice.contains("omp atomic")).collect();
    }
    if let Some(advice) = spin(one, other).filter(|_| is_own) {
        return vec![advice];
    }
    if let Some(advice) = by_nowait(finding, sources) {
        return vec![advice];
    }
    by_test(finding, sources).unwrap_or_else(|| if is_own { by_text(finding, sources) } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Construct, Mutex, Region, Variable};
    use race_format::Address;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    fn side(line: u32, write: bool, text: &str) -> Side {
        let frame = Frame { function: "f".to_owned(), file: Some("/s/a.c".to_owned()), line, ..Frame::default() };
        let region = Region { at: Some(Frame { line: 2, ..frame.clone() }), id: 1, team: 4 };
        Side {
            write,
            direct: true,
            stack: vec![frame],
            text: Some(text.to_owned()),
            region: Some(region),
            ..Side::default()
        }
    }

    fn task(line: u32, write: bool, text: &str, created: u32) -> Side {
        let side = side(line, write, text);
        let created = vec![Frame { line: created, ..side.stack[0].clone() }];
        let construct = Construct { kind: "task".to_owned(), created, ..Construct::default() };
        Side { construct: Some(construct), ..side }
    }

    pub(super) fn finding(one: Side, other: Side) -> Finding {
        Finding {
            sure: true,
            why_possible: None,
            sides: [one, other],
            variable: Variable {
                is_in_one_file: true,
                name: Some("x".to_owned()),
                by_source: true,
                kind: "stack".to_owned(),
                ..Variable::default()
            },
            times: 1,
            runs: [1].into(),
            pids: [1].into(),
            teams: [4].into(),
        }
    }

    fn advice(one: Side, other: Side) -> String {
        likely(&finding(one, other), &mut Sources::default()).join("; ")
    }

    #[test]
    fn an_update_is_a_reduction_or_atomic() {
        let both = |text: &str| advice(side(5, true, text), side(5, false, text));
        assert_eq!(both("x += i;"), "`#pragma omp atomic`");
        assert_eq!(both("x = x - i;"), "`#pragma omp atomic`");
        assert_eq!(both("x /= 2;"), "`#pragma omp atomic`");
        assert_eq!(both("h[k]++;"), "`#pragma omp atomic`");
        assert_eq!(both("x %= 2;"), "");
    }

    #[test]
    fn a_complex_number_of_c_is_not_atomic() {
        let update = || Side { size: 8, ..side(5, true, "x += z;") };
        let of_size = |size| {
            let mut both = finding(update(), update());
            both.variable.size = size;
            likely(&both, &mut Sources::default()).join("; ")
        };
        assert_eq!([of_size(8), of_size(16)], ["`#pragma omp atomic`", ""]);
    }

    #[test]
    fn without_the_source_no_clause_is_proposed() {
        assert_eq!(advice(side(5, true, "x = a[i];"), side(6, false, "b[i] = x * x;")), "");
        assert_eq!(advice(side(5, true, "if (v > x) x = v;"), side(5, false, "if (v > x) x = v;")), "");
    }

    #[test]
    fn neighbours_in_an_array_are_a_dependence_between_iterations() {
        let both = |text: &str| advice(side(5, true, text), side(5, false, text));
        assert!(both("a[i] = a[i - 1] + 1;").starts_with("an iteration uses"));
        assert!(both("a(i) = a(i + 1)").starts_with("an iteration uses"));
        assert_eq!(both("a[i] = data[i - 1];"), "");
    }

    #[test]
    fn a_mutex_of_one_side_is_for_the_other_too() {
        let locked = |id| Side { mutexes: vec![mutex("critical", id)], ..side(5, true, "x++;") };
        assert_eq!(advice(locked(1), side(9, true, "x += 2;")), "take the same mutex around the write at a.c:9");
        // The half that reads is reported as often, and the text may not show what is done.
        assert_eq!(advice(locked(1), side(9, false, "x += 2;")), "take the same mutex around the read at a.c:9");
        assert_eq!(advice(locked(1), side(9, true, "push(x);")), "take the same mutex around the write at a.c:9");
        assert_eq!(advice(locked(1), side(9, false, "a[x++] = 1;")), "take the same mutex around the read at a.c:9");
        let other = Side { text: Some("x += 2;".to_owned()), ..locked(2) };
        let other = Side { stack: vec![Frame { line: 9, ..other.stack[0].clone() }], ..other };
        assert_eq!(advice(locked(1), other), "give both critical sections the same name");
        assert_eq!(advice(locked(1), locked(2)), "take the same mutex each time at a.c:5");
        let text = missing(&finding(side(9, false, "y = x;"), locked(1)));
        assert_eq!(text, "the write holds a critical section, the read holds nothing");
        // Of the earlier access, it is not known.
        let text = missing(&finding(locked(1), side(9, false, "y = x;")));
        assert_eq!(text, "the write holds a critical section, and no mutex is known to be held by the read");
    }

    #[test]
    fn an_access_beside_an_atomic_one_is_to_be_atomic() {
        let atomic = |write, text| Side { atomic: true, ..side(5, write, text) };
        let update = || atomic(true, "x++;");
        assert_eq!(advice(update(), side(9, true, "x -= 2;")), "`#pragma omp atomic` at a.c:9 as well");
        assert_eq!(advice(update(), side(9, false, "x -= 2;")), "`#pragma omp atomic` at a.c:9 as well");
        assert_eq!(
            advice(side(9, true, "x = 0;"), atomic(false, "y = x;")),
            "`#pragma omp atomic write` at a.c:9 as well"
        );
        // The end of a reduction.
        assert_eq!(advice(atomic(true, "#pragma omp for reduction(+:x)"), side(9, true, "x++;")), "");
    }

    #[test]
    fn what_depends_on_an_order_gets_no_mutual_exclusion() {
        let guards: [fn(Side) -> Side; 2] =
            [|side| Side { atomic: true, ..side }, |side| Side { mutexes: vec![mutex("critical", 1)], ..side }];
        for guarded in guards {
            let update = || guarded(side(5, true, "x += i;"));
            // A read of the sum, a start value, and updates that do not commute.
            for plain in [side(9, false, "y = x;"), side(9, true, "x = 0;"), side(9, true, "x *= 2;")] {
                assert_eq!(advice(update(), plain), "");
            }
            let task = || with(guarded(task(8, true, "x += i;", 7)), 9, 5);
            let creator = || with(side(12, false, "print(x);"), 5, 1);
            assert_eq!(advice(creator(), task()), "`#pragma omp taskwait` before a.c:12");
            let mut caller = creator();
            caller.stack.insert(0, Frame { function: "show".to_owned(), line: 3, ..caller.stack[0].clone() });
            assert_eq!(advice(task(), caller), "`#pragma omp taskwait` before a.c:12");
            assert_eq!(
                missing(&finding(creator(), task())),
                "nothing waits for the task created at a.c:7 before the other access"
            );
            assert_eq!(advice(side(12, false, "print(x);"), task()), "");
        }
        let ordered = Side { mutexes: vec![mutex("ordered", 1)], ..side(8, true, "x = i;") };
        assert_eq!(advice(side(6, false, "bad += x < 0;"), ordered.clone()), "");
        assert_eq!(
            missing(&finding(side(6, false, "bad += x < 0;"), ordered)),
            "the write is in an ordered construct, and the read is not known to be in it"
        );
    }

    #[test]
    fn one_mutex_on_both_sides_is_told_to_order_one_team_only() {
        let team = || {
            let construct = Construct { kind: "team".to_owned(), ..Construct::default() };
            Side { construct: Some(construct), mutexes: vec![mutex("critical", 1)], ..side(5, true, "x++;") }
        };
        let text = missing(&finding(team(), team()));
        assert_eq!(text, "both hold a critical section, which orders the threads of one team only");
        let other = Side { region: Some(Region { at: None, id: 2, team: 4 }), ..team() };
        assert_eq!([advice(team(), team()), advice(team(), other)], ["`#pragma omp atomic`"; 2]);
    }

    #[test]
    fn a_hand_over_by_flush_has_a_form_that_can_be_followed_and_own_memory_needs_none() {
        let mut both = finding(side(5, true, "x = 1;"), side(9, false, "y = x;"));
        (both.sure, both.why_possible) = (false, Some(race_format::FLUSHED.to_owned()));
        let advice = likely(&both, &mut Sources::default()).join("; ");
        assert!(
            advice.contains("`#pragma omp atomic write release` and `#pragma omp atomic read acquire`"),
            "{advice}"
        );
        let mut own = finding(side(5, true, "x += i;"), side(5, false, "x += i;"));
        (own.sure, own.why_possible) = (false, Some(race_format::OWN_BLOCK.to_owned()));
        assert!(likely(&own, &mut Sources::default()).is_empty());
    }

    #[test]
    fn a_line_of_a_library_gets_no_clause() {
        let inside = |file: &str| {
            let mut side = side(99, true, "value += other;");
            side.stack[0].file = Some(file.to_owned());
            side.stack.push(Frame { line: 9, file: Some("/s/a.c".to_owned()), ..side.stack[0].clone() });
            side
        };
        let both = |file: &str| {
            let mut both = finding(inside(file), inside(file));
            both.variable.name = Some("value".to_owned());
            likely(&both, &mut Sources::default()).join("; ")
        };
        assert_eq!(both("/usr/include/c++/12/complex"), "");
        assert_eq!(both("/home/me/vector.h"), "`#pragma omp atomic`");
        let locked = Side { mutexes: vec![mutex("lock", 1)], ..side(5, true, "push(x);") };
        let advice = advice(locked, inside("/usr/include/c++/12/bits/stl_vector.h"));
        assert_eq!(advice, "take the same mutex around the write at a.c:9");
    }

    fn mutex(kind: &str, id: u64) -> Mutex {
        Mutex { kind: kind.to_owned(), wait_id: Address(id), at: None }
    }

    /// A side whose construct has this number, and was created by `parent`.
    fn with(side: Side, id: u64, parent: u64) -> Side {
        let construct = side.construct.clone().unwrap_or_default();
        Side { construct: Some(Construct { id, parent, ..construct }), ..side }
    }

    #[test]
    fn a_dependence_is_for_tasks_that_one_task_has_created() {
        let two = |parents: [u64; 2]| {
            let [one, other] = parents.map(|parent| with(task(8, true, "x++;", 7), 20 + parent, parent));
            advice(one, other)
        };
        assert!(two([3, 3]).starts_with("`#pragma omp atomic` at a.c:8; a `depend` clause on `x`"), "{}", two([3, 3]));
        let cousins = two([3, 4]);
        assert!(
            cousins.starts_with("`depend` orders only sibling tasks, and these two have different parents"),
            "{cousins}"
        );
        assert!(
            cousins.contains("each with a `depend` clause on `x`; protect `x` with `#pragma omp atomic`"),
            "{cousins}"
        );
        let other = advice(with(task(8, true, "x += 1;", 7), 23, 3), with(task(15, false, "x += 2;", 14), 24, 4));
        assert!(other.ends_with("; protect `x` with `#pragma omp atomic` at a.c:8 and a.c:15"), "{other}");
        assert_eq!(two([0, 4]), "`#pragma omp atomic` at a.c:8");
        let text = missing(&finding(side(12, false, "return x;"), task(8, true, "", 7)));
        assert_eq!(text, "nothing waits for the task created at a.c:7 before the other access");
    }

    #[test]
    fn a_taskwait_is_for_the_task_that_created_the_other_one() {
        let task = || with(task(8, true, "x = f(n - 1);", 7), 9, 5);
        assert_eq!(advice(with(side(12, false, "return x;"), 5, 1), task()), "`#pragma omp taskwait` before a.c:12");
        // The access is further up: a wait would not order it.
        assert_eq!(advice(with(side(5, false, "return x;"), 5, 1), task()), "");
        // Another thread would wait only for its own tasks.
        assert_eq!(advice(with(side(12, false, "return x;"), 6, 1), task()), "");
        assert_eq!(advice(side(12, false, "return x;"), task()), "");
    }

    #[test]
    fn a_task_and_the_task_that_created_it_need_a_wait_and_no_dependence() {
        let creator = || with(task(12, false, "return x + y;", 3), 5, 1);
        let child = || with(task(8, true, "x = f(n - 1);", 7), 9, 5);
        assert_eq!(advice(creator(), child()), "`#pragma omp taskwait` before a.c:12");
        let text = missing(&finding(child(), creator()));
        assert_eq!(text, "nothing waits for the task created at a.c:7 before the other access");
        assert!(!advice(creator(), with(child(), 9, 4)).contains("taskwait"));
    }

    #[test]
    fn a_loop_that_waits_for_a_variable_needs_atomics() {
        let both = advice(side(9, true, "flag[i] = 1;"), side(5, false, "while (flag[i - 1] == 0)"));
        assert_eq!(both, "`#pragma omp atomic write seq_cst` at a.c:9 and `#pragma omp atomic read seq_cst` at a.c:5");
        assert!(!advice(side(9, true, "x = 1;"), side(5, false, "while (n > 0) n = x;")).contains("atomic read"));
    }

    #[test]
    fn teams_of_a_league_are_told_to_be_concurrent() {
        let team = || {
            let construct = Construct { kind: "team".to_owned(), ..Construct::default() };
            Side { construct: Some(construct), ..side(5, true, "x++;") }
        };
        assert!(missing(&finding(team(), team())).starts_with("the teams of a league are concurrent"));
    }

    #[test]
    fn a_nowait_and_a_master_construct_are_found_in_the_source() {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let file = folder.path().join("n.c").display().to_string();
        let at = |line, write, text: &str| {
            let mut side = side(line, write, text);
            side.stack[0].file = Some(file.clone());
            if let Some(frame) = side.region.as_mut().and_then(|region| region.at.as_mut()) {
                frame.file = Some(file.clone());
            }
            side
        };
        let look = |directive: &str| {
            std::fs::write(
                &file,
                format!("void f() {{\n#pragma omp parallel\n{{\n{directive}\nx = g();\n\nh(x);\n}}}}\n"),
            )
            .unwrap();
            advice(at(5, true, "x = g();"), at(7, false, "h(y);"))
        };
        assert!(look("#pragma omp for nowait").starts_with("leave out the `nowait` at n.c:4"));
        assert!(look("#pragma omp master").starts_with("`#pragma omp barrier` after the `master` construct at n.c:4"));
        assert_eq!(look("// omp nowait"), "");
    }
}
