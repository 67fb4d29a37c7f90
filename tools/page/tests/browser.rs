//! Pages in a real browser: `ORA_TEST_CHROMIUM` names one, and `cargo xtask test --long` sets it.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::process::Command;

use page::{
    Activity, Cell, Chart, Document, Finding, Kind, Line, Part, Quantity, Row, Run, Sample, Series, Stacks, State,
    Table, Tile, Timeline, View, Wait, resolutions, sums,
};

const MS: u64 = 1_000_000;

/// One second of two threads, which work in alternating turns of 100 ms while the other one waits.
fn timeline() -> Timeline {
    let lane = |first: u64| {
        let turns = (0..10_u64).map(|turn| (turn * 100 * MS, if turn % 2 == first { 2 } else { 4 }));
        turns.chain([(1000 * MS, 0)]).collect::<Vec<_>>()
    };
    let lanes = [lane(0), lane(1)];
    let names = [
        ("outside of regions", false),
        ("serial", false),
        ("work in a region", false),
        ("task", false),
        ("barrier", true),
        ("taskwait", true),
        ("wait for a mutex", true),
        ("has a mutex", false),
    ];
    let states = names.into_iter().zip(sums(&lanes)).map(|((name, waits), ns)| State { name, ns, waits });
    Timeline {
        length_ns: 1000 * MS,
        threads: vec!["0 initial".to_owned(), "1 worker".to_owned()],
        states: states.collect(),
        resolutions: resolutions(Run { begin_ns: 0, length_ns: 1000 * MS }, &lanes, 1),
        names: vec!["implicit task at heat.c:10".to_owned(), "implicit barrier at heat.c:10".to_owned()],
        slices: (0..2)
            .flat_map(|thread| {
                (0..10)
                    .map(move |turn| (thread, turn * 100 * MS, 100 * MS, 0, usize::from(turn % 2 != u64::from(thread))))
            })
            .collect(),
        waits: vec![(0, 100 * MS, 100 * MS, 1, 200 * MS)],
    }
}

fn row(kind: Kind, name: &str, place: &str, work_ns: u64, imbalance_ns: u64) -> Row {
    let mut row = Row {
        kind,
        name: name.to_owned(),
        place: place.to_owned(),
        key: format!("{name} at {place}"),
        ..Row::default()
    };
    row.add(Activity::Work, work_ns);
    row.add(Activity::Imbalance, imbalance_ns);
    row
}

/// Page with every part. The names are those of a hostile program.
fn document() -> Document {
    let mut smooth = row(Kind::Region, "smooth<i>\u{202e}", "heat.c:10", 700 * MS, 500 * MS);
    smooth.lines = vec![(0, 600 * MS)];
    smooth.waits = vec![Wait { name: "implicit barrier".to_owned(), ns: 500 * MS, count: 3 }];
    let rows =
        vec![smooth, row(Kind::Function, "relax", "heat.c", 600 * MS, 0), row(Kind::Function, "main", "heat.c", 0, 0)];
    let sample = |node, region, at: u64| Sample { node, region, begin_ns: at * MS, ns: 100 * MS };
    let samples = [sample(1, Some(0), 0), sample(1, Some(0), 100), sample(2, Some(0), 500), sample(0, None, 900)];
    let name = |number| match number {
        0 => ("main".to_owned(), 2),
        1 => ("relax".to_owned(), 1),
        _ => ("<OMP-implicit_barrier>".to_owned(), -1),
    };
    let view = View {
        name: "heat".to_owned(),
        about: vec![Quantity::Time(1e9), "2 threads".into()],
        tiles: vec![
            Tile::new("wall time", Quantity::Time(1_234_567_890.0), "2 threads"),
            Tile {
                factors: vec![("load balance", Quantity::Part(0.61))],
                ..Tile::new("parallel efficiency", Quantity::Part(0.5), "").of(0.5)
            },
        ],
        findings: vec![Finding {
            what: "27.78 % of the threads' time is imbalance".to_owned(),
            fix: "share its work more evenly (`ora profile` shows how)".to_owned(),
            key: "smooth<i>\u{202e} at heat.c:10".to_owned(),
            cost: 0.2778,
            saves_ns: Some(2.5e8),
            saves: 0.25,
            how_known: "measured",
        }],
        notes: vec!["44.9 ms were lost".to_owned()],
        total_ns: 1800 * MS,
        rows,
        lines: vec![Line {
            file: "/src/heat.c".to_owned(),
            line: 12,
            text: Some("a < b;</script>".to_owned()),
            all_ns: 600 * MS,
            strip: "90".repeat(120),
        }],
        tables: vec![Table {
            part: Part::When,
            title: "The longest waits",
            note: "",
            heads: vec!["waited".to_owned(), "at".to_owned()],
            rows: vec![vec![Quantity::Time(1e8).into(), Cell::Moment { at: 100 * MS, ns: 100 * MS, thread: 0 }]],
        }],
        timeline: Some(timeline()),
        stacks: Some(Stacks::of(name, &[(None, 0), (Some(0), 1), (Some(1), 2)], &samples, 1000 * MS, 1)),
        facts: vec![("events".to_owned(), Quantity::Count(1_204_006))],
        ..View::default()
    };
    // Like the view of all processes of a profile, and one of a damaged recording.
    let without_timeline = View {
        name: "all processes".to_owned(),
        total_ns: 100 * MS,
        rows: vec![Row { lines: vec![(0, 100 * MS)], ..row(Kind::Function, "other", "heat.c", 100 * MS, 0) }],
        lines: vec![Line {
            file: "/src/heat.c".to_owned(),
            line: 7,
            text: None,
            all_ns: 100 * MS,
            strip: "09".repeat(120),
        }],
        timeline: Some(Timeline::default()),
        ..View::default()
    };
    let series = vec![Series { name: "measured", points: vec![(1.0, 1.0), (2.0, 1.8)], is_reference: false }];
    Document {
        title: "Profile of ./heat".to_owned(),
        views: vec![view, without_timeline],
        chart: Some(Chart { across: "threads", up: "speed-up", series }),
    }
}

/// Lines that the script reports in a browser with these options. The page must have no error and request nothing.
fn reported(options: &[&str], script: &str) -> Option<String> {
    let Some(browser) = std::env::var_os("ORA_TEST_CHROMIUM") else {
        eprintln!("SKIPPED: tests in a browser: ORA_TEST_CHROMIUM names none");
        return None;
    };
    let mut bytes = Vec::new();
    page::write(&mut bytes, &document()).unwrap();
    // `tell` adds a line to the report; `key` presses a key as a user would.
    let helpers = "const out = [], tell = (...words) => out.push(words.join(' ')), at = (id) => document.getElementById(id);\
        const key = (id, key) => at(id).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));\
        addEventListener('error', (event) => tell('ERROR', event.message));\
        addEventListener('securitypolicyviolation', (event) => tell('VIOLATION', event.blockedURI));";
    let own = format!(
        "<script>{helpers}{script};tell('requests', performance.getEntriesByType('resource').length);\
         document.body.dataset.report = out.join(';').replace(/\\u00a0/g, '_');</script></body>"
    );
    let page = String::from_utf8(bytes).unwrap().replace("</body>", &own);
    let file = tempfile::Builder::new().suffix(".html").tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(file.path(), page).unwrap();
    let address = format!("file://{}", file.path().display());
    let usual = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"];
    let output = Command::new(browser).args(usual).args(options).arg(&address).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "{said}");
    let shown = String::from_utf8_lossy(&output.stdout);
    let found = shown.split("data-report=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let found = found.replace("&gt;", ">").replace("&lt;", "<");
    assert!(
        found.ends_with("requests 0") && !found.contains("ERROR") && !found.contains("VIOLATION"),
        "{found}: {shown}"
    );
    Some(found)
}

fn assert_reported(found: Option<String>, wanted: &[&str]) {
    let Some(found) = found else { return };
    let lines: Vec<&str> = found.split(';').collect();
    for line in wanted {
        assert!(lines.contains(line), "{line} is not in {lines:#?}");
    }
}

#[test]
fn the_answer_comes_first_and_units_stay_with_numbers() {
    let script = "tell(at('title').textContent); document.querySelectorAll('.tile .value').forEach((it) => tell(it.textContent));\
        tell(document.querySelector('.finding .what').textContent); tell(document.querySelector('.finding .figure').textContent);\
        tell(document.querySelector('.saves').textContent); tell(at('notes').textContent); tell(at('facts').textContent);\
        document.querySelector('.finding .link').click(); tell(document.activeElement.textContent, document.activeElement.ariaExpanded);\
        tell(document.querySelector('figure svg').getAttribute('aria-label'));\
        tell([...document.querySelectorAll('h2')].map((it) => it.textContent).join())";
    let wanted = [
        "Profile of ./heat",
        "1.23_s",
        "50.0_%",
        "27.78_% of the threads' time is imbalance.",
        "27.8_%",
        "would save about 250_ms, 25.0_% of the wall time (measured)",
        "44.9_ms were lost",
        "smooth<i>\\u{202e}heat.c:10 true",
        "speed-up over threads",
        "Answer,Where,When,Stacks,Tasks,Facts",
    ];
    assert_reported(reported(&[], script), &wanted);
}

#[test]
fn regions_and_functions_are_sorted_filtered_and_opened() {
    let script = "const names = () => [...document.querySelectorAll('#where tbody > tr:not(.opened) .what')].map((it) => it.textContent[0]).join('');\
        const heads = [...document.querySelectorAll('#where th button')]; tell('time', names());\
        heads[0].click(); tell('name', names()); heads[0].click(); tell('back', names());\
        document.querySelector('#where .opener').click(); tell('source', document.querySelector('#where .source code') ? 'shown' : 'none');\
        const filter = at('where-filter'); filter.value = 'RELAX'; filter.dispatchEvent(new Event('input')); tell('filter', names());\
        document.querySelector('#where .opener').click(); tell(document.querySelector('.details').textContent.includes('Callers'));\
        tell(document.querySelector('#where .source code')?.textContent ?? 'no source');\
        tell(document.querySelector('.bar').ariaLabel);\
        at('view').value = 1; at('view').dispatchEvent(new Event('change')); document.querySelector('#where .opener').click();\
        tell(document.querySelector('.strip').getAttribute('aria-label'), at('when-part').hidden)";
    let wanted = [
        "active from 0_% to 100_% true",
        "time srm",
        "name mrs",
        "back srm",
        "filter r",
        "true",
        "work 600_ms (100_%)",
    ];
    assert_reported(reported(&[], script), &wanted);
}

#[test]
fn a_selected_interval_has_its_sums_and_its_stacks() {
    let script = "const states = () => [...document.querySelectorAll('#selection tbody tr')].map((it) => it.textContent).join();\
        for (const it of ['Home', '+', '+', 's']) key('timeline', it); tell(at('selection').querySelector('p').textContent); tell(states());\
        tell(at('flame-status').textContent); tell(at('stack-filters').textContent); key('timeline', 'Escape'); tell('hidden', at('selection').hidden);\
        tell(at('flame-status').textContent); key('timeline', 'Enter'); key('timeline', 'Enter'); tell(at('status').textContent);\
        at('search').value = 'barrier'; at('next').click(); tell(at('status').textContent.split(':')[0]);\
        document.querySelector('#flame [tabindex=\"0\"]').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));\
        tell(at('flame-status').textContent); tell('slow', Number(at('timeline').dataset.ms) > 1000)";
    let wanted = [
        "Selected: 375_ms to 625_ms, 250_ms zoom to itclear",
        "main: 100_ms, 5.56_% of the threads' time",
        "375_ms to 625_ms \u{d7}",
        "hidden true",
        "main: 400_ms, 22.2_% of the threads' time",
        "implicit barrier at heat.c:10: 100_ms, at 100_ms, thread 0 initial, waited for thread 1 worker",
        "relax: 300_ms, 16.7_% of the threads' time",
        "slow false",
    ];
    // A semicolon separates the lines.
    let found = reported(
        &[],
        &script.replace("tell(at('status').textContent);", "tell(at('status').textContent.replace(';', ','));"),
    );
    assert_reported(found, &wanted);
}

#[test]
fn both_themes_and_both_widths_fit() {
    for (theme, paper) in [("0", "rgb(13, 17, 23)"), ("1", "rgb(255, 255, 255)")] {
        for width in [800, 1400] {
            let script = "document.querySelectorAll('.opener').forEach((it) => it.click());\
                tell(getComputedStyle(document.body).backgroundColor);\
                tell('fits', document.documentElement.scrollWidth <= innerWidth, innerWidth);\
                tell('ticks', document.querySelectorAll('figure text').length > 6)";
            let options =
                [format!("--blink-settings=preferredColorScheme={theme}"), format!("--window-size={width},900")];
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            assert_reported(reported(&options, script), &[paper, &format!("fits true {width}"), "ticks true"]);
        }
    }
}
