//! Stacks of another process's threads, unwound from outside by the rules in its memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use framehop::FrameAddress;

use crate::arch::kept::{Kept, Rules};
use crate::arch::{self, StackRegisters, Unwinder};
use crate::deadline::Deadline;
use crate::image::{Image, UnwindSections};
use crate::imports::{self, Imports};
use crate::memory::Memory;
use crate::objects::Object;
use crate::stack_words::StackWords;
use crate::symbols::{self, Symbols};
use crate::tables::Tables;

/// Maximum number of frames of a stack, and what is said beyond it: of a thread that is only looked at, one of many.
const SHALLOW: (usize, &str) = (2000, "more than 2,000 calls deep");
/// The same for a thread that is to be used: all of its frames have to be known.
const DEEP: (usize, &str) = (1 << 17, "more than 131,072 calls deep");
/// Maximum length of their names together, in bytes: the process chooses them.
const NAMES: usize = 16 << 20;
/// Maximum time for a stack: rules can have any number of steps.
const LONGEST: Duration = Duration::from_secs(1);
/// The reason given if unwinding took longer than [`LONGEST`], which a busy machine can also cause.
pub(crate) const LATE: &str = "too many calls deep to be followed within a second";
/// Placeholder for a frame pointer that isn't known: no stack has this address, so a rule that needs it fails.
const UNKNOWN_BASE: u64 = 1;

/// One frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Address in the code: of the call, or of the interrupted instruction.
    pub address: u64,
    /// Number of its object in [`Stacks::objects`].
    pub object: Option<usize>,
    /// Name of the exported function that it is in.
    pub name: Option<String>,
    /// Stack pointer in the frame.
    pub stack: u64,
    /// Frame pointer, or another value that the program keeps in that register; `None` if not known.
    pub base: Option<u64>,
    /// Other callee-saved registers.
    pub kept: Kept,
}

/// The frames of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The innermost frame first.
    pub frames: Vec<Frame>,
    /// True if the last one is the thread's first frame.
    pub complete: bool,
    /// The bound that it exceeds, in words; further frames are missing then.
    pub exceeds: Option<&'static str>,
}

/// Unwinder of one process, which keeps what it has read of an object.
pub struct Stacks {
    memory: Memory,
    tables: Arc<Tables>,
    /// The loaded objects, in the order of their addresses.
    pub objects: Vec<Object>,
    unwinder: Unwinder,
    known: HashMap<usize, Option<Rules>>,
    symbols: Vec<Option<Symbols>>,
    deepest: (usize, &'static str),
}

impl std::fmt::Debug for Stacks {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Stacks").field("objects", &self.objects.len()).finish_non_exhaustive()
    }
}

impl Stacks {
    /// Unwinder of a process with these objects.
    pub fn new(memory: Memory, objects: Vec<Object>) -> Self {
        let symbols = vec![None; objects.len()];
        let (unwinder, known) = (Unwinder::new(), HashMap::new());
        Self { memory, tables: Arc::default(), objects, unwinder, known, symbols, deepest: SHALLOW }
    }

    /// Like [`new`](Self::new), for threads that are to be used; reads nothing from the objects once a deadline has passed.
    pub(crate) fn until(memory: Memory, objects: Vec<Object>, deadline: Deadline) -> Self {
        Self { tables: Arc::new(Tables::until(deadline)), deepest: DEEP, ..Self::new(memory, objects) }
    }

    /// The stack of a thread that is blocked in the kernel, from what `/proc` has, which excludes the frame pointer. It is incomplete
    /// if that is needed.
    pub fn unwind_blocked(&mut self, instruction: u64, stack: u64) -> Stack {
        let registers = arch::stack_registers(instruction, stack, UNKNOWN_BASE);
        self.unwind(instruction, registers, Kept::default())
    }

    /// The stack of a thread that is at this instruction, with these registers. The thread need not be stopped if it
    /// is blocked.
    pub fn unwind(&mut self, instruction: u64, registers: StackRegisters, kept: Kept) -> Stack {
        loop {
            match self.unwind_by_read(instruction, registers, kept) {
                Ok(stack) => return stack,
                Err(unread) => self.read(unread),
            }
        }
    }

    /// Like [`unwind`](Self::unwind), from the parts of the objects that have been read so far.
    ///
    /// # Errors
    /// The number of an object that has to be read first.
    pub(crate) fn unwind_by_read(
        &mut self,
        instruction: u64,
        registers: StackRegisters,
        kept: Kept,
    ) -> Result<Stack, usize> {
        let (mut registers, mut kept) = (registers, kept);
        let mut stack = Stack::default();
        let mut at = FrameAddress::from_instruction_pointer(instruction);
        let (begun, mut names) = (Instant::now(), 0);
        let words = StackWords::of(self.memory);
        loop {
            stack.exceeds = if stack.frames.len() >= self.deepest.0 {
                Some(self.deepest.1)
            } else if names > NAMES {
                Some("in functions with more than 16 MB of names")
            } else if begun.elapsed() >= LONGEST {
                Some(LATE)
            } else {
                None
            };
            if stack.exceeds.is_some() {
                break;
            }
            let address = at.address_for_lookup();
            let object = self.object_of(address);
            if let Some(unread) = object.filter(|object| !self.is_read(*object)) {
                return Err(unread);
            }
            let name = object.and_then(|object| self.name(object, address));
            names += name.as_ref().map_or(0, String::len);
            let base = Some(arch::base(&registers)).filter(|base| *base != UNKNOWN_BASE);
            stack.frames.push(Frame { address, object, name, stack: registers.sp(), base, kept });
            let rules = object.and_then(|object| self.known.get(&object)?.as_ref());
            match self.unwinder.caller(at, rules, kept, &mut registers, &words) {
                Ok(Some(caller)) => match FrameAddress::from_return_address(caller) {
                    Some(caller) => {
                        kept = rules.map_or_else(Kept::default, |it| it.caller(&words, address, registers.sp(), kept));
                        at = caller;
                    }
                    None => break,
                },
                Ok(None) => {
                    stack.complete = true;
                    break;
                }
                Err(()) => break,
            }
        }
        Ok(stack)
    }

    /// Reads what unwinding needs of an object.
    pub(crate) fn read(&mut self, number: usize) {
        self.learn(number);
        self.symbols(number);
    }

    fn is_read(&self, number: usize) -> bool {
        self.known.contains_key(&number) && self.symbols.get(number).is_none_or(Option::is_some)
    }

    /// Memory of the process.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// Number of the object that contains an address.
    pub fn object_of(&self, address: u64) -> Option<usize> {
        let object = self.objects.partition_point(|object| object.start <= address).checked_sub(1)?;
        self.objects.get(object).filter(|it| it.holds(address)).map(|_| object)
    }

    /// The name by which other objects refer to an object.
    pub fn soname(&self, object: usize) -> Option<String> {
        self.image(object)?.soname()
    }

    /// Offset that is added to the addresses of an object's file.
    pub fn bias(&self, object: usize) -> Option<u64> {
        Image::bias_at(self.memory, self.objects.get(object)?.start)
    }

    /// Functions that an object imports, by the address of the word through which it calls them.
    pub fn imports(&self, object: usize) -> Imports {
        self.image(object).and_then(|image| imports::read(&image)).unwrap_or_default()
    }

    /// Name of the exported function that contains an address.
    pub fn exported(&mut self, address: u64) -> Option<String> {
        let object = self.object_of(address)?;
        self.name(object, address)
    }

    /// First address of the function, or of the part of a function, that contains an address; for objects on a stack
    /// that was unwound.
    pub fn function_start(&self, address: u64) -> Option<u64> {
        self.known.get(&self.object_of(address)?)?.as_ref()?.start(address)
    }

    /// Address of an exported function of an object.
    pub fn function(&mut self, object: usize, name: &str) -> Option<u64> {
        self.symbols(object)?.address(name)
    }

    /// Adds functions of an object that it does not export: address, size and name of each.
    pub fn add_functions<'n>(&mut self, object: usize, functions: impl Iterator<Item = (u64, u64, &'n str)>) {
        self.symbols(object);
        if let Some(Some(symbols)) = self.symbols.get_mut(object) {
            symbols.add(functions);
        }
    }

    /// Address of a variable that the C library exports.
    pub(crate) fn library_variable(&self, name: &str) -> Option<u64> {
        let mut libraries = self.objects.iter().filter(|object| object.is_c_library());
        libraries
            .find_map(|library| symbols::variable(&Image::read_within(self.memory, library.start, &self.tables)?, name))
    }

    fn name(&mut self, object: usize, address: u64) -> Option<String> {
        self.symbols(object)?.name(address)
    }

    fn symbols(&mut self, object: usize) -> Option<&Symbols> {
        let (memory, start) = (self.memory, self.objects.get(object)?.start);
        let read = || Image::read_within(memory, start, &self.tables).map(|image| Symbols::read(&image));
        let slot = self.symbols.get_mut(object)?;
        Some(slot.get_or_insert_with(|| read().unwrap_or_default()))
    }

    /// Reads what most stacks need: the rules of the program, the C library, the runtime, and `libora.so` if an
    /// earlier session has left it.
    pub(crate) fn learn_likely(&mut self) {
        let likely = |(number, object): (usize, &Object)| {
            let is_runtime = object.is("libgomp") || object.is("libora.so");
            (number == 0 || object.is_c_library() || is_runtime).then_some(number)
        };
        let likely: Vec<usize> = self.objects.iter().enumerate().filter_map(likely).collect();
        for number in likely {
            self.read(number);
        }
    }

    fn image(&self, object: usize) -> Option<Image> {
        Image::read_within(self.memory, self.objects.get(object)?.start, &self.tables)
    }

    fn sections(&self, number: usize) -> Option<UnwindSections> {
        self.image(number)?.unwind_sections()
    }

    /// Reads an object's unwinding rules.
    fn learn(&mut self, number: usize) {
        if self.known.contains_key(&number) {
            return;
        }
        let sections = self.sections(number);
        self.known.insert(number, sections.as_ref().map(Rules::new));
        let (Some(object), Some(sections)) = (self.objects.get(number), sections) else { return };
        self.unwinder.learn(object, sections);
    }
}
