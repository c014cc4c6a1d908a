//! Go rules core: board, capture, ko and superko, area and territory scoring, pass-alive groups, named rule sets, handicap.
//!
//! [`GoBoard`] is a `Placement`: it plays under any [`GoRules`] on any rectangle up to 25x25. Boards that are one
//! point wide work too (counting needs them), but rules read from text start at 2x2. Deliberately not here: who may stop
//! play or speak for a player (a matter of conduct), opening protocols, game files.
//!
//! Setup text, after `game=go`; what isn't given comes from the named set:
//!
//! | key | values |
//! |---|---|
//! | `rules` | `tromp-taylor`, `chinese`, `chinese-2.75`, `chinese-kgs`, `japanese`, `korean`, `esperanto-japanese`, `czech`, `aga`, `aga-button`, `nz`, `ing-like`, `stone-scoring` |
//! | `size` | `9`, `19x13`; sides 2 to 25 |
//! | `komi` | -400 to 400 in halves |
//! | `handicap` | a number for the set's own list, or points: `D4,Q16` |
//! | `bonus` | `0`, `N`, `N-1`: points for White for N handicap stones |
//! | `ko` | `none`, `simple`, `last-position`, `positional`, `situational`, `spight` |
//! | `cycle` | `allowed`, `no-result`, `draw`: the third coming of a situation, where `ko` lets it come |
//! | `suicide` | `none`, `multi`, `all` |
//! | `scoring` | `area`, `half-area`, `territory` |
//! | `tax` | `none`, `seki`, `all` |
//! | `tie` | `draw`, `black`, `white` |
//! | `button` | `true`, `false` |
//! | `end` | `passes`, `repeat`, `white-last`, `pairs` |
//! | `illegal` | `refuse`, `pass`, `loses`: for a referee |
//! | `finish` | `automatic`, `agreement`: for people |
//! | `early_end` | `true`, `false` |

mod agreement;
mod benson;
mod board;
mod chains;
mod count;
mod dead;
mod flow;
mod geometry;
mod handicap;
mod history;
mod katago;
mod ladder;
mod legality;
mod placement;
mod position;
mod readboard;
mod rowbits;
mod rules;
mod rulesets;
mod score;

pub use agreement::{Agreement, Standing};
pub use board::GoBoard;
pub use count::{Count, CountError, Filled, HalfCount, cycle_verdict, margin_text};
pub use flow::Ended;
pub use handicap::{
    HandicapError, czech_handicap, fixed_handicap, free_handicap, handicap_points, spread_handicap, star_points,
};
pub use ladder::{LadderReader, Ladders};
pub use legality::Illegal;
pub use position::PositionError;
pub use rules::{Bonus, Cycle, End, GoRules, Ko, Placing, Resume, Scoring, Suicide, Tax, Tie};
pub use rulesets::{RULESETS, Ruleset};
pub use score::{Maps, Score};
