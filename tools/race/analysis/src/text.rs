//! The report as text, formatted for its paper.

use terminal::page::{Page, Tone};
use terminal::quantity::count;

use crate::cause::Explained;
use crate::describe::{access, alternatives, memory, surroundings, title};
use crate::finding::{Finding, Side};
use crate::outcome::Outcome;

/// Column at which the texts of a race start.
const COLUMNS: usize = 14;

/// The whole report; `most` races are shown.
pub fn report(name: &str, outcome: &Outcome, most: usize) -> Page {
    let mut page = Page::default();
    page.blank();
    page.heading(&heading(name, outcome));
    for (number, explained) in (1..).zip(outcome.findings.iter().take(most)) {
        race(&mut page, number, explained, outcome);
    }
    let more = outcome.findings.len().saturating_sub(most);
    if more > 0 {
        page.text(1, &format!("And {} (`--rows all` shows all).", count(more as u64, "more", "more")));
        page.blank();
    }
    watched(&mut page, outcome);
    for note in outcome.notes() {
        page.paragraph(1, "Note: ", &note, Tone::Note);
    }
    page
}

fn heading(name: &str, outcome: &Outcome) -> String {
    let sure = outcome.findings.iter().filter(|explained| explained.finding.sure).count();
    let possible = outcome.findings.len() - sure;
    match (sure, possible) {
        (0, 0) if outcome.is_blind() => format!("The data races of '{name}' could not be read."),
        (0, 0) if outcome.broke_off() => format!("No data race was found in '{name}' before it broke off."),
        (0, 0) => format!("No data race was found in '{name}'."),
        (0, possible) => {
            format!("{} in '{name}':", count(possible as u64, "possible data race", "possible data races"))
        }
        (sure, 0) => format!("{} in '{name}':", count(sure as u64, "data race", "data races")),
        (sure, possible) => {
            format!("{} in '{name}', and {possible} possible:", count(sure as u64, "data race", "data races"))
        }
    }
}

fn race(page: &mut Page, number: usize, explained: &Explained, outcome: &Outcome) {
    let Explained { finding, missing, likely } = explained;
    let title = title(finding);
    let (first, rest) = title.split_at(1);
    page.heading(&format!("{number}. {}{rest}", first.to_uppercase()));
    let field = |page: &mut Page, name: &str, text: &str| page.field(3, name, COLUMNS, text);
    if let Some(text) = memory(finding) {
        field(page, "memory", &text);
    }
    for side in &finding.sides {
        one_access(page, side);
    }
    if let Some(why) = finding.why_possible.as_deref() {
        field(page, "possible", &format!("not sure: {why}"));
    }
    field(page, "missing", missing);
    if !likely.is_empty() {
        let label = format!("{:<COLUMNS$}", "likely");
        page.paragraph(3, &label, &alternatives(likely), Tone::Finding);
    }
    field(page, "seen", &seen(finding, outcome));
    page.blank();
}

fn one_access(page: &mut Page, side: &Side) {
    page.field(3, side.what(), COLUMNS, &access(side));
    if let Some(text) = side.text.as_deref() {
        page.field(3, "", COLUMNS, &format!("| {text}"));
    }
    for line in surroundings(side) {
        page.field(3, "", COLUMNS, &line);
    }
}

fn seen(finding: &Finding, outcome: &Outcome) -> String {
    let mut text = count(finding.times, "time", "times");
    if outcome.runs.len() > 1 {
        text += &format!(", in {} of {} runs", finding.runs.len(), outcome.runs.len());
    }
    let teams: Vec<String> = finding.teams.iter().map(u32::to_string).collect();
    if teams.len() > 1 {
        text += &format!(", with {} threads", list(&teams));
    }
    if outcome.processes() > 1 && outcome.runs.len() == 1 {
        let pids: Vec<String> = finding.pids.iter().take(4).map(u32::to_string).collect();
        let more = if finding.pids.len() > 4 { " and others" } else { "" };
        text += &format!(", in process {}{more}", list(&pids));
    }
    text
}

fn list(words: &[String]) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Subject of the verdict: runtime, threads and runs.
fn watched(page: &mut Page, outcome: &Outcome) {
    let mut parts = Vec::new();
    if outcome.runs.len() > 1 {
        parts.push(count(outcome.runs.len() as u64, "run", "runs"));
    }
    let processes = outcome.processes();
    if processes > 1 {
        parts.push(count(processes as u64, "process", "processes"));
    }
    parts.extend(outcome.runtimes());
    let threads = outcome.threads();
    if !threads.is_empty() {
        parts.push(format!("up to {} threads", threads.iter().max().copied().unwrap_or_default()));
    }
    let tasks = outcome.tasks();
    if tasks > 0 {
        parts.push(count(tasks, "task", "tasks"));
    }
    if !parts.is_empty() {
        page.text(1, &format!("Watched: {}.", parts.join("; ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Ending;
    use crate::sample;
    use terminal::page::{Paper, width};

    fn rendered(width: Option<usize>) -> String {
        report("./heat", &sample::outcome(), 20).render(Paper { width, colour: false })
    }

    #[test]
    fn a_report_has_the_variable_both_accesses_what_is_missing_and_the_clause() {
        let text = rendered(None);
        for part in [
            " 2 data races in './heat', and 1 possible:\n",
            " 1. Data race on `sum`\n",
            "   memory        on a stack, declared at heat.c:4\n",
            "   write         add_up_all_the_cells_of_the_grid at heat.c:7, thread 1 of 4\n",
            "                 | sum += cell[i] * weight[i];\n",
            "                 in the parallel region at heat.c:5\n",
            "   missing       both are in the same region, with no barrier and no common mutex between them\n",
            "   likely        `reduction(+:sum)`, or `#pragma omp atomic`\n",
            "   seen          12 times, in 2 of 2 runs, with 2 and 4 threads\n",
            "   likely        take the same mutex around the write at heat.c:20\n",
            " 3. Possible data race on allocated memory\n",
            "   memory        a block of 400 bytes, allocated by make at heat.c:3\n",
            "                 in a task created by main at heat.c:30\n",
            "   possible      not sure: same thread, by number\n",
            "   likely        `#pragma omp taskwait` before heat.c:35\n",
            " Watched: 2 runs; GNU libgomp; up to 4 threads.\n",
        ] {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_word_is_lost() {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let whole = letters(&rendered(None));
        for columns in [60, 80, 160] {
            let text = rendered(Some(columns));
            assert!(text.lines().all(|line| width(line) <= columns), "{columns}: {text}");
            assert_eq!(letters(&text), whole, "{columns}: {text}");
        }
    }

    #[test]
    fn races_beyond_the_limit_are_counted() {
        let page = report("./heat", &sample::outcome(), 1);
        let text = page.render(Paper::default());
        assert!(text.contains("And 2 more (`--rows all` shows all).") && !text.contains(" 2. "), "{text}");
    }

    #[test]
    fn a_clean_run_is_said_to_be_one() {
        let outcome = Outcome { findings: Vec::new(), ..sample::outcome() };
        let text = report("./heat", &outcome, 20).render(Paper::default());
        assert_eq!(text, "\n No data race was found in './heat'.\n\n Watched: 2 runs; GNU libgomp; up to 4 threads.\n");
    }

    #[test]
    fn a_run_that_was_aborted_is_not_said_to_be_clean() {
        let mut outcome = Outcome { findings: Vec::new(), ..sample::outcome() };
        outcome.runs[0].ending = Ending::Code(66);
        outcome.runs[0].programs.iter_mut().for_each(|program| program.end = None);
        let text = report("./heat", &outcome, 20).render(Paper::default());
        assert!(text.contains("No data race was found in './heat' before it broke off."), "{text}");
    }
}
