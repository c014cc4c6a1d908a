//! Brackets, nodes and escapes: the main line of each game in an SGF text, without recursion, so that neither deep
//! nesting nor a long game can overflow the stack. Not here: what properties mean.

use super::SgfError;

/// Longest text that is read, in bytes.
pub const SGF_BYTES_MAX: usize = 1 << 24;
/// Deepest nesting of variations.
pub const SGF_DEPTH_MAX: usize = 1000;
/// Most nodes, and most property values, on the main lines of one text.
pub const SGF_NODES_MAX: usize = 1 << 19;

/// One property with its values as they stand in the text.
pub(super) struct Prop<'a> {
    /// Capital letters; older files' small letters are left out.
    pub(super) id: String,
    /// Values, escapes not yet resolved; at least one.
    pub(super) values: Vec<&'a [u8]>,
    pub(super) offset: usize,
}

/// One node of the main line.
pub(super) struct Node<'a> {
    pub(super) props: Vec<Prop<'a>>,
    pub(super) offset: usize,
}

/// One open bracket.
struct Open {
    is_main: bool,
    has_node: bool,
    has_child: bool,
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    kept: usize,
}

impl<'a> Scanner<'a> {
    fn error<T>(&self, offset: usize, why: impl Into<String>) -> Result<T, SgfError> {
        Err(SgfError { offset, why: why.into() })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace() || b == 0x0b) {
            self.at += 1;
        }
    }

    fn keep_one(&mut self) -> Result<(), SgfError> {
        self.kept += 1;
        if self.kept > SGF_NODES_MAX {
            return self.error(self.at, format!("more than {SGF_NODES_MAX} nodes and values"));
        }
        Ok(())
    }

    /// A value; the cursor stands on `[`.
    fn value(&mut self) -> Result<&'a [u8], SgfError> {
        let start = self.at + 1;
        let mut i = start;
        while let Some(&b) = self.text.get(i) {
            match b {
                b']' => {
                    self.at = i + 1;
                    return Ok(&self.text[start..i]);
                }
                b'\\' => i += 2,
                _ => i += 1,
            }
        }
        self.error(start - 1, "this value is never closed by ]")
    }

    /// A property; the cursor stands on a letter.
    fn prop(&mut self, is_main: bool) -> Result<Prop<'a>, SgfError> {
        let offset = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphabetic()) {
            self.at += 1;
        }
        let letters = &self.text[offset..self.at];
        if letters.len() > 64 {
            return self.error(offset, "property name longer than 64 letters");
        }
        let id = letters.iter().filter(|b| b.is_ascii_uppercase()).map(|&b| b as char).collect();
        let mut values = Vec::new();
        self.skip_space();
        while self.peek() == Some(b'[') {
            let value = self.value()?;
            if is_main {
                self.keep_one()?;
                values.push(value);
            }
            self.skip_space();
        }
        if is_main && values.is_empty() {
            return self.error(offset, "property without a value");
        }
        Ok(Prop { id, values, offset })
    }

    /// The properties of a node; the cursor stands behind `;`.
    fn node(&mut self, is_main: bool) -> Result<Node<'a>, SgfError> {
        let mut node = Node { props: Vec::new(), offset: self.at - 1 };
        if is_main {
            self.keep_one()?;
        }
        self.skip_space();
        while self.peek().is_some_and(|b| b.is_ascii_alphabetic()) {
            let prop = self.prop(is_main)?;
            if is_main {
                node.props.push(prop);
            }
        }
        Ok(node)
    }

    fn open(&mut self, stack: &mut Vec<Open>) -> Result<(), SgfError> {
        if stack.len() == SGF_DEPTH_MAX {
            return self.error(self.at, format!("variations nest deeper than {SGF_DEPTH_MAX}"));
        }
        let is_main = match stack.last_mut() {
            None => true,
            Some(parent) if !parent.has_node => return self.error(self.at, "a variation before the first node"),
            Some(parent) => parent.is_main && !std::mem::replace(&mut parent.has_child, true),
        };
        stack.push(Open { is_main, has_node: false, has_child: false });
        self.at += 1;
        Ok(())
    }

    /// One game; the cursor stands on `(`.
    fn game(&mut self) -> Result<Vec<Node<'a>>, SgfError> {
        let start = self.at;
        let (mut nodes, mut stack) = (Vec::new(), Vec::new());
        self.open(&mut stack)?;
        while let Some(open) = stack.last_mut() {
            self.skip_space();
            match self.text.get(self.at) {
                Some(b'(') => self.open(&mut stack)?,
                Some(b')') => {
                    if !open.has_node {
                        return self.error(self.at, "a variation without a node");
                    }
                    stack.pop();
                    self.at += 1;
                }
                Some(b';') if open.has_child => return self.error(self.at, "a node behind a variation"),
                Some(b';') => {
                    open.has_node = true;
                    let is_main = open.is_main;
                    self.at += 1;
                    let node = self.node(is_main)?;
                    if is_main {
                        nodes.push(node);
                    }
                }
                Some(&b) => {
                    return self.error(self.at, format!("found {:?}, expected ; ( or )", (b as char).to_string()));
                }
                None => return self.error(start, "the bracket opened here is never closed"),
            }
        }
        Ok(nodes)
    }
}

/// The nodes of each game's main line, root first; at least one game with one node each. Text around games is skipped.
pub(super) fn main_lines(text: &[u8]) -> Result<Vec<Vec<Node<'_>>>, SgfError> {
    let mut scanner = Scanner { text, at: 0, kept: 0 };
    if text.len() > SGF_BYTES_MAX {
        return scanner.error(SGF_BYTES_MAX, format!("longer than {SGF_BYTES_MAX} bytes"));
    }
    let mut games = Vec::new();
    while let Some(next) = text[scanner.at..].iter().position(|&b| b == b'(') {
        scanner.at += next;
        games.push(scanner.game()?);
    }
    if games.is_empty() {
        return scanner.error(0, "no game: no bracket ( is opened");
    }
    Ok(games)
}

/// Resolves escapes and line ends: `\` and a line end vanish, `\x` is x, a line end is one `\n`, other white space and
/// control characters are a space.
pub(super) fn resolve(raw: &[u8], is_utf8: bool) -> String {
    let mut out = Vec::with_capacity(raw.len());
    let mut i = 0;
    // Length of the line end at i, if there is one; \r\n and \n\r are one.
    let line_end = |i: usize| match (raw.get(i), raw.get(i + 1)) {
        (Some(b'\r'), Some(b'\n')) | (Some(b'\n'), Some(b'\r')) => 2,
        (Some(b'\r' | b'\n'), _) => 1,
        _ => 0,
    };
    while i < raw.len() {
        let escaped = raw[i] == b'\\';
        i += usize::from(escaped);
        match line_end(i) {
            0 => {
                // A backslash at the very end escapes nothing.
                let Some(&b) = raw.get(i) else { break };
                out.push(if b < 0x20 || b == 0x7f { b' ' } else { b });
                i += 1;
            }
            n => {
                if !escaped {
                    out.push(b'\n');
                }
                i += n;
            }
        }
    }
    if is_utf8 {
        // Cutting at ASCII bytes can't split a character.
        String::from_utf8_lossy(&out).into_owned()
    } else {
        out.iter().map(|&b| b as char).collect()
    }
}
