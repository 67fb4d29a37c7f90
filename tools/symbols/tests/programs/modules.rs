// A function in a module. Short debug information names only what others are inlined into.
mod app {
    #[inline(always)]
    fn inner(n: usize) -> usize {
        n + std::process::id() as usize
    }

    #[inline(never)]
    pub fn work(n: usize) -> usize {
        inner(n) * inner(n + 1)
    }
}

fn main() {
    std::process::exit(i32::from(app::work(std::env::args().count()) == 0));
}
