//! The processor's time counter.
#![allow(unsafe_code)] // one instruction

/// The kernel's name for the clock source that reads this counter.
pub const COUNTER_SOURCE: &str = "tsc";

/// The time stamp counter now. Values of different processors are comparable if [`is_counter_steady`] says so.
#[inline]
pub fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction. A system that forbids it does not use it as its clock source
    // either, and callers check for that.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// The counter, read after all earlier instructions of the program have completed and before any later one starts. Without this the
/// processor may reorder the read.
#[inline]
pub fn counter_in_order() -> u64 {
    let wait = || {
        // SAFETY: every x86-64 processor has the instruction, which separates earlier and later ones (Intel SDM, "LFENCE").
        unsafe { std::arch::x86_64::_mm_lfence() };
    };
    wait();
    let count = counter();
    wait();
    count
}

/// True if the counter never stops or changes its rate, according to the text of `/proc/cpuinfo`.
pub fn is_counter_steady(cpuinfo: &str) -> bool {
    let mut flags = cpuinfo.lines().filter(|line| line.starts_with("flags")).peekable();
    let has = |line: &str, flag| line.split_whitespace().any(|word| word == flag);
    flags.peek().is_some() && flags.all(|line| has(line, "constant_tsc") && has(line, "nonstop_tsc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_used_only_where_every_processor_has_a_steady_one() {
        let good = "processor : 0\nflags\t: constant_tsc nonstop_tsc x\nprocessor : 1\nflags\t: fpu constant_tsc nonstop_tsc\n";
        assert!(is_counter_steady(good));
        assert!(!is_counter_steady("flags\t: constant_tsc nonstop_tsc\nflags\t: fpu constant_tsc\n"));
        assert!(!is_counter_steady("flags\t: fpu xconstant_tsc nonstop_tsc\n"));
        assert!(!is_counter_steady(""));
    }
}
