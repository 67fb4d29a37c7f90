//! `ora hang` on programs that hang, each in a different way, and on programs that don't.

mod harness;
mod live;
mod planted;
mod report;
mod stuck;
