//! Evidence of tasks: nothing waits for one, or nothing orders two.

use super::directives::directive;
use super::lines::{is_atomic, same_place};
use crate::finding::{Finding, Side};

pub(super) fn by_task(finding: &Finding) -> Vec<String> {
    let [one, other] = &finding.sides;
    let name = finding.variable.name.as_deref();
    let (Some(first), Some(_)) = (one.frame(), other.frame()) else { return Vec::new() };
    let pair = with_creator(one, other);
    if pair.is_none() && one.in_task() && other.in_task() {
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
    let [task, outside] = pair.unwrap_or(if one.in_task() { [one, other] } else { [other, one] });
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

/// A task's access and one of the task that created it, in this order.
pub(super) fn with_creator<'a>(one: &'a Side, other: &'a Side) -> Option<[&'a Side; 2]> {
    let created = |task: &Side, by: &Side| {
        let numbers = task.construct.as_ref().zip(by.construct.as_ref());
        task.in_task() && numbers.is_some_and(|(task, by)| task.parent != 0 && task.parent == by.id)
    };
    [[one, other], [other, one]].into_iter().find(|[task, by]| created(task, by))
}
