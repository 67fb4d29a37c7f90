//! Stacks of two processes with two threads each, whose times are known.

use std::rc::Rc;

use profile_analysis::out::firefox::{ProcessTrack, Recording, ThreadTrack};
use profile_analysis::out::{FrameName, Weighted};

pub(crate) const MS: u64 = 1_000_000;
/// Time 0.
pub(crate) const BEGAN: u64 = 7_000 * MS;

pub(crate) fn frames(names: &[(&str, u32)]) -> Vec<Rc<FrameName>> {
    let frame = |(function, line): &(&str, u32)| FrameName {
        function: (*function).to_owned(),
        file: (*line > 0).then(|| "/src/heat.c".to_owned()),
        line: *line,
        object: if *line > 0 { "heat" } else { "" }.to_owned(),
    };
    names.iter().map(frame).map(Rc::new).collect()
}

/// Frames of the threads' stacks.
pub(crate) struct Stacks {
    pub(crate) work: Vec<Rc<FrameName>>,
    pub(crate) other_line: Vec<Rc<FrameName>>,
    pub(crate) barrier: Vec<Rc<FrameName>>,
    pub(crate) idle: Vec<Rc<FrameName>>,
    pub(crate) odd: Vec<Rc<FrameName>>,
}

impl Stacks {
    pub(crate) fn new() -> Self {
        Self {
            work: frames(&[("main", 30), ("relax", 17), ("app::cell<int, char>(double)", 5)]),
            other_line: frames(&[("main", 31), ("relax", 17)]),
            barrier: frames(&[("main", 30), ("relax", 17), ("<OMP-implicit_barrier>", 0)]),
            idle: frames(&[("<OMP-idle>", 0)]),
            odd: frames(&[("main", 30), ("f<[u8; 4]>&\"'", 9)]),
        }
    }

    /// Samples, deliberately not ordered by time.
    pub(crate) fn samples(&self) -> Vec<Weighted<'_>> {
        let mut samples = Vec::new();
        for process in 0..2 {
            for thread in 0..2 {
                let mut at_ns = BEGAN + (process as u64 + 1) * MS;
                let mut add = |frames, wall_ms, cpu_ms, waits| {
                    at_ns += wall_ms * MS;
                    let state = if waits { "IBAR" } else { "WORK" };
                    let (wall_ns, cpu_ns) = (wall_ms * MS, cpu_ms * MS);
                    samples.push(Weighted { frames, wall_ns, cpu_ns, thread, process, at_ns, waits, state });
                };
                for _ in 0..10 {
                    add(&self.work, 10, 9, false);
                    add(&self.barrier, 30, 1, true);
                }
                add(&self.other_line, 5, 5, false);
                if thread == 1 {
                    add(&self.idle, 1000, 0, true);
                    add(&self.odd, 2, 2, false);
                }
            }
        }
        samples.reverse();
        samples
    }
}

pub(crate) fn recording() -> Recording {
    let thread = |name: &str, tid| ThreadTrack {
        name: name.to_owned(),
        tid,
        begun_ns: BEGAN + MS,
        ended_ns: None,
        markers: Vec::new(),
    };
    let process = |name: &str, pid: u32| ProcessTrack {
        name: name.to_owned(),
        pid,
        threads: vec![
            thread("heat", pid),
            ThreadTrack { ended_ns: Some(BEGAN + 2000 * MS), ..thread("worker 1", pid + 1) },
        ],
    };
    Recording {
        program: "heat".to_owned(),
        command: "./heat --size 4".to_owned(),
        began_real_ms: 1_790_000_000_000,
        began_ns: BEGAN,
        rate: 100,
        recorder: "ora profile",
        // Two machines may give two processes the same number.
        processes: vec![process("rank 0", 700), process("rank 1", 700)],
    }
}
