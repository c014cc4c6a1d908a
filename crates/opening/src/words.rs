//! Protocol stages and decisions in words, for terminals, records and SGF comments. Not here: anything that decides.

use tengen_game::{Action, Colour, Game, Placement, Point, Seat};

use crate::course::{Course, Next};
use crate::opening::branches_in;
use crate::seated::{ProtocolPly, Seated};

/// One chance to swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwapDecision {
    /// Who had it.
    pub seat: Seat,
    /// Stones and passes on the board then.
    pub stones: u16,
    /// Whether the colours were exchanged. Taking a branch or keeping them is no swap.
    pub taken: bool,
}

impl<P: Placement> Seated<P> {
    /// What the seat to act is asked, for a person at a terminal: `second: swap (take black) or keep (stay white)?`
    pub fn describe_stage(&self) -> String {
        if self.board().result().is_some() {
            return "the game is over".to_string();
        }
        let seat = self.to_act();
        let holds = self.colour_of(seat);
        let place = self.board().to_play();
        let asked = match self.next() {
            Next::Play => format!("{place} to play"),
            Next::Place { region, .. } => format!("place stone {} ({place}) {region}", self.board().moves() + 1),
            Next::Choose { branches, .. } => {
                let named = |i| format!(", or branch{i} ({})", self.protocol().branch_words(self.course(), i));
                let more: String = (0..branches).map(named).collect();
                format!("swap (take {}) or keep (stay {holds}){more}?", !holds)
            }
            Next::Branch { open, .. } => {
                let named = |i| format!("branch{i} ({})", self.protocol().branch_words(self.course(), i));
                branches_in(open).map(named).collect::<Vec<_>>().join(" or ")
            }
            Next::Number { low, high, .. } => format!("declare a number from {low} to {high}"),
            Next::Offer { .. } => {
                let owed = self.stage().offers_owed;
                format!("offer point {} of {owed} for {place}, none like another", self.offers().len() + 1)
            }
            Next::Pick { .. } => format!("pick one of {} for {place}", self.names(self.offers())),
        };
        format!("{seat}: {asked}")
    }

    /// What was decided under the protocol, in order and in words; stones placed are left out (the moves tell them),
    /// the offers of one stage share an entry.
    pub fn protocol_history(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut offers: Vec<Point> = Vec::new();
        for (i, ply) in self.log().iter().enumerate() {
            let next = self.protocol().next(&ply.before);
            match next {
                Next::Offer { seat, .. } => {
                    offers.extend(ply.action.as_point());
                    let last = self.log().get(i + 1).is_none_or(|after| self.protocol().next(&after.before) != next);
                    if last {
                        lines.push(format!("{seat} offers {}", self.names(&offers)));
                        offers.clear();
                    }
                }
                _ => lines.extend(self.decision(next, &ply.before, ply.action)),
            }
        }
        lines
    }

    /// Every chance to swap so far, in order: who had it, after how many stones, and whether it was taken.
    pub fn swaps(&self) -> Vec<SwapDecision> {
        let chance = |ply: &ProtocolPly| {
            let Next::Choose { seat, .. } = self.protocol().next(&ply.before) else { return None };
            Some(SwapDecision { seat, stones: ply.stones, taken: ply.action == Action::SWAP })
        };
        self.log().iter().filter_map(chance).collect()
    }

    /// The swaps as records of games write them: `R` for reverse, `-` for a chance not taken.
    pub fn swap_code(&self) -> String {
        self.swaps().iter().map(|s| if s.taken { 'R' } else { '-' }).collect()
    }

    /// The number declared and the number of offers owed for it, from the offer stage on and for the rest of the game:
    /// the second is smaller where the board has fewer different points. The protocol's own number counts as declared.
    pub fn offer_numbers(&self) -> Option<(u16, u16)> {
        let now = (self.course(), self.next());
        let past = self.log().iter().map(|ply| (&ply.before, self.protocol().next(&ply.before)));
        past.chain([now]).find_map(|(course, next)| match next {
            Next::Offer { count, .. } if course.owed > 0 => Some((count, course.owed)),
            _ => None,
        })
    }

    fn decision(&self, next: Next, before: &Course, action: Action) -> Option<String> {
        let word = self.letters().action(self.size(), action);
        match next {
            Next::Choose { seat, .. } => {
                let holds = if before.black == seat { Colour::Black } else { Colour::White };
                Some(match (action, action.as_branch()) {
                    (Action::SWAP, _) => format!("{seat} swaps, takes {}", !holds),
                    (_, Some(i)) => format!("{seat} takes {word}: {}", self.protocol().branch_words(before, i)),
                    _ => format!("{seat} keeps {holds}"),
                })
            }
            Next::Branch { seat, .. } => {
                let what = self.protocol().branch_words(before, action.as_branch().unwrap_or(0));
                Some(format!("{seat} takes {word}: {what}"))
            }
            Next::Number { seat, .. } => Some(format!("{seat} declares {}", action.as_number().unwrap_or(0))),
            Next::Pick { seat } => Some(format!("{seat} picks {word}")),
            Next::Place { .. } | Next::Offer { .. } | Next::Play => None,
        }
    }

    pub(crate) fn names(&self, points: &[Point]) -> String {
        points.iter().map(|&p| self.letters().name(self.size(), p)).collect::<Vec<_>>().join(" ")
    }
}
