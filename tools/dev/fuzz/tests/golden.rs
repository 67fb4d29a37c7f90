//! Checks of the reference with handwritten buffers: the scripts of `compat-tests/golden`, which the library has to pass as well.
//! (`compat-tests/programs/golden.c` describes their words.)

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test all the same

use fuzz::reference::{Capabilities, EVENTS, Here, Session, WaitId, walk_vec};
use std::path::Path;

const CODE: u64 = 0x5000;
const DATA: u64 = 0x6000;
const FIRST: u64 = 0x7abc_0000_1000;
const SECOND: u64 = 0x1234_0000_7abc;
const REGION: u64 = 0x77;
const BARRIER: u64 = 0x1_2345_6789;

/// Callbacks that scripts name.
const NAMES: [(&str, u64); 5] =
    [("cb", CODE), ("other", CODE + 16), ("code", CODE + 32), ("first", FIRST), ("second", SECOND)];

struct Script {
    session: Session,
    capabilities: Capabilities,
    here: Here,
    calls: [usize; NAMES.len()],
    compared: usize,
}

fn pointer(name: &str) -> u64 {
    let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, address)| *address);
    known.unwrap_or_else(|| if name == "data" { DATA } else { 0 })
}

/// Assembles a line to bytes, each with a flag that is true if the byte is compared.
fn assemble(text: &str) -> Vec<(u8, bool)> {
    let text = text.split('#').next().unwrap_or_default();
    let mut bytes = Vec::new();
    for token in text.split_whitespace() {
        let (word, value) = token.split_once(':').unwrap_or((token, ""));
        let (new, known) = match word {
            "fill" => (vec![0xa5; value.parse().unwrap()], true),
            "any" => (vec![0; value.parse().unwrap()], false),
            "ptr" => (pointer(value).to_ne_bytes().to_vec(), true),
            "prid" => (REGION.to_ne_bytes().to_vec(), true),
            "twin" => ([&FIRST.to_ne_bytes()[..], &SECOND.to_ne_bytes()[4..]].concat(), true),
            number => (number.parse::<i32>().unwrap().to_ne_bytes().to_vec(), true),
        };
        bytes.extend(new.into_iter().map(|byte| (byte, known)));
    }
    bytes
}

/// State of a thread at the place that a script names.
fn place(name: &str) -> Here {
    let serial = Here::serial(true);
    let inside = Here { region: REGION, ..serial };
    match name {
        "serial" => serial,
        "master" => Here { state: 2, creator: 1, ..inside },
        "worker" => Here { state: 2, parent: None, ..inside },
        "thread" => Here::serial(false),
        "ebar" => Here { state: 4, wait: WaitId::Known(BARRIER), ..inside },
        "fork" => Here { state: 1, ..inside },
        "idle" => Here { state: 5, parent: None, ..serial },
        other => panic!("no place {other}"),
    }
}

impl Script {
    fn new() -> Self {
        let mut events = [true; EVENTS];
        [0, 15, 16, 26, 27, 30, 31, 32].into_iter().for_each(|event| events[event] = false);
        let code = vec![CODE..CODE + 64, FIRST..FIRST + 1, SECOND..SECOND + 1];
        Self {
            session: Session::default(),
            capabilities: Capabilities { events, tasks: true, code },
            here: place("serial"),
            calls: [0; NAMES.len()],
            compared: 0,
        }
    }

    /// Runs FORK and JOIN; scripts count callbacks of these events only.
    fn region(&mut self) {
        for event in [1, 2] {
            let heard = self.session.callback_of(event);
            let called = NAMES.iter().position(|(_, address)| heard == *address);
            called.into_iter().for_each(|callback| self.calls[callback] += 1);
        }
    }

    fn line(&mut self, line: &str, before: &mut Vec<(u8, bool)>, after: &mut Option<Vec<(u8, bool)>>) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "in" => (*before, *after) = (assemble(rest), None),
            "out" if rest.trim() != "unchanged" => *after = Some(assemble(rest)),
            "ret" => {
                let wanted = after.take().unwrap_or_else(|| before.clone());
                let mut array = before.iter().map(|(byte, _)| *byte).collect::<Vec<_>>();
                // A list that is followed by garbage shorter than a word is passed at an odd address; its end is aligned.
                let odd = array.len() % 4;
                let returned = if odd == 0 {
                    walk_vec(&mut array, &mut self.session, &self.here, &self.capabilities)
                } else {
                    fuzz::reference::walk(&mut array, 4 - odd, &mut self.session, &self.here, &self.capabilities)
                        .returned
                };
                assert_eq!(returned, rest.trim().parse().unwrap());
                assert_eq!(array.len(), wanted.len());
                for (at, (byte, known)) in wanted.into_iter().enumerate() {
                    assert!(!known || array[at] == byte, "byte {at} is {:#x}, not {byte:#x}", array[at]);
                }
                self.compared += 1;
            }
            "place" => {
                self.here = place(rest.trim());
                if !matches!(rest.trim(), "serial" | "thread") {
                    self.region();
                }
            }
            "region" => self.region(),
            "called" => {
                let (name, count) = rest.trim().split_once(' ').unwrap();
                let callback = NAMES.iter().position(|(known, _)| *known == name).unwrap();
                assert_eq!(std::mem::take(&mut self.calls[callback]), count.parse::<usize>().unwrap(), "{name}");
            }
            _ => {}
        }
    }
}

fn play(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../compat-tests/golden").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut script, mut before, mut after) = (Script::new(), Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        eprintln!("{name}:{}: {line}", number + 1);
        script.line(line, &mut before, &mut after);
    }
    assert!(script.compared > 5, "{name} has cases");
}

#[test]
fn the_reference_walks_a_list_as_the_golden_buffers_do() {
    play("walk.txt");
}

#[test]
fn the_reference_answers_registrations_as_the_golden_buffers_do() {
    play("register.txt");
}

#[test]
fn the_reference_knows_both_layouts_as_the_golden_buffers_do() {
    play("layouts.txt");
}

#[test]
fn the_reference_answers_queries_as_the_golden_buffers_do() {
    play("queries.txt");
    play("places.txt");
}
