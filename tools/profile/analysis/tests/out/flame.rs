//! Checks of the flame graph, read as XML.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use profile_analysis::out::{Clock, flame};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::sampled::Stacks;

/// A drawn frame: its title, its part of the whole width, and its colour.
#[derive(Debug)]
struct Drawn {
    title: String,
    width: f64,
    fill: String,
}

fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).unwrap()?;
    Some(String::from_utf8(attribute.value.into_owned()).unwrap())
}

/// The frames, and all other text.
fn read(svg: &str) -> (Vec<Drawn>, String) {
    let mut reader = Reader::from_str(svg);
    let (mut drawn, mut texts, mut title) = (Vec::new(), String::new(), None);
    let mut in_title = false;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) if tag.name().as_ref() == b"title" => {
                in_title = true;
                title = Some(String::new());
            }
            Event::End(tag) if tag.name().as_ref() == b"title" => in_title = false,
            Event::Text(text) => {
                let text = text.decode().unwrap();
                let place = title.as_mut().filter(|_| in_title).unwrap_or(&mut texts);
                place.push_str(&text);
            }
            Event::GeneralRef(name) => {
                let letter = match name.as_ref() {
                    b"lt" => '<',
                    b"gt" => '>',
                    b"amp" => '&',
                    b"quot" => '"',
                    b"apos" => '\'',
                    other => panic!("{other:?}"),
                };
                title.as_mut().filter(|_| in_title).unwrap_or(&mut texts).push(letter);
            }
            Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == b"rect" => {
                if let (Some(title), Some(width)) = (title.take(), attribute(&tag, "width")) {
                    let width = width.trim_end_matches('%').parse().unwrap();
                    drawn.push(Drawn { title, width, fill: attribute(&tag, "fill").unwrap() });
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    (drawn, texts)
}

#[test]
fn frames_are_as_wide_as_their_time_and_waits_are_blue() {
    let stacks = Stacks::new();
    let title = flame::Title { program: "heat <1>".to_owned(), below: "wall-clock time".to_owned() };
    let mut out = Vec::new();
    flame::write(&mut out, &title, stacks.samples(), Clock::Wall).unwrap();
    let svg = String::from_utf8(out).unwrap();
    let (drawn, texts) = read(&svg);
    assert!(texts.contains("heat <1>") && texts.contains("wall-clock time"), "{texts}");
    let whole = 4 * 405 + 2 * 1002;
    let expected = [
        ("all", whole),
        ("main", 4 * 405 + 2 * 2),
        ("relax", 4 * 405),
        ("app::cell<int, char>(double)", 400),
        ("<OMP-implicit_barrier>", 1200),
        ("<OMP-idle>", 2000),
        ("f<[u8: 4]>&\"'", 4),
    ];
    let found: BTreeMap<_, _> = drawn.iter().map(|drawn| (drawn.title.rsplit_once(" (").unwrap().0, drawn)).collect();
    assert_eq!(found.len(), expected.len(), "{drawn:#?}");
    assert_eq!(drawn.len(), expected.len(), "{drawn:#?}");
    for (function, ms) in expected {
        let frame = found[function];
        let percent = 100.0 * f64::from(ms) / f64::from(whole);
        assert!((frame.width - percent).abs() < 0.05, "{percent}: {frame:?}");
        let count = frame.title.rsplit_once(" (").unwrap().1.split(" ms").next().unwrap().replace(',', "");
        assert_eq!(count, ms.to_string(), "{frame:?}");
        let [red, green, blue]: [u8; 3] = {
            let numbers = frame.fill.trim_start_matches("rgb(").trim_end_matches(')').split(',');
            numbers.map(|number| number.trim().parse().unwrap()).collect::<Vec<_>>().try_into().unwrap()
        };
        assert_eq!(blue > red && blue > green, function.starts_with("<OMP-"), "{frame:?}");
    }
}

#[test]
fn the_same_profile_is_the_same_picture() {
    let stacks = Stacks::new();
    let drawn = || {
        let mut out = Vec::new();
        flame::write(&mut out, &flame::Title::default(), stacks.samples(), Clock::Cpu).unwrap();
        out
    };
    assert_eq!(drawn(), drawn());
}

/// Uses a browser: the picture's own program runs, and finds a searched name.
#[test]
fn a_browser_shows_it_and_searches_it() {
    let Some(browser) = std::env::var_os("ORA_TEST_CHROMIUM") else {
        eprintln!("SKIP: a_browser_shows_it_and_searches_it: ORA_TEST_CHROMIUM names no browser");
        return;
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("flame-{}.svg", std::process::id()));
    let stacks = Stacks::new();
    let mut out = std::fs::File::create(&path).unwrap();
    flame::write(&mut out, &flame::Title::default(), stacks.samples(), Clock::Wall).unwrap();
    let address = format!("file://{}?s=OMP-implicit", path.display());
    let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &address];
    let output = Command::new(browser).args(arguments).output().unwrap();
    let _ = std::fs::remove_file(&path);
    let shown = String::from_utf8(output.stdout).unwrap();
    let percent = 100.0 * 1200.0 / f64::from(4 * 405 + 2 * 1002);
    assert!(shown.contains(&format!("Matched: {percent:.1}%")), "{shown}");
}
