//! Hosts: how each kind of OpenMP runtime tells ora what a program does.

pub mod embed;
pub mod gomp;
pub mod ompt;
pub mod pomp;
mod pool;
