//! Names that become files: model ids, checkpoints, shard prefixes, members of a manifest. A name that came from a file
//! must not leave the run directory, on any system the directory is carried to. Not here: the layout (see `rundir`).

/// Longest name in bytes; leaves room for the suffix of a temporary name below the usual 255.
pub const NAME_BYTES_MAX: usize = 128;

/// Why a name was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name {name:?} {why}")]
pub struct NameError {
    /// The name, cut to its first 60 characters.
    pub name: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Names that Windows gives to devices, whatever their extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| stem.strip_prefix(prefix).is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']));
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

fn fault(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("is empty");
    }
    if name.len() > NAME_BYTES_MAX {
        return Some("is longer than 128 bytes");
    }
    if name.chars().any(|c| c.is_control()) {
        return Some("has a control character");
    }
    if name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|']) {
        return Some("has a separator or one of : * ? \" < > |");
    }
    if name.starts_with('.') {
        return Some("starts with a dot");
    }
    if name.starts_with([' ', '-']) || name.ends_with([' ', '.']) {
        return Some("starts with a space or dash, or ends with a space or dot");
    }
    is_device(name).then_some("is a device on Windows")
}

/// Returns the name if it may become a file or directory inside the run directory: no separator, no leading dot (so
/// neither `..` nor a temporary), no control character, 1 to 128 bytes of UTF-8. Letters of any script are fine.
pub fn check_name(name: &str) -> Result<&str, NameError> {
    match fault(name) {
        None => Ok(name),
        Some(why) => Err(NameError { name: name.chars().take(60).collect(), why }),
    }
}

/// Turns any text (a player's name, a setup) into a name `check_name` accepts; not one to one.
pub fn safe_name(text: &str) -> String {
    let bad = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let mut name: String = text.chars().map(|c| if bad(c) { '_' } else { c }).collect();
    name = name.trim_matches([' ', '.', '-']).to_string();
    while name.len() > NAME_BYTES_MAX - 1 {
        name.pop();
    }
    let name = name.trim_end_matches([' ', '.']);
    if name.is_empty() || is_device(name) { format!("_{name}") } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::testkit::TestRng;

    #[test]
    fn names_that_leave_the_directory_are_refused() {
        let long = "x".repeat(300);
        for name in [
            "",
            ".",
            "..",
            "../../x",
            "/etc/passwd",
            "a/b",
            "a\\b",
            "C:x",
            "CON",
            "con.txt",
            "nul",
            "COM1",
            "lpt9.bin",
            "a\nb",
            "a\0b",
            ".hidden",
            "x.",
            "x ",
            " x",
            "-rf",
            &long,
        ] {
            let error = check_name(name).expect_err(name);
            assert!(!error.to_string().contains('\n') && error.to_string().len() < 400, "{error}");
        }
        for name in ["s000000100-a1b2c3d4", "碁 набор é", "common", "com10", "a.b.c", "model_7"] {
            assert_eq!(check_name(name), Ok(name));
        }
    }

    #[test]
    fn any_text_becomes_a_name_that_stays_inside() {
        let mut rng = TestRng::new(7);
        let alphabet: Vec<char> = "./\\: \n\0\u{7f}aé碁-con*".chars().collect();
        for _ in 0..2000 {
            let text: String = (0..rng.below(300)).map(|_| alphabet[rng.below(alphabet.len())]).collect();
            let name = safe_name(&text);
            assert_eq!(check_name(&name), Ok(name.as_str()), "{text:?}");
            let joined = std::path::Path::new("run").join(&name);
            assert_eq!(joined.components().count(), 2, "{text:?}");
        }
    }
}
