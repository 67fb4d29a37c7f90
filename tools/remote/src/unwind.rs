//! Stacks of another process's threads, unwound from outside by the rules in its memory.

use std::collections::HashSet;

use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};

use crate::arch::{Cache, StackRegisters, UnwinderOfMachine};
use crate::image::Image;
use crate::memory::Memory;
use crate::objects::Object;
use crate::symbols::Symbols;

/// Most frames of a stack.
const DEPTH: usize = 2000;

/// One frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Address in the code: of the call, or of the interrupted instruction.
    pub address: u64,
    /// Number of its object in [`Stacks::objects`].
    pub object: Option<usize>,
    /// Name of the exported function that it is in.
    pub name: Option<String>,
}

/// The frames of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The innermost frame first.
    pub frames: Vec<Frame>,
    /// True if the last one is where the thread began.
    pub complete: bool,
}

/// Unwinder of one process: what it has read of an object stays.
pub struct Stacks {
    memory: Memory,
    /// The loaded objects.
    pub objects: Vec<Object>,
    unwinder: UnwinderOfMachine<Vec<u8>>,
    cache: Cache,
    known: HashSet<usize>,
    symbols: Vec<Option<Symbols>>,
}

impl std::fmt::Debug for Stacks {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Stacks").field("objects", &self.objects.len()).finish_non_exhaustive()
    }
}

impl Stacks {
    /// Of a process with these objects.
    pub fn new(memory: Memory, objects: Vec<Object>) -> Self {
        let symbols = vec![None; objects.len()];
        Self {
            memory,
            objects,
            unwinder: UnwinderOfMachine::new(),
            cache: Cache::new(),
            known: HashSet::new(),
            symbols,
        }
    }

    /// The stack of a thread that is at this instruction, with these registers. The thread need not be stopped, if it is blocked.
    pub fn unwind(&mut self, instruction: u64, registers: StackRegisters) -> Stack {
        let mut registers = registers;
        let mut stack = Stack::default();
        let mut at = FrameAddress::from_instruction_pointer(instruction);
        while stack.frames.len() < DEPTH {
            let address = at.address_for_lookup();
            let object = self.object_of(address);
            if let Some(object) = object {
                self.learn(object);
            }
            stack.frames.push(Frame { address, object, name: object.and_then(|object| self.name(object, address)) });
            let memory = self.memory;
            let mut read = |address: u64| memory.word(address).ok_or(());
            match self.unwinder.unwind_frame(at, &mut registers, &mut self.cache, &mut read) {
                Ok(Some(caller)) => match FrameAddress::from_return_address(caller) {
                    Some(caller) => at = caller,
                    None => break,
                },
                Ok(None) => {
                    stack.complete = true;
                    break;
                }
                Err(_) => break,
            }
        }
        stack
    }

    /// Memory of the process.
    pub(crate) fn memory(&self) -> Memory {
        self.memory
    }

    /// Number of the object that has an address.
    pub fn object_of(&self, address: u64) -> Option<usize> {
        self.objects.iter().position(|object| object.holds(address))
    }

    /// The name by which other objects need an object.
    pub fn soname(&self, object: usize) -> Option<String> {
        Image::read(self.memory, self.objects.get(object)?.start)?.soname()
    }

    /// Address of an exported function of an object.
    pub fn function(&mut self, object: usize, name: &str) -> Option<u64> {
        self.symbols(object)?.address(name)
    }

    fn name(&mut self, object: usize, address: u64) -> Option<String> {
        self.symbols(object)?.name(address).map(str::to_owned)
    }

    fn symbols(&mut self, object: usize) -> Option<&Symbols> {
        let (memory, start) = (self.memory, self.objects.get(object)?.start);
        let slot = self.symbols.get_mut(object)?;
        Some(
            slot.get_or_insert_with(|| {
                Image::read(memory, start).map(|image| Symbols::read(&image)).unwrap_or_default()
            }),
        )
    }

    /// Reads what most stacks need: that of the program, the C library and the runtime.
    pub(crate) fn learn_likely(&mut self) {
        let likely = |(number, object): (usize, &Object)| {
            (number == 0 || object.is_c_library() || object.is("libgomp")).then_some(number)
        };
        let likely: Vec<usize> = self.objects.iter().enumerate().filter_map(likely).collect();
        for number in likely {
            self.learn(number);
            self.symbols(number);
        }
    }

    /// Reads an object's unwinding rules.
    fn learn(&mut self, number: usize) {
        if !self.known.insert(number) {
            return;
        }
        let Some(object) = self.objects.get(number) else { return };
        let Some(image) = Image::read(self.memory, object.start) else { return };
        let Some(sections) = image.unwind_sections() else { return };
        let range = |start: u64, bytes: &[u8]| start..start + bytes.len() as u64;
        let (index, rules) = (sections.index, sections.rules);
        // Addresses are absolute: the base is the lowest one.
        let information = ExplicitModuleSectionInfo {
            base_svma: object.start,
            eh_frame_svma: Some(range(rules.0, &rules.1)),
            eh_frame: Some(rules.1),
            eh_frame_hdr_svma: Some(range(index.0, &index.1)),
            eh_frame_hdr: Some(index.1),
            ..Default::default()
        };
        let name = object.path.display().to_string();
        self.unwinder.add_module(Module::new(name, object.start..object.end, object.start, information));
    }
}
