//! Ctrl-C and termination as a flag that stages look at between games and steps; a second one ends at once. Not here:
//! what is done about it.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Begins to listen; `what` tells what becomes of the work so far. Only the first call has an effect.
pub fn listen(what: &'static str) {
    let result = ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("\nstopping; {what} (again to stop at once)");
    });
    // A second handler in one process (tests) is refused; the first one serves.
    let _ = result;
}

/// For commands on a run directory.
pub const KEPT: &str = "finished games are kept, the same command goes on from here";

/// The flag.
pub fn flag() -> &'static AtomicBool {
    &STOP
}

/// Whether a stop was asked for.
pub fn asked() -> bool {
    STOP.load(Ordering::SeqCst)
}
