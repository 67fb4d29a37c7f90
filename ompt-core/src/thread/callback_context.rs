//! Fields of a thread that are used around callbacks of tools.

use crate::callback_pin::CallbackPin;
use crate::errno;
use crate::interface::{INTERFACES, Interface};

/// A thread's reader pins, and its errno.
#[repr(C)]
pub(crate) struct CallbackContext {
    /// For each interface: set while the thread is inside a callback.
    pins: [CallbackPin; INTERFACES],
    /// The address of the thread's errno.
    errno: errno::Place,
}

system::zeroed!(CallbackContext { pins, errno });

impl CallbackContext {
    /// Reinitialises the record for the calling thread.
    pub(super) fn renew(&self) {
        self.pins.iter().for_each(CallbackPin::forgo);
        self.errno.note();
    }

    /// Clears the pins: the thread has left the frames of all callbacks for good.
    pub(super) fn release(&self) {
        self.pins.iter().for_each(CallbackPin::release);
    }

    #[inline(always)]
    pub(crate) fn errno(&self) -> &errno::Place {
        &self.errno
    }

    #[inline(always)]
    pub(crate) fn pins(&self) -> &[CallbackPin; INTERFACES] {
        &self.pins
    }

    /// The reader pin of an interface: while it is set, the interface's tool stays loaded.
    #[inline(always)]
    pub(crate) fn pin(&self, interface: Interface) -> &CallbackPin {
        let [ora, tr2, v5] = &self.pins;
        match interface {
            Interface::Ora => ora,
            Interface::Tr2 => tr2,
            Interface::V5 => v5,
        }
    }
}
