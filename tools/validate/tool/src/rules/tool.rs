//! Rules of a tool's initialization: lookup, registration, enumerations (OpenMP 5.0, 4.6.1).

use std::collections::BTreeSet;

use validate_layout::event::Callback;
use validate_layout::rule::Rule;

use crate::answers::Places;
use crate::engine::Engine;

/// Maximum length of an enumeration: a longer one would be a cycle.
const MAX_LENGTH: usize = 512;

impl Engine {
    /// Checks the names that `lookup` did not find.
    pub fn looked_up(&mut self, missing: &[&str]) {
        self.findings.check(Rule::ToolLookup, missing.is_empty(), || format!("{missing:?} not found"));
    }

    /// Checks the result of `ompt_set_callback`.
    pub fn registered(&mut self, callback: Callback, answer: i32) {
        let sound = (1..=5).contains(&answer);
        self.findings.check(Rule::ToolSet, sound, || format!("{answer} for {}", callback.name()));
        self.registered.push((callback, answer));
    }

    /// Checks that `ompt_get_callback` returned what was registered.
    pub fn got_back(&mut self, callback: Callback, same: bool) {
        let say = || format!("{} is not what was registered", callback.name());
        self.findings.check(Rule::ToolGet, same, say);
    }

    /// Checks the states that the runtime enumerates, by number and name.
    pub fn enumerated_states(&mut self, states: &[(i32, String)]) {
        self.states = states.iter().map(|(number, _)| *number).collect();
        self.findings.check(Rule::ToolStates, is_sound(states), || format!("{states:?}"));
    }

    /// Checks the mutex implementations that the runtime enumerates.
    pub fn enumerated_mutexes(&mut self, mutexes: &[(i32, String)]) {
        self.findings.check(Rule::ToolMutexes, is_sound(mutexes), || format!("{mutexes:?}"));
    }

    pub(crate) fn check_places(&mut self, thread: u64, reported: &Places) {
        let Places { processors, places, place, processor, of_place, partition, .. } = *reported;
        let on_place = place == -1 || (0..places).contains(&place);

        let fits =
            processors > 0 && places >= 0 && on_place && processor >= -1 && partition <= places && partition >= 0;
        let filled = place == -1 || of_place > 0;
        self.findings.check(Rule::ToolPlaces, fits && filled, || format!("{reported:?}"));
        self.findings.check(Rule::ToolDevices, reported.devices >= 0, || format!("{reported:?}"));
        self.check_target(thread, reported.in_target);
    }

    /// Checks the result of `ompt_get_target_info`, `in_target`.
    pub(crate) fn check_target(&mut self, thread: u64, in_target: i32) {
        let expected = self.model.current(thread).is_some_and(|task| self.model.is_in_target(task));
        let say = || format!("ompt_get_target_info returned {in_target}, expected {}", i32::from(expected));
        self.findings.check(Rule::ToolDevices, (in_target != 0) == expected, say);
    }
}

fn is_sound(enumerated: &[(i32, String)]) -> bool {
    let numbers: BTreeSet<i32> = enumerated.iter().map(|(number, _)| *number).collect();
    let named = enumerated.iter().all(|(_, name)| !name.is_empty());
    named && !enumerated.is_empty() && enumerated.len() < MAX_LENGTH && numbers.len() == enumerated.len()
}
