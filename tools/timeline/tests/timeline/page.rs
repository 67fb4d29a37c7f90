//! The page for browsers.

use std::path::Path;
use std::process::Command;

use timeline::{Timeline, html};
use trace_data::Kind::*;

use crate::events::{Written, id, timeline, two_threads};

fn page(timeline: Timeline) -> String {
    let mut bytes = Vec::new();
    html::write(&mut bytes, &[timeline]).unwrap();
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
    assert!(page.len() < 2_000_000, "{}", page.len());
    for request in ["http:", "https:", "//cdn", "src=", "@import", "fetch(", "XMLHttpRequest"] {
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

/// Uses a browser: the page's own script draws it, and reports no error.
#[test]
fn a_browser_draws_it() {
    let Some(browser) = std::env::var_os("ORA_TEST_CHROMIUM") else {
        eprintln!("SKIP: a_browser_draws_it: ORA_TEST_CHROMIUM names no browser");
        return;
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{}.html", std::process::id()));
    // Keys are pressed as a user would, and what the page says then is kept.
    let keys = "<script>for (const key of ['ArrowDown', 'Enter', '+', '-', 'ArrowRight', 'Home', 'ArrowDown', 'Enter']) \
                document.getElementById('timeline').dispatchEvent(new KeyboardEvent('keydown', { key }));\
                document.getElementById('search').value = 'critical'; document.getElementById('next').click();</script>";
    std::fs::write(&path, page(two_threads()).replace("</body>", &format!("{keys}</body>"))).unwrap();
    let address = format!("file://{}", path.display());
    let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom", &address];
    let output = Command::new(browser).args(arguments).output().unwrap();
    let _ = std::fs::remove_file(&path);
    let (shown, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!said.contains("CONSOLE"), "{said}");
    for part in ["data-ready=\"1\"", "explicit barrier", "1 worker, the last to come", "47.000 us", "parallel regions"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The search found the critical section, and the status line describes it.
    let status = shown.split("id=\"status\"").nth(1).unwrap_or_default();
    let status = status.split("</p>").next().unwrap_or_default();
    assert!(status.contains("critical: ") && status.contains(", thread "), "{status}");
}
