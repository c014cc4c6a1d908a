//! Puts the git commit into the binary for `--version` and model cards; a build outside git says "unknown".

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=.git/HEAD");
    println!("cargo:rerun-if-changed=.git/logs/HEAD");
    let git = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output();
    let hash = match git {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).trim().to_string(),
        _ => "unknown".to_string(),
    };
    println!("cargo:rustc-env=TENGEN_GIT={hash}");
}
