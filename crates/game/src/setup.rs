//! Setup text: `key=value` tokens. Each layer takes its own keys and leaves the rest; a key nobody takes is an error.
//! Not here: what the keys mean.

/// Why a setup was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct SetupError {
    /// The key at fault.
    pub field: String,
    /// What was wrong and what was expected.
    pub why: String,
}

impl SetupError {
    /// An error about `field`.
    pub fn new(field: &str, why: impl Into<String>) -> SetupError {
        SetupError { field: field.to_string(), why: why.into() }
    }
}

/// A setup text taken apart.
#[derive(Clone, Debug)]
pub struct SetupText {
    pairs: Vec<(String, String)>,
}

impl SetupText {
    /// Splits `a=1 b=2`. A token without `=` and a repeated key are errors.
    pub fn parse(text: &str) -> Result<SetupText, SetupError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for token in text.split_whitespace() {
            let pair = token.split_once('=').filter(|(key, _)| !key.is_empty());
            let (key, value) = pair.ok_or_else(|| SetupError::new(token, "expected key=value"))?;
            if pairs.iter().any(|(k, _)| k == key) {
                return Err(SetupError::new(key, "given twice"));
            }
            pairs.push((key.to_string(), value.to_string()));
        }
        Ok(SetupText { pairs })
    }

    /// Removes a key and returns its value.
    pub fn take(&mut self, key: &str) -> Option<String> {
        let i = self.pairs.iter().position(|(k, _)| k == key)?;
        Some(self.pairs.remove(i).1)
    }

    /// Removes a key and parses its value; `expected` ends the error "`x` is not …".
    pub fn take_parsed<T: std::str::FromStr>(&mut self, key: &str, expected: &str) -> Result<Option<T>, SetupError> {
        match self.take(key) {
            None => Ok(None),
            Some(v) => match v.parse() {
                Ok(parsed) => Ok(Some(parsed)),
                Err(_) => Err(SetupError::new(key, format!("`{v}` is not {expected}"))),
            },
        }
    }

    /// What is left, as text.
    pub fn rest(&self) -> String {
        self.pairs.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
    }

    /// An error if any key is left; `known` lists the keys this game takes.
    pub fn finish(&self, known: &[&str]) -> Result<(), SetupError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((key, _)) => Err(SetupError::new(key, format!("unknown key; this game takes {}", known.join(", ")))),
        }
    }
}
