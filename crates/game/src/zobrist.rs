//! Zobrist keys, computed at compile time from a fixed stream, so that hashes are stable across runs and platforms.
//! Not here: what a game hashes.

use crate::board::MAX_POINTS;

/// One step of SplitMix64 (Steele, Lea, Flood 2014): a well-mixed 64-bit value for any input.
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn keys<const N: usize>(stream: u64) -> [u64; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = mix(stream.wrapping_mul(0x1_0000_0000).wrapping_add(i as u64));
        i += 1;
    }
    out
}

/// Keys for a stone: `[colour][point]`.
pub static STONE: [[u64; MAX_POINTS]; 2] = [keys(1), keys(2)];
/// Keys for a banned ko point.
pub static KO: [u64; MAX_POINTS] = keys(3);
/// Key for White to play.
pub const WHITE_TO_PLAY: u64 = mix(0xb1ac_0001);
/// Keys for the number of passes in a row, index 0..4.
pub static PASSES: [u64; 4] = keys(5);
/// Keys for offered points, order-free.
pub static OFFER: [u64; MAX_POINTS] = keys(6);

/// A key for anything else: `kind` says what, `value` which.
pub const fn key(kind: u64, value: u64) -> u64 {
    mix(mix(kind ^ 0x5eed_0000_0000_0000) ^ value)
}
