//! Opening protocols: turns any placement game into a game between seats.
//!
//! [`Seated`] is written once for every [`Placement`](tengen_game::Placement) and every protocol. A protocol is one file
//! in `protocols` with two small functions (what comes next and who decides; what a decision does) and one row in
//! `protocols/mod.rs`; nobody else asks for a protocol's name. [`Opening`]'s `FromStr` is the one door for names.
//!
//! In the table A acts first and holds Black, B is the other, `sq n` the central n x n square, `26` = A places stone 1 on
//! the centre, 2 in sq 3 and 3 in sq 5, `swap?(X)` = X swaps or keeps, W and Bl whoever holds White and Black then. Every
//! decision is an action of its own with a seat. After the steps follows plain play.
//!
//! | name (alias) | steps | source |
//! |---|---|---|
//! | `none` | plain play | the rules alone |
//! | `pie` (`swap1`) | A: 1 anywhere; swap?(B) | pie rule of Hex and Go; swap after the first move of gomoku |
//! | `komipie-N` | A names a komi of 0 to N half points; swap?(B); Go | pie rule by komi |
//! | `bid-N` | by turns A and B bid a komi of up to N half points for Black, or accept and are White; Go | auction komi |
//! | `swap` (`gomokuswap`) | A: 1 to 3 anywhere; swap?(B) | gomoku tournaments before swap2 |
//! | `swap2` | A: 1 to 3 anywhere; B swaps, keeps, or places 4 and 5, then swap?(A) | gomoku world championships, Gomocup |
//! | `swap5` (`swap-5`) | 1 to 5 anywhere, after each the other seat may swap | gomoku |
//! | `pro`, `longpro` | 1 on the centre, 3 outside sq 5 or sq 7; no swap | gomoku tournaments |
//! | `given:STONES[/STONES…][:white\|:swap]` | the stones of a list, in any orientation; then plain play, A holding Black or White, or swap?(B) | Gomocup's opening lists |
//! | `renjuswap` (`oldrif`) | as `rif`, but B places 2 | renju world championships 1989 to 1995 |
//! | `rif` | 26; swap?(B); W: 4 anywhere; Bl offers 2 fifths; W picks | RIF rules 1996 |
//! | `yamaguchi` | 26, A declares n of 1 to 221; swap?(B); W: 4 anywhere; Bl offers n; W picks | RIF 2008 |
//! | `soosorv-N` | 26; swap?(B); W: 4 anywhere, declares n of 1 to N; swap?(Bl); Bl offers n; W picks | RIF 2008 (N = 4), 2011 (5 to 8) |
//! | `taraguchi-N` | 1 to 4 in sq 1, 3, 5, 7, after each the other may swap, but after 4 Bl may instead offer N fifths and W picks; else 5 in sq 9 and swap?(W) | RIF 2008 (N = 5), Taraguchi-10 |
//! | `tarannikov` | as Taraguchi without the offers | RIF 2008 |
//! | `supertaraguchi-N` | as Taraguchi with 2 to 5 in sq 5, 7, 9, 9 | Renju Caffe (renjunews), N = 10 |
//! | `supersakata` | 26; B: 4 in sq 7, 5 in sq 9; then by turns keep White, swap, or place a pair anywhere and let the other choose | renju.net, rule 17 |
//! | `reject:A,B,C` | A rejects one of three rules, B one of the two left; the last one is played. One must be `rif`, the others official | Czech tournaments, 2008 |
//!
//! Offered fifths differ by the shape of the stones ([`ShapeSymmetries`], [`fifth_moves`]); if fewer exist than are due,
//! all that exist are owed. Deliberately not here: win rules, forbidden moves and captures (the placement's), clocks and
//! claims (`play`), balanced random starts (`play`), values of openings (`fairness`).

mod book;
mod canonical;
mod course;
mod door;
mod opening;
mod protocols;
mod seated;
mod setup;
mod shape;
mod stage;
mod words;

pub use canonical::{CanonicalOpening, opening_of};
pub use door::Refused;
pub use opening::{Opening, OpeningInfo};
pub use seated::Seated;
pub use setup::SeatedSetup;
pub use shape::{ShapeSymmetries, fifth_moves};
pub use stage::{StageInfo, StageKind};
pub use words::SwapDecision;
