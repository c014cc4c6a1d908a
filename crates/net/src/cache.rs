//! A bounded cache of network outputs, keyed by exactly what the network reads: the set bits of the encoded planes, the
//! globals and the board size, made independent of the board's orientation. Shared by the threads that run one model.
//!
//! A hit returns bit for bit what an evaluation would return, because misses are evaluated in an orientation that follows
//! from the canonical one; so a hit changes speed and the count of evaluations, never a result. (Without a cache positions are
//! evaluated as they lie, with other answers; the setting is part of a run's configuration.) Not here: encoding.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tengen_features::FeatureSpec;
use tengen_game::{Size, Symmetry, zobrist};

const SHARDS: usize = 64;

/// Identity of a network input up to symmetry (128 bits: a chance collision is out of reach of any run).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub u64, pub u64);

/// Outputs of one position in the orientation it was evaluated in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cached {
    /// Point logits (`area`), then extra logits.
    pub policy: Vec<f32>,
    /// Win, draw, loss logits.
    pub wdl: [f32; 3],
    /// Expected margin, NaN without the head.
    pub margin: f32,
}

/// One shard: slots that hold an entry or nothing.
type Slots = Vec<Option<(Key, Cached)>>;

/// Direct-mapped, always replacing.
#[derive(Debug)]
pub struct EvalCache {
    shards: Vec<Mutex<Slots>>,
    slots: usize,
    hits: AtomicU64,
}

impl EvalCache {
    /// A cache of about `entries` positions; 0 is none.
    pub fn new(entries: usize) -> Option<EvalCache> {
        if entries == 0 {
            return None;
        }
        let slots = entries.div_ceil(SHARDS);
        let shards = (0..SHARDS).map(|_| Mutex::new(vec![None; slots])).collect();
        Some(EvalCache { shards, slots, hits: AtomicU64::new(0) })
    }

    fn place(&self, key: Key) -> (usize, usize) {
        (key.0 as usize % SHARDS, (key.1 as usize) % self.slots)
    }

    /// Copies the entry into `out` and says whether there was one.
    pub fn get(&self, key: Key, out: &mut Cached) -> bool {
        let (shard, slot) = self.place(key);
        // A poisoned shard only means that another thread panicked between whole writes.
        let shard = self.shards[shard].lock().unwrap_or_else(|e| e.into_inner());
        match &shard[slot] {
            Some((k, v)) if *k == key => {
                out.clone_from(v);
                self.hits.fetch_add(1, Ordering::Relaxed);
                true
            }
            _ => false,
        }
    }

    /// Stores an entry in the place of whatever was there.
    pub fn put(&self, key: Key, value: &Cached) {
        let (shard, slot) = self.place(key);
        let mut shard = self.shards[shard].lock().unwrap_or_else(|e| e.into_inner());
        match &mut shard[slot] {
            Some((k, v)) => {
                *k = key;
                v.clone_from(value);
            }
            empty => *empty = Some((key, value.clone())),
        }
    }

    /// Hits so far, over all threads.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
}

/// Key of one encoded position (unpadded planes) and the symmetry that takes it to its canonical orientation.
pub fn canonical(spec: &FeatureSpec, size: Size, planes: &[f32], globals: &[f32]) -> (Key, Symmetry) {
    let area = size.area();
    let symmetries = Symmetry::of(size);
    let mut sums = [(0u64, 0u64); 8];
    for plane in 0..spec.planes {
        let values = &planes[plane * area..(plane + 1) * area];
        // A full plane (on board) looks the same from every side.
        if values.iter().all(|&v| v != 0.0) {
            let k = zobrist::mix(plane as u64 ^ 0x27d4_eb2f_1656_67c5);
            sums.iter_mut().for_each(|sum| sum.0 ^= k);
            continue;
        }
        for (i, &v) in values.iter().enumerate() {
            if v == 0.0 {
                continue;
            }
            let p = tengen_game::Point(i as u16);
            for (sum, s) in sums.iter_mut().zip(symmetries) {
                let bit = ((plane as u64) << 16) | u64::from(s.point(size, p).0);
                let k = zobrist::mix(bit ^ 0x6c62_272e_07bb_0142);
                sum.0 ^= k;
                sum.1 = sum.1.wrapping_add(zobrist::mix(k));
            }
        }
    }
    let mut tail = (size.width() as u64) << 8 | size.height() as u64;
    for g in globals {
        tail = zobrist::mix(tail ^ u64::from(g.to_bits()));
    }
    let best = (0..symmetries.len()).min_by_key(|&i| sums[i]).unwrap_or(0);
    (Key(zobrist::mix(sums[best].0 ^ tail), sums[best].1 ^ tail), symmetries[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_until_replaced() {
        let cache = EvalCache::new(64).unwrap();
        let value = Cached { policy: vec![1.0, 2.0], wdl: [0.1, 0.2, 0.3], margin: f32::NAN };
        let mut out = Cached::default();
        assert!(!cache.get(Key(5, 5), &mut out));
        cache.put(Key(5, 5), &value);
        assert!(cache.get(Key(5, 5), &mut out) && out.policy == value.policy);
        // One slot per shard: the same shard's next entry takes its place.
        cache.put(Key(5 + SHARDS as u64, 7), &value);
        assert!(!cache.get(Key(5, 5), &mut out));
        assert_eq!(cache.hits(), 1);
        assert!(EvalCache::new(0).is_none());
    }

    #[test]
    fn symmetric_inputs_share_a_key_and_others_do_not() {
        let spec = FeatureSpec {
            set: "t".into(),
            planes: 2,
            globals: 1,
            protocol: false,
            open_rules: false,
            extras: vec![],
            board_heads: false,
        };
        let size = Size::square(5).unwrap();
        let mut planes = vec![0.0; 50];
        for i in [0, 7, 13, 25 + 3, 25 + 11] {
            planes[i] = 1.0;
        }
        let (key, to) = canonical(&spec, size, &planes, &[1.0]);
        for &s in Symmetry::of(size) {
            let mut image = vec![0.0; 50];
            for plane in 0..2 {
                for p in size.points() {
                    image[plane * 25 + s.point(size, p).index()] = planes[plane * 25 + p.index()];
                }
            }
            let (k, t) = canonical(&spec, size, &image, &[1.0]);
            assert_eq!(k, key);
            // Both reach the same canonical picture.
            for p in size.points() {
                assert_eq!(t.point(size, s.point(size, p)), to.point(size, p));
            }
        }
        assert_ne!(canonical(&spec, size, &planes, &[-1.0]).0, key);
        planes[1] = 1.0;
        assert_ne!(canonical(&spec, size, &planes, &[1.0]).0, key);
    }
}
