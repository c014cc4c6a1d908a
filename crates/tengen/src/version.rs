//! What this build is. Not here: what models were made with (their cards say).

/// `tengen 0.1.0 (abcdef0123; cpu flex, fused …)`.
pub fn long() -> String {
    format!("tengen {} ({}; devices {})", short(), git(), tengen_net::device_names().join(", "))
}

/// The crate's version.
pub fn short() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Commit it was built from, or `unknown`.
pub fn git() -> &'static str {
    env!("TENGEN_GIT")
}

/// Unix seconds by this machine's clock; for people only.
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
