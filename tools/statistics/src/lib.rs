//! Statistics of runs: is a program faster than before, or is the difference noise?

pub mod bootstrap;
