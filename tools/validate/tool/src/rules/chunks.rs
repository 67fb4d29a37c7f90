//! Rules of chunks: the chunks of a team's members add up to the loop (OpenMP 5.0, 4.5.2.5, 4.5.2.6).
//!
//! Every member of a team encounters the same loops in the same order, so a loop is identified by its index in that
//! order. Loops without any chunk are not checked: a runtime may not report chunks.

use validate_layout::event::Chunk;
use validate_layout::rule::Rule;

use crate::constants::work;
use crate::engine::Engine;
use crate::model::Loop;

impl Engine {
    /// Records that a task starts a loop.
    pub(crate) fn loop_begin(&mut self, number: u64, kind: i32, count: u64) {
        let Some(task) = self.model.tasks.get_mut(&number) else { return };
        let place = task.loops;
        task.loops += 1;
        let Some(known) = loop_at(self, number, place, true) else { return };
        known.kind = kind;
        let first = *known.count.get_or_insert(count);
        let say = || format!("loop {} of the region has {count} iterations, and {first} for another member", place + 1);
        self.findings.check(Rule::WorkChunks, first == count, say);
    }

    /// Records a chunk of the loop that a member is in.
    pub(crate) fn loop_chunk(&mut self, number: u64, chunk: Chunk) {
        let Some(known) = latest_loop(self, number) else { return };
        known.chunks += 1;
        known.iterations = known.iterations.wrapping_add(chunk.iterations);
        let count = known.count.unwrap_or_default();
        let inside = chunk.start.checked_add(chunk.iterations).is_some_and(|end| end <= count);
        let Chunk { start, iterations } = chunk;
        let say = || format!("{iterations} iterations from number {start} on, of a loop that has {count}");
        self.findings.check(Rule::WorkChunks, inside, say);
    }

    /// Records that a member has ended the loop. With the last member, all chunks are known.
    pub(crate) fn loop_end(&mut self, number: u64) {
        let Some((region, cancelled)) =
            self.model.tasks.get(&number).and_then(|task| Some((task.region?, task.cancelled | task.cancelled_work)))
        else {
            return;
        };
        let Some(known) = latest_loop(self, number) else { return };
        known.ended += 1;
        known.cancelled |= cancelled;
        let Some(region) = self.model.regions.get_mut(&region) else { return };
        // libomp reports a static schedule's first chunk for each member, and no others.
        let llvm = self.findings.llvm;
        let reported_in_part = |kind| llvm && kind == work::LOOP_STATIC;
        while let Some(ended) = region.loops.pop_if(region.actual) {
            let Loop { count: Some(count), iterations, .. } = ended else { continue };
            if ended.chunks == 0 || ended.cancelled || region.cancelled || region.loose || reported_in_part(ended.kind)
            {
                continue;
            }
            let say = || format!("chunks of {iterations} iterations in all, of a loop that has {count}");
            self.findings.check(Rule::WorkChunks, iterations == count, say);
        }
    }
}

fn latest_loop(engine: &mut Engine, number: u64) -> Option<&mut Loop> {
    let place = engine.model.tasks.get(&number)?.loops.checked_sub(1)?;
    loop_at(engine, number, place, false)
}

/// The loop with this index in a member's region; created if no member has encountered it before.
fn loop_at(engine: &mut Engine, number: u64, place: usize, make: bool) -> Option<&mut Loop> {
    let task = engine.model.tasks.get(&number).filter(|task| !task.is_explicit())?;
    let region = engine.model.regions.get_mut(&task.region?)?;
    region.loops.at(place, make)
}
