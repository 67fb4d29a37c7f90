//! Table of master-callstack prefaces: the calling contexts in which regions begin (white paper, section 6).

use rustc_hash::FxHashMap;

use super::calls::{Node, ROOT};
use super::frames::leaf;
use super::step::Step;
use super::{UserModel, View};
use crate::input::DEEPEST;

/// Maximum number of functions remembered for a region; tasks among them say nothing about the region.
const BODIES: usize = 32;

/// Calling context of a region: all instances that were begun with the same stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the enclosing region's place.
    pub outer: Option<u32>,
    /// The call that starts the region.
    pub site: Option<Step>,
    /// Preface: the user-model stack at the fork.
    pub preface: Node,
    /// True if all enclosing regions are in the file.
    pub complete: bool,
    pub(super) fork: u32,
}

/// A fork: stack, place of the enclosing region, true if that one's master forked, era.
type Fork = (u32, Option<u32>, bool, u32);

/// The places of regions, by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    list: Vec<Place>,
    by_fork: FxHashMap<Fork, u32>,
    by_region: FxHashMap<(u64, u32), Option<u32>>,
    bodies: FxHashMap<u32, Vec<Step>>,
    entries: FxHashMap<u32, Vec<Step>>,
}

impl Places {
    pub(super) fn get(&self, number: u32) -> Option<&Place> {
        self.list.get(number as usize)
    }

    pub(super) fn list(&self) -> &[Place] {
        &self.list
    }

    /// Records a function that the runtime has called in a region.
    pub(super) fn called(&mut self, place: u32, body: Step) {
        let bodies = self.bodies.entry(place).or_default();
        if bodies.len() < BODIES && !bodies.contains(&body) {
            bodies.push(body);
        }
    }

    /// Records a call of the runtime by the program, to start the region or at one of its barriers.
    pub(super) fn entered(&mut self, place: u32, entry: Step) {
        let entries = self.entries.entry(place).or_default();
        if entries.len() < BODIES && !entries.contains(&entry) {
            entries.push(entry);
        }
    }

    pub(super) fn entries(&self, place: u32) -> &[Step] {
        self.entries.get(&place).map_or(&[], Vec::as_slice)
    }

    pub(super) fn bodies(&self, place: u32) -> &[Step] {
        self.bodies.get(&place).map_or(&[], Vec::as_slice)
    }
}

impl UserModel<'_> {
    /// Place of a region. `None`: the file doesn't have the region.
    pub(super) fn region(&mut self, id: u64, era: u32) -> Option<u32> {
        if let Some(known) = self.places.by_region.get(&(id, era)) {
            return *known;
        }
        // The enclosing regions first, from the outermost one on.
        let mut around = vec![id];
        while let Some(region) = around.last().and_then(|id| self.process.region(*id)) {
            let known = self.places.by_region.contains_key(&(region.parent, era));
            if region.parent == 0 || known || around.contains(&region.parent) || around.len() >= DEEPEST {
                break;
            }
            around.push(region.parent);
        }
        let mut found = None;
        for id in around.into_iter().rev() {
            found = self.one_region(id, era);
            self.places.by_region.insert((id, era), found);
        }
        found
    }

    fn one_region(&mut self, id: u64, era: u32) -> Option<u32> {
        let region = self.process.region(id)?;
        let outer = self.places.by_region.get(&(region.parent, era)).copied().flatten();
        let master = outer.is_some() && self.process.region(region.parent)?.thread == region.thread;
        let fork = (region.stack, outer, master, era);
        if let Some(known) = self.places.by_fork.get(&fork) {
            return Some(*known);
        }
        let joined =
            region.parent == 0 || outer.is_some_and(|outer| self.places.get(outer).is_some_and(|o| o.complete));
        let place = self.begin(fork, joined);
        let number = u32::try_from(self.places.list.len()).ok()?;
        self.places.list.push(place);
        let frames = self.frames(region.stack, era).0;
        if let Some(entry) = leaf(&frames).checked_sub(1).and_then(|entry| frames.get(entry)) {
            self.places.entered(number, entry.step(era));
        }
        self.places.by_fork.insert(fork, number);
        Some(number)
    }

    fn begin(&mut self, (stack, outer, master, era): Fork, complete: bool) -> Place {
        let (frames, whole) = self.frames(stack, era);
        let leaf = leaf(&frames);
        let around = outer.and_then(|outer| self.places.get(outer).copied());
        let found = around.and_then(|around| self.split(&frames, whole, &around, master, true, era));
        if let (Some(outer), Some(body)) = (outer, found.and_then(|found| found.own.last())) {
            self.places.called(outer, body.step(era));
        }
        let (preface, caller) = match (around, found) {
            (Some(around), Some(found)) => {
                // The runtime call that forks belongs to the new region.
                let kept = if self.view == View::User { found.own } else { found.full.get(leaf..).unwrap_or_default() };
                let kept = kept.iter().filter(|frame| !frame.is_own());
                (Some(self.with(around.preface, kept, era)), found.own.first())
            }
            _ => {
                let frames = frames.get(leaf..).unwrap_or_default();
                (self.outside(frames, whole, era, self.view == View::User), frames.first())
            }
        };
        // A tail call has replaced the frame of its function: the caller isn't known then.
        let site = caller.filter(|frame| frame.kind.is_program()).map(|frame| frame.step(era));
        Place { outer, site, preface: preface.unwrap_or(ROOT), complete, fork: stack }
    }
}
