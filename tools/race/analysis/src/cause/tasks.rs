//! Evidence from tasks: nothing waits for one, or nothing orders two.

use super::directives::directive;
use super::lines::{is_atomic, same_place};
use crate::finding::{Finding, Side};
use crate::frames::Frame;
use crate::source::{Sources, directive as directive_of, identifiers};

pub(super) fn by_task(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    let [one, other] = &finding.sides;
    let name = finding.variable.name.as_deref();
    let (Some(first), second) = (one.frame(), other.frame()) else { return Vec::new() };
    let pair = with_creator(one, other);
    if pair.is_none() && one.in_task() && other.in_task() {
        let mut advice = Vec::new();
        if let (Some(of_one), Some(of_other)) = (one.in_line(), other.in_line())
            && of_one.update.is_some_and(|operator| is_atomic(operator, first))
            && (&of_one.variable, of_one.update) == (&of_other.variable, of_other.update)
        {
            let places = [Some(first), second.filter(|_| !same_place(one, other))].into_iter().flatten();
            let places: Vec<String> = places.filter_map(Frame::line_name).collect();
            advice.push(format!("{} at {}", directive("atomic", first), places.join(" and ")));
        }
        let on = name.map_or_else(|| "the memory".to_owned(), |name| format!("`{name}`"));
        match are_siblings(one, other) {
            Some(true) if [one, other].into_iter().any(|task| !depends(task, name, sources)) => {
                advice.push(format!("a `depend` clause on {on} for both tasks, or a taskwait between their creations"));
            }
            Some(false) => {
                let with = match [one, other].into_iter().all(|task| depends(task, name, sources)) {
                    true => " and keep their `depend` clauses".to_owned(),
                    false => format!(", each with a `depend` clause on {on}"),
                };
                let cousins = format!(
                    "`depend` orders only sibling tasks, and these two have different parents: create both from the same task{with}"
                );
                let atomic = advice.pop().map(|atomic| format!("protect {on} with {atomic}"));
                advice.extend([Some(cousins), atomic].into_iter().flatten());
            }
            _ => {}
        }
        return advice;
    }
    let Some([task, outside]) = pair else { return Vec::new() };
    let created = task.construct.as_ref().and_then(|construct| construct.created.first());
    let is_later = |created: &&Frame, it: &&Frame| {
        created.function == it.function && created.file == it.file && it.line >= created.line
    };
    let after = created.and_then(|created| outside.in_construct().find(|it| is_later(&created, it)));
    let Some(after) = after else { return Vec::new() };
    let mut advice = vec![format!("{} before {}", directive("taskwait", after), after.line_name().unwrap_or_default())];
    if outside.write
        && !task.write
        && let Some(name) = finding.variable.name.as_deref().filter(|_| finding.variable.kind == "stack")
    {
        advice.push(format!("`firstprivate({name})` for the task, if it needs the value at its creation"));
    }
    advice
}

/// True if one task has created both; `None` if not known.
fn are_siblings(one: &Side, other: &Side) -> Option<bool> {
    let parent = |side: &Side| side.construct.as_ref().map(|construct| construct.parent).filter(|parent| *parent != 0);
    Some(parent(one)? == parent(other)?)
}

/// True if the directive that created a task has a `depend` clause on a variable.
fn depends(task: &Side, name: Option<&str>, sources: &mut Sources) -> bool {
    let frame = task.construct.as_ref().and_then(|construct| construct.created.first());
    let text = frame.and_then(|frame| sources.at(frame.file.as_deref()?, frame.line)).and_then(directive_of);
    let clauses = text.as_deref().and_then(|text| text.find("depend").and_then(|at| text.get(at..)));
    clauses.zip(name).is_some_and(|(clauses, name)| identifiers(clauses).any(|word| word.eq_ignore_ascii_case(name)))
}

/// A task's access and one of the task that created it, in this order.
pub(super) fn with_creator<'a>(one: &'a Side, other: &'a Side) -> Option<[&'a Side; 2]> {
    let created = |task: &Side, by: &Side| {
        let numbers = task.construct.as_ref().zip(by.construct.as_ref());
        task.in_task() && numbers.is_some_and(|(task, by)| task.parent != 0 && task.parent == by.id)
    };
    [[one, other], [other, one]].into_iter().find(|[task, by]| created(task, by))
}
