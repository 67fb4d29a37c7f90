//! `bench corpus`: the first findings of `ora` on problems that people report, and what the cures gain.

mod build;
mod findings;
mod gains;
mod neighbours;
mod record;

use ::corpus::{Case, Effect, Member, Verdict};
use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::Programs;
use crate::table::{Page, Table};
use gains::Gain;
use neighbours::Neighbours;

/// Pairs of runs that are compared.
const PAIRS: u32 = 11;

#[derive(Serialize)]
struct Row {
    name: String,
    verdict: String,
    first: String,
    /// The first finding about the twin.
    twin: Option<String>,
    gain: Option<Gain>,
    gain_beside_others: Option<Gain>,
}

/// Runs `ora` on the cases, and measures those whose cure makes them faster. With `--quick` nothing is measured.
pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let (mut rows, mut counts) = (Vec::new(), [0u32; 5]);
    for case in ::corpus::all()?.iter().filter(|case| options.selects(&case.name)) {
        let row = row(programs, options, case, &mut counts)?;
        eprintln!("{}: {}\n   {}", row.name, row.verdict, row.first);
        for note in row.twin.iter().chain(row.gain.iter().filter_map(|gain| gain.note.as_ref())) {
            eprintln!("   twin: {note}");
        }
        rows.push(row);
    }
    Answer::new(programs, &rows, page(&rows, &counts))
}

fn row(programs: &Programs, options: &Options, case: &Case, counts: &mut [u32; 5]) -> Result<Row> {
    let member = |member| build::build(programs, case, member);
    let (faulty, cured) = (member(Member::Program)?, member(Member::Twin)?);
    if options.record {
        record::record(programs, case, &faulty, &cured)?;
    }
    let found = findings::of(programs, case, Member::Program, &faulty)?;
    let verdict = case.judge(&found);
    if let Some(count) = counts.get_mut(verdict as usize) {
        *count += 1;
    }
    let twin = findings::of(programs, case, Member::Twin, &cured)?;
    let mut row = Row {
        name: case.name.clone(),
        verdict: verdict.to_string(),
        first: found.first().cloned().unwrap_or_default(),
        twin: twin.into_iter().find(|text| ::corpus::has_cure(text)),
        gain: None,
        gain_beside_others: None,
    };
    if case.effect == Effect::Faster && !options.quick {
        let first = found.iter().find(|text| ::corpus::has_cure(text));
        let promise = first.filter(|_| verdict == Verdict::RightFirst);
        let predicted = promise.and_then(|text| findings::predicted(text));
        let pairs = options.rounds(PAIRS, 1);
        row.gain = Some(gains::measure(case, &faulty, &cured, pairs, predicted)?);
        let _busy = Neighbours::start(2);
        row.gain_beside_others = Some(gains::measure(case, &faulty, &cured, pairs, None)?);
    }
    Ok(row)
}

fn page(rows: &[Row], counts: &[u32; 5]) -> Page {
    let mut page = Page::default();
    let head = ["verdict", "gain %", "spread %", "beside others %", "spread %", "predicted %", "twin"];
    let mut table = Table::new("First findings", "case", head);
    for row in rows {
        let cell = |value: Option<f64>| crate::table::cell(value);
        table.row(
            &row.name,
            [
                row.verdict.clone(),
                cell(row.gain.as_ref().map(|gain| gain.percent)),
                cell(row.gain.as_ref().map(|gain| gain.spread)),
                cell(row.gain_beside_others.as_ref().map(|gain| gain.percent)),
                cell(row.gain_beside_others.as_ref().map(|gain| gain.spread)),
                cell(row.gain.as_ref().and_then(|gain| gain.predicted)),
                row.twin.as_ref().map_or("silent", |_| "finding").to_owned(),
            ],
        );
    }
    page.table(&table);
    let verdicts = [Verdict::RightFirst, Verdict::NotFirst, Verdict::Silent, Verdict::Wrong, Verdict::Harmful];
    let counts = verdicts.iter().zip(counts).map(|(verdict, count)| format!("{verdict} {count}"));
    page.line(&format!("Of {} cases: {}", rows.len(), counts.collect::<Vec<_>>().join(", ")));
    page
}
