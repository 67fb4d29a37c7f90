//! Stacks of the simulated program, in functions of real objects.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use object::{Object as _, ObjectSection, ObjectSymbol, SymbolKind};
use profile_format::Object;

use crate::random::Random;

/// The objects, mapped 4 GiB apart, with the first address and size of each function.
pub(crate) struct Code(Vec<Loaded>);

struct Loaded {
    path: String,
    build_id: Vec<u8>,
    bias: u64,
    start: u64,
    end: u64,
    functions: Vec<(u64, u64)>,
}

/// Calling places in a function.
const CALLS: u64 = 6;

/// The objects: the program, this executable as a library of it, libgomp and libc.
pub(crate) fn objects(program: &Path) -> Vec<PathBuf> {
    let library = |name: &str| {
        let output = process::Command::new("gcc").arg(format!("-print-file-name={name}")).output().unwrap();
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).canonicalize().unwrap()
    };
    vec![program.to_owned(), env::current_exe().unwrap(), library("libgomp.so.1"), library("libc.so.6")]
}

impl Code {
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        Self(paths.iter().zip(1..).map(|(path, number)| Loaded::of(path, number << 32)).collect())
    }

    pub(crate) fn records(&self) -> Vec<Object<'_>> {
        self.0.iter().map(Loaded::record).collect()
    }

    /// A stack, the leaf first: a worker's, or that of a master in region `number % forks`.
    pub(crate) fn stack(&mut self, number: u64, forks: u64, random: &mut Random) -> Vec<u64> {
        let [program, library, runtime, system] = &self.0[..] else { unreachable!() };
        let mut frames = match number % 5 {
            0 => vec![runtime.inside(number % 40, 60)],
            1 => vec![system.inside(random.mostly_small(400), random.mostly_small(200))],
            2 => (0..number / 5 % 8).map(|_| library.call(random)).collect(),
            _ => vec![program.leaf(random)],
        };
        // Code calls one of three functions, mostly the first, as deep as it goes.
        let mut at = number % 7;
        let mut path = Vec::new();
        for _ in 0..number / 2 % 27 + 1 {
            at = at * 31 + random.below(16).saturating_sub(13) * 7 + 11;
            path.push(program.inside(at % 3000, (at % CALLS) * 16 + 9));
        }
        frames.extend(path.iter().rev());
        frames.push(runtime.inside(7, 20));
        match number % 2 {
            0 => frames.extend([runtime.inside(8, 30), system.inside(9, 40)]),
            _ => frames.extend(self.below(number % forks)),
        }
        frames
    }

    /// The stack of a master at the start of a region.
    pub(crate) fn fork(&self, number: u64) -> Vec<u64> {
        let mut frames = vec![self.0[2].inside(7, 25)];
        frames.extend(self.below(number));
        frames
    }

    fn below(&self, fork: u64) -> [u64; 3] {
        let program = &self.0[0];
        [program.inside(fork * 17, 33), program.inside(fork % 3, 40), self.0[3].inside(11, 50)]
    }
}

impl Loaded {
    fn of(path: &Path, bias: u64) -> Self {
        let bytes = fs::read(path).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let text = file.section_by_name(".text").unwrap();
        let (start, end) = (text.address(), text.address() + text.size());
        let mut functions: Vec<(u64, u64)> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() >= 32)
            .filter(|symbol| (start..end).contains(&symbol.address()))
            .map(|symbol| (symbol.address(), symbol.size()))
            .collect();
        functions.sort_unstable();
        functions.dedup();
        // Neighbours in the file are not neighbours in the program.
        let mut random = Random(2_463_534_242);
        functions.sort_by_cached_key(|_| random.below(1 << 40));
        let build_id = file.build_id().unwrap().unwrap_or_default().to_owned();
        let path = path.display().to_string();
        Self { path, build_id, bias, start: start + bias, end: end + bias, functions }
    }

    fn record(&self) -> Object<'_> {
        let Self { start, end, bias, build_id, path, .. } = self;
        Object { start: *start, end: *end, bias: *bias, since_ns: 0, build_id, path: path.as_bytes() }
    }

    fn inside(&self, function: u64, offset: u64) -> u64 {
        let (address, size) = self.functions[usize::try_from(function).unwrap() % self.functions.len()];
        self.bias + address + offset % size
    }

    fn leaf(&self, random: &mut Random) -> u64 {
        let function = random.mostly_small(self.functions.len() as u64);
        self.inside(function, random.below(1 << 20))
    }

    fn call(&self, random: &mut Random) -> u64 {
        let function = random.mostly_small(self.functions.len() as u64);
        self.inside(function, random.below(CALLS) * 16 + 9)
    }
}
