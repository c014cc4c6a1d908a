//! Writing to standard output without a panic: `say!` for a line, `say_part!` for text without its end.
//!
//! The reader may leave early (`tengen config list | head -3`); then there is nobody left to tell, and the program ends
//! quietly as other tools do. What a run has written to its files is safe at any moment. Not here: standard error.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes to standard output. Ends the process with 0 if the reader has left and with 1 if the output can't be written,
/// as on a full disk.
pub fn write(text: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let Err(e) = out.write_fmt(text).and_then(|()| out.flush()) else { return };
    if e.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("error: standard output: {e}");
    std::process::exit(1);
}

/// A line to standard output, as `println!`.
macro_rules! say {
    ($($part:tt)*) => { $crate::out::write(format_args!("{}\n", format_args!($($part)*))) };
}

/// Text to standard output, as `print!`.
macro_rules! say_part {
    ($($part:tt)*) => { $crate::out::write(format_args!($($part)*)) };
}
