//! The positions a game has had, for superko: a list of hashes in order, and an open-addressing table over it.
//!
//! Entries leave in the reverse of the order they came, so that clearing the newest one never breaks a probe chain and
//! no tombstones are needed. Two positions count as equal when their 64-bit hashes are. Not here: what is hashed.

/// Hashes of past positions. Cloning copies the list and the table, about 12 to 20 bytes per entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    hashes: Vec<u64>,
    /// Index into `hashes` plus one; 0 is free. A power of two, at most half full.
    table: Vec<u32>,
}

impl Past {
    /// Whether a position was there before.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        if self.table.is_empty() {
            return false;
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.table[slot] {
                0 => return false,
                entry if self.hashes[entry as usize - 1] == hash => return true,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Adds a position; adding one twice is fine.
    #[inline]
    pub(crate) fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.table.len() {
            self.grow();
        } else {
            self.enter(self.hashes.len());
        }
    }

    /// Takes the newest position out.
    pub(crate) fn pop(&mut self) {
        let entry = self.hashes.len() as u32;
        if let Some(hash) = self.hashes.pop() {
            let mask = self.table.len() - 1;
            let mut slot = hash as usize & mask;
            while self.table[slot] != entry {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = 0;
        }
    }

    #[inline]
    fn enter(&mut self, entry: usize) {
        let mask = self.table.len() - 1;
        let mut slot = self.hashes[entry - 1] as usize & mask;
        while self.table[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = entry as u32;
    }

    /// Doubles the table and enters all hashes again, oldest first, which keeps `pop` right.
    #[cold]
    fn grow(&mut self) {
        self.table.clear();
        self.table.resize((self.hashes.len() * 4).next_power_of_two().max(64), 0);
        (1..=self.hashes.len()).for_each(|entry| self.enter(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::testkit::TestRng;

    #[test]
    fn agrees_with_a_plain_list() {
        let mut rng = TestRng::new(7);
        let (mut past, mut list) = (Past::default(), Vec::new());
        for step in 0..20_000 {
            // Few distinct values with equal low bits, so that probe chains are long and entries repeat.
            let hash = (rng.below(700) as u64) << 9 | rng.below(3) as u64;
            assert_eq!(past.contains(hash), list.contains(&hash), "step {step}");
            if list.is_empty() || rng.below(100) < 52 {
                past.push(hash);
                list.push(hash);
            } else {
                past.pop();
                list.pop();
            }
        }
        assert!(list.len() > 100);
    }
}
