//! The page for browsers.

use std::ffi::OsStr;
use std::process::Command;

use symbols::source::Sources;
use trace_analysis::{Samples, Timeline, html};
use trace_format::Kind::*;

use crate::events::{Written, id, timeline, two_threads};
use crate::sampled::{profile, written};

fn write(bytes: &mut Vec<u8>, timelines: &[Timeline], samples: Option<&Samples<'_>>) {
    ::page::write(bytes, &html::document(timelines, samples, &mut Sources::default())).unwrap();
}

fn page(timeline: Timeline) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes, &[timeline], None);
    String::from_utf8(bytes).unwrap()
}

/// A million events of sixteen threads, at irregular times.
fn a_million() -> Timeline {
    let mut random = 1_u64;
    let lanes: Vec<Vec<Written>> = (0..16)
        .map(|lane| {
            let (mut at, mut events) = (1000, vec![(ThreadBegin, 2, 1, 100 + lane)]);
            for number in 0..62_500 / 4 {
                let steps = [0; 4].map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    at += 1 + (random >> 48);
                    at
                });
                let code = 0x40 + number % 50;
                events.push((ImplicitBegin, 1, steps[0], id(0, number + 1)));
                events.push((WaitBegin, 9, steps[1], code));
                events.push((WaitEnd, 9, steps[2], code));
                events.push((ImplicitEnd, 1, steps[3], 0));
            }
            events
        })
        .collect();
    let lanes: Vec<&[Written]> = lanes.iter().map(Vec::as_slice).collect();
    timeline(&lanes)
}

#[test]
fn a_page_of_a_million_events_is_small_and_needs_nothing_else() {
    let timeline = a_million();
    assert_eq!(timeline.counts.events, 16 * (1 + 62_500));
    let page = page(timeline);
    assert!(page.len() < 2_500_000, "{}", page.len());
    for request in ["http:", "https:", "//cdn", " src=", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(request), "{request}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn names_of_a_program_are_no_part_of_the_page() {
    let mut timeline = two_threads();
    timeline.facts.command = vec!["</script><b>@DATA@".to_owned()];
    let page = page(timeline);
    assert_eq!(page.matches("</script>").count(), 2, "the page's own");
    assert!(page.contains("\\u003c/script>\\u003cb>@DATA@"));
}

#[test]
fn the_longest_of_many_processes_have_views_and_the_page_says_that_others_have_none() {
    let mut timelines: Vec<Timeline> = (0..40).map(|_| two_threads()).collect();
    (0..).zip(&mut timelines).for_each(|(number, timeline)| timeline.end_ns = 1_000_000 + number * 1000);
    let views = html::document(&timelines, None, &mut Sources::default()).views;
    assert_eq!(views.len(), 32);
    let lengths: Vec<u64> = views.iter().map(|view| view.timeline.as_ref().unwrap().length_ns).collect();
    let wanted: Vec<u64> = timelines.iter().skip(8).map(|timeline| timeline.end_ns - timeline.begin_ns).collect();
    assert_eq!(lengths, wanted);
    let said = "32 of 40 processes have a view of their own: those that lived longest".to_owned();
    assert!(views[0].notes.contains(&said), "{:?}", views[0].notes);
    let few = html::document(&timelines[..32], None, &mut Sources::default()).views;
    assert!(few.len() == 32 && !few[0].notes.iter().any(|note| note.contains("of their own")), "{:?}", few[0].notes);
}

/// The page as a browser shows it after its scripts have run. They report no error.
fn shown(browser: &OsStr, page: &str) -> String {
    let file = tempfile::Builder::new().suffix(".html").tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(file.path(), page).unwrap();
    let address = format!("file://{}", file.path().display());
    let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom", &address];
    let output = Command::new(browser).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Uses a browser: the page's own script draws it, and reports no error.
#[test]
fn a_browser_draws_it() {
    let Some(browser) = std::env::var_os("ORA_TEST_CHROMIUM") else {
        eprintln!("SKIP: a_browser_draws_it: ORA_TEST_CHROMIUM names no browser");
        return;
    };
    // Keys are pressed as by a user, and the page's text afterwards is stored.
    let keys = "<script>for (const key of ['ArrowDown', 'Enter', '+', '-', 'ArrowRight', 'Home', 'ArrowDown', 'Enter']) \
                document.getElementById('timeline').dispatchEvent(new KeyboardEvent('keydown', { key }));\
                document.getElementById('search').value = 'critical'; document.getElementById('next').click();</script>";
    let shown = shown(&browser, &page(two_threads()).replace("</body>", &format!("{keys}</body>")));
    for part in
        ["data-ready=\"1\"", "explicit barrier", "1 worker, the last to arrive", "47.0&nbsp;us", "parallel regions"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The search found the critical section, and the status line describes it.
    let status = shown.split("id=\"status\"").nth(1).unwrap_or_default();
    let status = status.split("</p>").next().unwrap_or_default();
    assert!(status.contains("critical: ") && status.contains(", thread "), "{status}");
}

/// Uses a browser, with the keyboard alone.
#[test]
fn a_browser_shows_stacks_lines_and_tasks() {
    let Some(browser) = std::env::var_os("ORA_TEST_CHROMIUM") else {
        eprintln!("SKIP: a_browser_shows_stacks_lines_and_tasks: ORA_TEST_CHROMIUM names no browser");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("heat.c");
    std::fs::write(&source, "int main(void) {\n    smooth(\"</script>\");\n\n    new[i] = old[i];\n").unwrap();
    let page = |timeline| String::from_utf8(written(timeline, &profile(&source), write)).unwrap();
    // Down from `main`, and zoomed in by what the focused button does on Enter; rows are opened, and finally the
    // second task has the focus.
    let keys = "<script>const press = (id, key) => document.querySelector(id).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));\
                press('#flame [tabindex=\"0\"]', 'ArrowDown'); document.activeElement.click();\
                document.body.dataset.stack = document.getElementById('flame-status').textContent;\
                document.querySelectorAll('.opener').forEach((opener) => opener.click());\
                const tasks = document.querySelectorAll('#tasks [tabindex]');\
                if (tasks.length) tasks[tasks.length - 1].focus();</script>";
    for (timeline, has_tasks) in [(Some(two_threads()), true), (None, false)] {
        let shown = shown(&browser, &page(timeline).replace("</body>", &format!("{keys}</body>")));
        for part in [
            "data-stack=\"smooth: 140&nbsp;us, ",
            "&lt;OMP-implicit_barrier&gt;: 30.0&nbsp;us",
            "<code>    new[i] = old[i];</code>",
            "heat.c:4</span>",
            "aria-label=\"active from ",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let status = shown.split("id=\"tasks-status\"").nth(1).unwrap_or_default();
        let status = status.split("</p>").next().unwrap_or_default();
        assert_eq!(status.contains("2: task, 10.0&nbsp;us, begun at "), has_tasks, "{status}");
        assert_eq!(status.contains("created by 1 (implicit task of thread 0 initial)"), has_tasks, "{status}");
    }
}

#[test]
fn a_page_of_many_stacks_and_tasks_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("long.c");
    std::fs::write(&source, "x".repeat(100_000).repeat(2) + "\n" + &"y".repeat(5000) + "\n").unwrap();
    let page = written(Some(a_million()), &profile(&source), write);
    assert!(page.len() < 2_500_000, "{}", page.len());
    let text = String::from_utf8(page).unwrap();
    assert!(text.contains(&"y".repeat(160)) && !text.contains(&"y".repeat(161)), "lines of any length are cut");
}
