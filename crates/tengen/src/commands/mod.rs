//! What each command does; one file each. Not here: parsing (`cli`), the loop (`pipeline`).

pub mod bench;
pub mod config;
pub mod doctor;
pub mod export;
pub mod fairness;
pub mod gtp;
pub mod inspect;
pub mod matches;
pub mod play;
pub mod rules;
pub mod run;
pub mod yardstick;

/// A fault in what the user gave, for exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub String);

/// Whether an error is about what the user gave rather than about doing it.
pub fn is_input_error(e: &anyhow::Error) -> bool {
    e.chain().any(|cause| {
        cause.is::<BadInput>()
            || cause.is::<crate::config::ConfigError>()
            || cause.is::<tengen_game::SetupError>()
            || cause.is::<crate::models::ModelError>()
    })
}

/// A bad-input error from text.
pub fn bad(why: impl Into<String>) -> anyhow::Error {
    BadInput(why.into()).into()
}
