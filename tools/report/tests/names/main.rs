//! Names of the functions of real programs, at the addresses that they tell themselves when they run.

mod programs;

mod authors;
mod debug_files;
mod objects;
