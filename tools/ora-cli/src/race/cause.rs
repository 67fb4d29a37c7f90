//! The synchronisation that is missing between two accesses, and the clause that would order them. Clauses are named from
//! evidence only: from mutexes, tasks and constructs as they were seen, and from the text of the two lines.

use super::finding::{Finding, Side};
use super::frames::Frame;
use super::source::{self, Assignment, Sources, identifiers};

/// Most lines of a region that are searched for directives.
const SEARCHED: u32 = 400;

/// One sentence: what does not stand between the accesses.
pub(super) fn missing(finding: &Finding) -> String {
    let [one, other] = &finding.sides;
    if let Some(text) = different_mutexes(one, other) {
        return text;
    }
    let created = |side: &Side| {
        let frame = side.construct.as_ref().and_then(|construct| construct.created.first());
        frame.and_then(Frame::line_name).map_or_else(String::new, |line| format!(" created at {line}"))
    };
    match (one.in_task(), other.in_task()) {
        (true, true) => "no dependence, taskwait or taskgroup orders the two tasks".to_owned(),
        (true, false) => format!("nothing waits for the task{} before the other access", created(one)),
        (false, true) => format!("nothing waits for the task{} before the other access", created(other)),
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

fn held(side: &Side) -> String {
    let names = side.mutexes.iter().map(|mutex| match mutex.at.as_ref().and_then(Frame::line_name) {
        Some(line) => format!("{} (taken at {line})", kind(&mutex.kind)),
        None => kind(&mutex.kind).to_owned(),
    });
    names.collect::<Vec<_>>().join(" and ")
}

/// A mutex in the words of its construct.
fn kind(mutex: &str) -> &str {
    match mutex {
        "critical" => "a critical section",
        "lock" => "a lock",
        "nest_lock" => "a nestable lock",
        "atomic" => "an atomic construct",
        "ordered" => "an ordered construct",
        other => other,
    }
}

fn have_common_mutex(one: &Side, other: &Side) -> bool {
    one.mutexes.iter().any(|mutex| other.mutexes.iter().any(|its| its.wait_id == mutex.wait_id))
}

fn different_mutexes(one: &Side, other: &Side) -> Option<String> {
    Some(match (one.mutexes.is_empty(), other.mutexes.is_empty()) {
        (true, true) => return None,
        (false, false) => {
            format!("the {} holds {}, the {} another: {}", one.what(), held(one), other.what(), held(other))
        }
        (false, true) => format!("the {} holds {}, the {} holds nothing", one.what(), held(one), other.what()),
        (true, false) => format!("the {} holds {}, the {} holds nothing", other.what(), held(other), one.what()),
    })
}

/// Clauses and directives that would order the accesses, the likeliest first; none without evidence.
pub(super) fn likely(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    let [one, other] = &finding.sides;
    if let Some(advice) = by_mutex(one, other) {
        return vec![advice];
    }
    if let Some(advice) = by_atomic(one, other) {
        return vec![advice];
    }
    if one.in_task() || other.in_task() {
        return by_task(finding);
    }
    let same_region = one.region.as_ref().zip(other.region.as_ref()).is_some_and(|(one, other)| one.id == other.id);
    if !same_region {
        return Vec::new();
    }
    by_directive(finding, sources).map_or_else(|| by_text(finding), |advice| vec![advice])
}

fn by_mutex(one: &Side, other: &Side) -> Option<String> {
    let place = |side: &Side| side.frame().and_then(Frame::line_name).unwrap_or_else(|| "the other place".to_owned());
    Some(match (one.mutexes.is_empty(), other.mutexes.is_empty()) {
        (true, true) => return None,
        (false, true) => format!("take the same mutex around the {} at {}", other.what(), place(other)),
        (true, false) => format!("take the same mutex around the {} at {}", one.what(), place(one)),
        (false, false) if have_common_mutex(one, other) => return None,
        (false, false) if one.mutexes.iter().chain(&other.mutexes).all(|mutex| mutex.kind == "critical") => {
            "give both critical sections the same name".to_owned()
        }
        (false, false) => "take the same mutex at both places".to_owned(),
    })
}

fn by_atomic(one: &Side, other: &Side) -> Option<String> {
    let plain = match (one.atomic, other.atomic) {
        (true, false) => other,
        (false, true) => one,
        _ => return None,
    };
    let frame = plain.frame()?;
    let form = if plain.write && plain.assignment().is_none_or(|assignment| assignment.update.is_none()) {
        "atomic write"
    } else if plain.write {
        "atomic"
    } else {
        "atomic read"
    };
    Some(format!("{} at {}, too", directive(form, frame), frame.line_name()?))
}

/// A directive as it is written in the frame's language.
fn directive(text: &str, frame: &Frame) -> String {
    let file = frame.file.as_deref().unwrap_or_default();
    let ending = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let fortran = ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08"].contains(&ending.as_str());
    if fortran { format!("`!$omp {text}`") } else { format!("`#pragma omp {text}`") }
}

fn by_task(finding: &Finding) -> Vec<String> {
    let [one, other] = &finding.sides;
    let name = finding.variable.name.as_deref();
    let (Some(first), Some(_)) = (one.frame(), other.frame()) else { return Vec::new() };
    if one.in_task() && other.in_task() {
        let mut advice = Vec::new();
        if let (Some(of_one), Some(of_other)) = (one.assignment(), other.assignment().or_else(|| one.assignment()))
            && of_one.update.is_some_and(is_atomic)
            && of_one.variable == of_other.variable
            && same_place(one, other)
        {
            advice.push(format!("{} at {}", directive("atomic", first), first.line_name().unwrap_or_default()));
        }
        let on = name.map_or_else(|| "the memory".to_owned(), |name| format!("`{name}`"));
        advice.push(format!("a `depend` clause on {on} for both tasks, or a taskwait between their creations"));
        return advice;
    }
    let (task, outside) = if one.in_task() { (one, other) } else { (other, one) };
    let created = task.construct.as_ref().and_then(|construct| construct.created.first());
    let Some((created, after)) = created.zip(outside.frame()) else { return Vec::new() };
    if created.function != after.function || created.file != after.file || after.line < created.line {
        return Vec::new();
    }
    let mut advice = vec![format!("{} before {}", directive("taskwait", after), after.line_name().unwrap_or_default())];
    if outside.write
        && !task.write
        && let Some(name) = finding.variable.name.as_deref().filter(|_| finding.variable.kind == "stack")
    {
        advice.push(format!("`firstprivate({name})` for the task, if it needs the value at its creation"));
    }
    advice
}

fn same_place(one: &Side, other: &Side) -> bool {
    let place = |side: &Side| side.frame().map(|frame| (frame.file.clone(), frame.line));
    place(one).is_some() && place(one) == place(other)
}

/// Operators that an atomic construct may have.
fn is_atomic(operator: &str) -> bool {
    ["+", "-", "*", "/", "|", "&", "^", "<<", ">>", "max", "min"].contains(&operator)
}

/// The operator of a `reduction` clause that updates by `operator`.
fn reduction(operator: &str) -> Option<&str> {
    match operator {
        "-" => Some("+"),
        "+" | "*" | "|" | "&" | "^" | "max" | "min" => Some(operator),
        _ => None,
    }
}

/// By the assignments in both lines.
fn by_text(finding: &Finding) -> Vec<String> {
    let [one, other] = &finding.sides;
    let Some((writer, assignment, peer)) = [(one, other), (other, one)].into_iter().find_map(|(side, other)| {
        let assignment = side.assignment()?;
        (names(other, &assignment) || is_moved(side, &assignment, other)).then_some((side, assignment, other))
    }) else {
        return Vec::new();
    };
    let Some(frame) = writer.frame() else { return Vec::new() };
    let scalar = assignment.target == assignment.variable;
    let text = peer.text.as_deref().unwrap_or_default();
    let updates = |side: &Side| {
        side.assignment()
            .is_some_and(|other| other.update == assignment.update && other.variable == assignment.variable)
    };
    let one_update = same_place(writer, peer) || updates(peer) || is_moved(writer, &assignment, peer);
    if let Some(operator) = assignment.update.filter(|_| one_update) {
        let mut advice = Vec::new();
        if let Some(operator) = reduction(operator).filter(|_| scalar) {
            advice.push(format!("`reduction({operator}:{})`", assignment.variable));
        }
        if is_atomic(operator) {
            advice.push(directive("atomic", frame));
        }
        return advice;
    }
    if scalar
        && let Some(operator) = compared(&assignment, text).or_else(|| compared(&assignment, writer.text.as_deref()?))
    {
        return vec![format!("`reduction({operator}:{})`", assignment.variable), directive("critical", frame)];
    }
    if scalar && assignment.update.is_none() && private(writer, peer) {
        return vec![format!("`private({})`, if no thread needs another one's value", assignment.variable)];
    }
    if !scalar && assignment.target.contains(['[', '(']) && neighbours(&assignment, writer, peer) {
        return vec![format!(
            "an iteration uses the part of `{}` that another one writes: keep the old values in another array, or order the \
             iterations (`ordered`)",
            assignment.variable
        )];
    }
    Vec::new()
}

fn names(side: &Side, assignment: &Assignment) -> bool {
    side.text.as_deref().is_some_and(|text| identifiers(text).any(|name| name == assignment.variable))
}

/// True if the other access is the read of the same update: compilers move it, and it then has the line of the loop.
fn is_moved(side: &Side, assignment: &Assignment, other: &Side) -> bool {
    let function = |side: &Side| side.frame().map(|frame| frame.function.clone());
    let first = other.text.as_deref().and_then(|text| identifiers(text).next());
    let is_loop = first.is_some_and(|word| ["for", "while", "do"].contains(&word.to_ascii_lowercase().as_str()));
    let reads = !other.write && is_loop && !names(other, assignment);
    assignment.update.is_some() && reads && function(side) == function(other)
}

/// The reduction of `if (v > best) best = v`, by the comparison in a line.
fn compared(assignment: &Assignment, text: &str) -> Option<&'static str> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let name = &assignment.variable;
    let has = |before: &str, behind: &str| text.contains(&format!("{before}{name}{behind}"));
    if !text.to_ascii_lowercase().contains("if(") {
        None
    } else if has(">", ")") || has(">=", ")") || has("(", "<") {
        Some("max")
    } else if has("<", ")") || has("<=", ")") || has("(", ">") {
        Some("min")
    } else {
        None
    }
}

/// True for a value that a thread writes, and that is written again at the same place or read further down in the same function:
/// outside of constructs that one thread executes.
fn private(writer: &Side, peer: &Side) -> bool {
    let one_thread = |side: &Side| {
        side.construct
            .as_ref()
            .is_some_and(|construct| ["single", "master", "section"].contains(&construct.kind.as_str()))
    };
    let (Some(write), Some(use_)) = (writer.frame(), peer.frame()) else { return false };
    let region = writer.region.as_ref().and_then(|region| region.at.as_ref());
    // In the region's own text, not in a function that it calls.
    let within = region.is_some_and(|region| region.function == write.function && region.line <= write.line);
    within
        && !one_thread(writer)
        && !one_thread(peer)
        && write.function == use_.function
        && use_.line >= write.line
        && use_.line - write.line <= 50
}

/// True if the lines have the variable with two indices.
fn neighbours(assignment: &Assignment, writer: &Side, peer: &Side) -> bool {
    let text = if same_place(writer, peer) { writer.text.as_deref() } else { peer.text.as_deref() };
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (target, text) = (squeezed(&assignment.target), squeezed(text.unwrap_or_default()));
    let name = &assignment.variable;
    let open = target.get(name.len()..).and_then(|rest| rest.chars().next()).filter(|c| "[(".contains(*c));
    let Some(open) = open else { return false };
    let begins = format!("{name}{open}");
    // Each use of it in the line, up to the end of its index.
    text.match_indices(&begins).any(|(at, _)| {
        let alone = at == 0 || !text.get(..at).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric() || c == '_');
        alone && !text.get(at..).unwrap_or_default().starts_with(&target)
    })
}

/// By the directive of the construct that has the access further up: `nowait`, or a construct without a barrier at its end.
fn by_directive(finding: &Finding, sources: &mut Sources) -> Option<String> {
    let [one, other] = &finding.sides;
    let (first, second) = (one.frame()?, other.frame()?);
    let region = one.region.as_ref()?.at.as_ref()?;
    let file = first.file.as_deref().filter(|file| second.file.as_deref() == Some(file))?;
    let (begin, end) = (first.line.min(second.line), first.line.max(second.line));
    if begin == end || region.file.as_deref() != Some(file) || region.line > begin || end - region.line > SEARCHED {
        return None;
    }
    let place = |line| Frame { line, ..first.clone() }.line_name();
    let without_nowait = |line| {
        Some(format!("leave out the `nowait` at {}: without it a barrier stands between the accesses", place(line)?))
    };
    // Fortran has the clause at the construct's end.
    let ending = (begin..end).find_map(|line| Some((line, source::directive(sources.at(file, line)?)?)));
    if let Some((line, text)) = ending
        && text.starts_with("end ")
        && text.ends_with("nowait")
    {
        return without_nowait(line);
    }
    let inner = ["atomic", "critical", "simd", "ordered", "flush"];
    let above = (region.line..=begin).rev().find_map(|line| {
        let text = source::directive(sources.at(file, line)?)?;
        (!inner.iter().any(|inner| text.starts_with(inner))).then_some((line, text))
    });
    let (line, text) = above?;
    let word = identifiers(&text).next()?;
    match word {
        "for" | "do" | "sections" | "single" | "workshare" if identifiers(&text).any(|clause| clause == "nowait") => {
            without_nowait(line)
        }
        "master" | "masked" => {
            let barrier = directive("barrier", first);
            Some(format!("{barrier} behind the `{word}` construct at {}, which ends without one", place(line)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::finding::{Construct, Mutex, Region, Variable};
    use race_data::Address;

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
        let construct = Construct { kind: "task".to_owned(), at: None, created };
        Side { construct: Some(construct), ..side }
    }

    fn finding(one: Side, other: Side) -> Finding {
        Finding {
            sure: true,
            why_possible: None,
            sides: [one, other],
            variable: Variable { name: Some("x".to_owned()), kind: "stack".to_owned(), ..Variable::default() },
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
        assert_eq!(both("x += i;"), "`reduction(+:x)`; `#pragma omp atomic`");
        assert_eq!(both("x = x - i;"), "`reduction(+:x)`; `#pragma omp atomic`");
        assert_eq!(both("x /= 2;"), "`#pragma omp atomic`");
        assert_eq!(both("h[k]++;"), "`#pragma omp atomic`");
        assert_eq!(both("x %= 2;"), "");
        assert_eq!(
            advice(side(5, true, "if (v > x) x = v;"), side(5, false, "if (v > x) x = v;")),
            "`reduction(max:x)`; `#pragma omp critical`"
        );
        assert_eq!(
            advice(side(6, true, "x = v;"), side(5, false, "if (v < x)")),
            "`reduction(min:x)`; `#pragma omp critical`"
        );
    }

    #[test]
    fn a_value_that_is_written_and_then_read_may_be_private() {
        let tmp = |line, write, text: &str| side(line, write, text);
        assert!(advice(tmp(5, true, "x = a[i];"), tmp(6, false, "b[i] = x * x;")).starts_with("`private(x)`"));
        assert!(advice(tmp(5, true, "x = a[i];"), tmp(5, true, "x = a[i];")).starts_with("`private(x)`"));
        // Read further up: it may be the value of another thread that is meant.
        assert_eq!(advice(tmp(5, true, "x = a[i];"), tmp(4, false, "b[i] = x;")), "");
        let single = Construct { kind: "single".to_owned(), at: None, created: Vec::new() };
        let one = Side { construct: Some(single), ..tmp(5, true, "x = 1;") };
        assert_eq!(advice(one, tmp(6, false, "b[i] = x;")), "");
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
        let mutex = |id| Mutex { kind: "critical".to_owned(), wait_id: Address(id), at: None };
        let locked = |id| Side { mutexes: vec![mutex(id)], ..side(5, true, "x++;") };
        assert_eq!(advice(locked(1), side(9, false, "y = x;")), "take the same mutex around the read at a.c:9");
        assert_eq!(advice(locked(1), locked(2)), "give both critical sections the same name");
        let text = missing(&finding(side(9, false, "y = x;"), locked(1)));
        assert_eq!(text, "the write holds a critical section, the read holds nothing");
    }

    #[test]
    fn an_access_beside_an_atomic_one_is_to_be_atomic() {
        let atomic = || Side { atomic: true, ..side(5, true, "x++;") };
        assert_eq!(advice(atomic(), side(9, false, "y = x;")), "`#pragma omp atomic read` at a.c:9, too");
        assert_eq!(advice(side(9, true, "x = 0;"), atomic()), "`#pragma omp atomic write` at a.c:9, too");
    }

    #[test]
    fn tasks_need_a_wait_or_a_dependence() {
        let after = || side(12, false, "return x;");
        assert_eq!(advice(after(), task(8, true, "x = f(n - 1);", 7)), "`#pragma omp taskwait` before a.c:12");
        // The access is further up: it is not what a wait would order.
        assert_eq!(advice(side(5, false, "return x;"), task(8, true, "x = f(n - 1);", 7)), "");
        let two = advice(task(8, true, "x++;", 7), task(8, false, "x++;", 7));
        assert!(two.starts_with("`#pragma omp atomic` at a.c:8; a `depend` clause on `x`"), "{two}");
        let text = missing(&finding(after(), task(8, true, "", 7)));
        assert_eq!(text, "nothing waits for the task created at a.c:7 before the other access");
    }

    #[test]
    fn a_nowait_and_a_master_construct_are_found_in_the_source() {
        let folder = tempfile::tempdir().unwrap();
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
        assert!(look("#pragma omp master").starts_with("`#pragma omp barrier` behind the `master` construct at n.c:4"));
        assert_eq!(look("// omp nowait"), "");
    }
}
