//! Entries for readers.

use std::fmt::Write;

use super::described::{Described, Named, Reply};
use super::names::START;
use super::replies::Value;

impl Named {
    /// `NAME (3)`, or `99 (no WHAT has this number)`.
    pub(super) fn say(self, what: &str) -> String {
        match self.name {
            Some(name) => format!("{name} ({})", self.number),
            None => format!("{} (no {what} has this number)", self.number),
        }
    }
}

/// An entry on several lines; the first contains its offset.
pub(super) fn entry(described: &Described) -> String {
    let mut out = format!("{:>6}  {}, ", described.offset, described.request.say("request"));
    let _ = writeln!(out, "sz {} = 16 + {} of mem", described.sz, described.mem_bytes);
    if let Some(event) = described.event {
        let _ = write!(out, "        event {}", event.say("event"));
        if let Some(callback) = &described.callback {
            match callback.address.as_deref() {
                Some("0x0") => out.push_str(", callback NULL: takes the registration back"),
                Some(address) => {
                    let _ = write!(out, ", callback {address}");
                }
                None => out.push_str(", no callback that can be code"),
            }
            out.push('\n');
            let layout = callback.layout.unwrap_or("not known");
            let _ = write!(out, "        layout {layout}: {}", callback.known_by);
        }
        out.push('\n');
    }
    if described.mem_bytes > 0 {
        let _ = writeln!(out, "        mem {}", described.mem);
    }
    match &described.reply {
        Some(reply) => out.push_str(&reply_lines(described, reply)),
        None => out.push_str(&answer_lines(described)),
    }
    out
}

fn answer_lines(described: &Described) -> String {
    let mut out =
        format!("        ec {}, rsz {}: not looked at, the reply goes there\n", described.ec_in, described.rsz_in);
    for (place, answer) in described.answers.iter().enumerate() {
        let lead = if place == 0 { "        answer:" } else { "            or:" };
        let name = super::names::code(answer.ec).unwrap_or("?");
        let _ = write!(out, "{lead} {name} ({}), rsz {}", answer.ec, answer.rsz);
        if !answer.when.is_empty() {
            let _ = write!(out, ": {}", answer.when);
        }
        out.push('\n');
    }
    out
}

fn reply_lines(described: &Described, reply: &Reply) -> String {
    let mut out = format!("        reply {}, rsz {}", reply.ec.say("reply code"), reply.rsz);
    for value in &reply.values {
        out.push_str(", ");
        out.push_str(&value_words(value));
    }
    if reply.compared {
        let _ = write!(out, " (ec was {}, rsz {})", described.ec_in, described.rsz_in);
    }
    out.push('\n');
    if let Some(change) = &reply.changed {
        let _ = writeln!(
            out,
            "        changed mem+{} to mem+{}: {} -> {}",
            change.first, change.last, change.from, change.to
        );
    }
    if described.request.number == START && reply.ec.number == super::names::UNSUPPORTED {
        out.push_str("        ORA_DISABLE=1 is set\n");
    }
    for fault in &reply.faults {
        let _ = writeln!(out, "        BREAKS THE PROTOCOL: {fault}");
    }
    out
}

fn value_words(value: &Value) -> String {
    match value {
        Value::State { number, name } => Named { number: *number, name: *name }.say("state"),
        Value::WaitId { value, at } => format!("wait id {value} at mem+{at}"),
        Value::Region { id, parent: false } => format!("region {id:#x}"),
        Value::Region { id, parent: true } => format!("parent region {id:#x}"),
        Value::Task { id, parent: false } => format!("task {id:#x}"),
        Value::Task { id, parent: true } => format!("parent task {id:#x}"),
    }
}
