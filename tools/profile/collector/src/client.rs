//! Requests to the library that answers them. Async-signal-safe, but for [`keep`].

use std::sync::OnceLock;

use ora_client::{Client, Doing};

/// The library, once a session has been opened.
static CLIENT: OnceLock<Client> = OnceLock::new();

/// Keeps the library with which a session was opened first.
pub(crate) fn keep(client: Client) -> Client {
    *CLIENT.get_or_init(|| client)
}

/// The library that answers requests.
pub(crate) fn get() -> Option<Client> {
    CLIENT.get().copied()
}

/// The calling thread's state and region.
pub(crate) fn doing() -> Doing {
    get().map(Client::doing).unwrap_or_default()
}

/// The region that the calling thread executes; 0 for none.
pub(crate) fn region() -> u64 {
    get().map_or(0, Client::region)
}
