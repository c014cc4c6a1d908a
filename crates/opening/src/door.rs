//! The door for decisions from outside: text and seat in, an applied action or a named refusal out, with the position
//! unchanged after a refusal. Inside, search and self-play apply legal actions without it. Not here: what a referee does
//! about a refusal (`play`).

use tengen_game::notation::Letters;
use tengen_game::{Action, Colour, Family, Game, Placement, Point, Seat};

use crate::course::{Next, Region};
use crate::seated::Seated;

/// Why a decision was refused. Points are named as the game's players name them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// The other seat decides now.
    #[error("it isn't {seat}'s turn; {asked}")]
    WrongSeat {
        /// Who tried.
        seat: Seat,
        /// What is asked, and of whom.
        asked: String,
    },
    /// One offer more than the protocol asks for.
    #[error("all {made} offers are made; {asked}")]
    OffersComplete {
        /// How many there are.
        made: usize,
        /// What is asked, and of whom.
        asked: String,
    },
    /// Not a decision of any kind.
    #[error("`{text}` is no action; {asked}")]
    Unreadable {
        /// What came.
        text: String,
        /// What is asked, and of whom.
        asked: String,
    },
    /// A point that this board doesn't have.
    #[error("{point} is off the {size} board")]
    OffBoard {
        /// The point as given.
        point: String,
        /// The board.
        size: String,
    },
    /// There is a stone.
    #[error("{point} is occupied")]
    Occupied {
        /// The point.
        point: String,
    },
    /// Free, but the rules forbid it.
    #[error("{colour} may not place at {point}")]
    IllegalStone {
        /// The point.
        point: String,
        /// Whose stone it would be.
        colour: Colour,
    },
    /// Free, but the protocol wants another part of the board.
    #[error("{point} isn't where the stone goes: {region}")]
    OutsideRegion {
        /// The point.
        point: String,
        /// Where it goes, in words.
        region: String,
    },
    /// No pass while the protocol lasts, or by the rules.
    #[error("no pass now; {asked}")]
    NoPass {
        /// What is asked, and of whom.
        asked: String,
    },
    /// Swap or keep where there is no choice of colours.
    #[error("there is no swap now; {asked}")]
    NoSwap {
        /// What is asked, and of whom.
        asked: String,
    },
    /// A decision of a kind that isn't asked for.
    #[error("`{word}` isn't asked for; {asked}")]
    NotAsked {
        /// The decision in words.
        word: String,
        /// What is asked, and of whom.
        asked: String,
    },
    /// A number outside its range.
    #[error("{number} can't be declared; the number is {low} to {high}")]
    NumberRange {
        /// What came, as text: it may be of any size.
        number: String,
        /// Least number.
        low: u16,
        /// Greatest number.
        high: u16,
    },
    /// The same point offered twice.
    #[error("{point} is offered already")]
    OfferedTwice {
        /// The point.
        point: String,
    },
    /// An offer equal to an earlier one by a symmetry of the stones.
    #[error("{point} is the same move as {like}, which is offered already")]
    SymmetricOffer {
        /// The point.
        point: String,
        /// The earlier offer.
        like: String,
    },
    /// A pick that isn't among the offers.
    #[error("{point} wasn't offered; the offers are {offers}")]
    NotOffered {
        /// The point.
        point: String,
        /// All offers.
        offers: String,
    },
}

impl<P: Placement> Seated<P> {
    /// Reads a decision as people write it (`h8`, `pass`, `swap`, `keep`, `branch0`, `declare4`), checks it for a seat
    /// and does it. After a refusal nothing has changed.
    pub fn act(&mut self, seat: Seat, text: &str) -> Result<Action, Refused> {
        let action = self.read_action(text)?;
        match self.refusal(seat, action) {
            Some(why) => Err(why),
            None => {
                self.apply(action);
                Ok(action)
            }
        }
    }

    /// Reads a decision; whether it's legal now is `refusal`'s business.
    pub fn read_action(&self, text: &str) -> Result<Action, Refused> {
        let text = text.trim();
        if let Some(action) = self.letters().parse_action(self.size(), text) {
            return Ok(action);
        }
        let lower = text.to_ascii_lowercase();
        let number = lower.strip_prefix("declare").filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
        if let Some(number) = number {
            let (low, high) = match self.next() {
                Next::Number { low, high, .. } => (low, high),
                _ => (0, Action::NUMBER_MAX),
            };
            return Err(Refused::NumberRange { number: number.to_string(), low, high });
        }
        let letters = text.chars().take_while(char::is_ascii_alphabetic).count();
        let digits = text.len() - letters;
        if letters == 1 && (1..=3).contains(&digits) && text[1..].bytes().all(|b| b.is_ascii_digit()) {
            return Err(Refused::OffBoard { point: text.to_string(), size: self.size().to_string() });
        }
        Err(Refused::Unreadable { text: text.chars().take(40).collect(), asked: self.describe_stage() })
    }

    /// Why a seat may not do this now; none exactly if it is that seat's turn and the action is legal.
    pub fn refusal(&self, seat: Seat, action: Action) -> Option<Refused> {
        if self.board().result().is_some() {
            return Some(Refused::Over);
        }
        let asked = || self.describe_stage();
        if seat != self.to_act() {
            let offering = matches!(self.next(), Next::Pick { .. }) && action.as_point().is_some();
            return Some(match offering {
                true => Refused::OffersComplete { made: self.offers().len(), asked: asked() },
                false => Refused::WrongSeat { seat, asked: asked() },
            });
        }
        if self.is_legal(action) {
            return None;
        }
        Some(match action.as_point() {
            Some(p) => self.point_refusal(p),
            None => self.decision_refusal(action),
        })
    }

    fn point_refusal(&self, p: Point) -> Refused {
        if p.index() >= self.size().area() {
            return Refused::OffBoard { point: format!("point {}", p.0), size: self.size().to_string() };
        }
        let point = self.point_name(p);
        let stone = || match self.board().stone(p) {
            Some(_) => Refused::Occupied { point: point.clone() },
            None => Refused::IllegalStone { point: point.clone(), colour: self.board().to_play() },
        };
        match self.next() {
            Next::Pick { .. } => Refused::NotOffered { point, offers: self.names(self.offers()) },
            Next::Offer { .. } => match self.offer_like(p) {
                Some(like) if like == p => Refused::OfferedTwice { point },
                Some(like) => Refused::SymmetricOffer { point, like: self.point_name(like) },
                None => stone(),
            },
            Next::Place { region, .. } if self.board().is_legal(Action::point(p)) => {
                Refused::OutsideRegion { point, region: self.region_words(region) }
            }
            Next::Place { .. } | Next::Play => stone(),
            Next::Choose { .. } | Next::Branch { .. } | Next::Number { .. } => {
                Refused::NotAsked { word: point, asked: self.describe_stage() }
            }
        }
    }

    fn decision_refusal(&self, action: Action) -> Refused {
        let asked = self.describe_stage();
        match (action, self.next()) {
            (Action::PASS, _) => Refused::NoPass { asked },
            (Action::SWAP | Action::KEEP, _) => Refused::NoSwap { asked },
            (_, Next::Number { low, high, .. }) if action.as_number().is_some() => {
                let number = action.as_number().unwrap_or(0).to_string();
                Refused::NumberRange { number, low, high }
            }
            _ if action.is_valid() => Refused::NotAsked { word: self.letters().action(self.size(), action), asked },
            _ => Refused::Unreadable { text: format!("action {}", action.0), asked },
        }
    }

    /// The earlier offer that a point repeats, if it does.
    fn offer_like(&self, p: Point) -> Option<Point> {
        let class = self.shape().class_of(p);
        self.offers().iter().copied().find(|&made| made == p || class.contains(made))
    }

    fn region_words(&self, region: Region) -> String {
        match region {
            Region::Book => self.names(&self.book_points().iter().collect::<Vec<_>>()),
            _ => region.to_string(),
        }
    }

    fn point_name(&self, p: Point) -> String {
        self.letters().name(self.size(), p)
    }

    pub(crate) fn letters(&self) -> Letters {
        match self.setup().facts().family {
            Family::Five => Letters::WithI,
            Family::Go => Letters::WithoutI,
        }
    }
}
