//! The end of a game of Go as a person and a model settle it: the model proposes dead stones and shared life, the person
//! marks otherwise, accepts, or disputes and plays on. Words in, words out. Not here: reading lines, whose turn it is.
//!
//! The model accepts its own proposal and any marks that are no worse for it. Where the two can't agree, play goes on; if it
//! has stopped a second time, the chains in dispute stay, as shared life (Chinese text, article 12.2).

use tengen_game::notation::Letters;
use tengen_game::{BoardResult, Colour, Placement, Point, PointSet};
use tengen_go::{Agreement, Count, GoBoard};

use crate::board::Drawn;
use crate::rules::go::DEAD_PLAYOUTS;

const LETTERS: Letters = Letters::WithoutI;
const WORDS: &str = "\
dead D4    marks the chain on D4 as dead, or as alive again
seki D4    the same for shared life
count      counts by the marks as they are
accept     accepts them; the game is over if the model does too
dispute    plays on
undo, resign, quit, help";

/// What a board's rules leave to the players after the end.
pub trait Ending: Placement {
    /// The settlement between `person` and a model; none where the rules end the game by themselves. `again`: play had
    /// been resumed before.
    fn settling(&self, person: Colour, again: bool) -> Option<Settling>;
    /// The board with play resumed because `claimant` disputes the end; none as before.
    fn resumed(&self, claimant: Colour) -> Option<Self>;
}

impl Ending for tengen_renju::FiveBoard {
    fn settling(&self, _: Colour, _: bool) -> Option<Settling> {
        None
    }

    fn resumed(&self, _: Colour) -> Option<Self> {
        None
    }
}

impl Ending for GoBoard {
    fn settling(&self, person: Colour, again: bool) -> Option<Settling> {
        let agreement = Agreement::new(self).filter(|_| self.awaits_agreement())?;
        let dead = self.suggest_dead(DEAD_PLAYOUTS);
        Some(Settling::new(agreement, [dead, self.suggest_seki(&dead)], person, again))
    }

    fn resumed(&self, claimant: Colour) -> Option<Self> {
        let agreement = Agreement::new(self).filter(|_| self.awaits_agreement())?;
        Some(agreement.dispute(claimant))
    }
}

/// What a person's line came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// An answer to show; the settlement goes on.
    Answer(String),
    /// Both have accepted: the result, and the count told step by step.
    Settled(BoardResult, Vec<String>),
    /// Play goes on.
    Dispute,
    /// Not a word of the settlement.
    Other,
}

/// A settlement in progress.
pub struct Settling {
    agreement: Agreement,
    /// What the model proposed.
    proposal: Agreement,
    person: Colour,
    again: bool,
}

impl Settling {
    /// `marks`: stones of dead chains and of chains in shared life.
    fn new(mut agreement: Agreement, marks: [PointSet; 2], person: Colour, again: bool) -> Settling {
        let [dead, seki] = marks;
        // Marking a chain marks all of its stones.
        for p in dead.iter() {
            if !agreement.dead().contains(p) {
                agreement.toggle_dead(p);
            }
        }
        for p in seki.iter() {
            if !agreement.seki().contains(p) {
                agreement.toggle_seki(p);
            }
        }
        Settling { proposal: agreement.clone(), agreement, person, again }
    }

    /// The board, what the model proposes and what that comes to.
    pub fn opening(&self) -> String {
        let stopped = if self.again { "play has stopped a second time" } else { "play has stopped" };
        let names = |set: &PointSet| if set.is_empty() { "nothing".to_string() } else { self.names(set) };
        let mut lines = vec![self.drawing()];
        lines.push(format!("{stopped}; the model calls dead: {}", names(self.agreement.dead())));
        if !self.agreement.seki().is_empty() {
            lines.push(format!("and in shared life: {}", names(self.agreement.seki())));
        }
        lines.extend(self.count().map(|count| count.steps()).unwrap_or_default());
        lines.push("accept, dead D4, seki D4, count, dispute; undo, resign, quit, help".to_string());
        lines.join("\n")
    }

    /// `#` and `@` are Black's and White's dead stones, `x` and `o` those in shared life.
    fn drawing(&self) -> String {
        let board = self.agreement.board();
        let drawn = Drawn::new(board.size(), LETTERS, &|p| board.stone(p), None);
        let mark = |p: Point| {
            let of = |black, white| match board.stone(p) {
                Some(Colour::Black) => black,
                Some(Colour::White) => white,
                None => '.',
            };
            if self.agreement.dead().contains(p) {
                of('#', '@')
            } else if self.agreement.seki().contains(p) {
                of('x', 'o')
            } else {
                of('X', 'O')
            }
        };
        let mut text = drawn.framed(&mark, None);
        if !self.agreement.dead().is_empty() {
            text += "\n# @ dead stones of Black, White";
        }
        if !self.agreement.seki().is_empty() {
            text += "\nx o stones in shared life";
        }
        text
    }

    fn names(&self, points: &PointSet) -> String {
        let size = self.agreement.board().size();
        points.iter().map(|p| LETTERS.name(size, p)).collect::<Vec<_>>().join(" ")
    }

    fn count(&self) -> Result<Count, String> {
        self.agreement.count().map_err(|e| e.to_string())
    }

    /// What the person says.
    pub fn hear(&mut self, line: &str) -> Heard {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["accept"] => self.accept(),
            ["dispute"] => Heard::Dispute,
            ["count"] => Heard::Answer(self.count().map_or_else(|e| e, |count| count.to_string())),
            ["help" | "?"] | [] => Heard::Answer(WORDS.to_string()),
            ["dead", points @ ..] => Heard::Answer(self.mark("dead", points, Agreement::toggle_dead)),
            ["seki", points @ ..] => Heard::Answer(self.mark("seki", points, Agreement::toggle_seki)),
            _ => Heard::Other,
        }
    }

    fn mark(&mut self, word: &str, names: &[&str], toggle: fn(&mut Agreement, Point) -> bool) -> String {
        let size = self.agreement.board().size();
        if names.is_empty() {
            return format!("{word}: expected a point with a stone on it, as `{word} D4`");
        }
        for name in names {
            let Some(p) = LETTERS.point(size, name) else {
                return format!("{word}: `{name}` is no point of this board");
            };
            if !toggle(&mut self.agreement, p) {
                return format!("{word}: there is no stone on {name}");
            }
        }
        self.drawing()
    }

    /// The stones that are marked otherwise than the model proposed.
    fn disputed(&self) -> PointSet {
        let differ = |a: &PointSet, b: &PointSet| a.minus(b).or(&b.minus(a));
        let (now, proposed) = (&self.agreement, &self.proposal);
        differ(now.dead(), proposed.dead()).or(&differ(now.seki(), proposed.seki()))
    }

    /// Whether the marks are no worse for the model than what it proposed.
    fn model_accepts(&self) -> bool {
        let sign = if self.person == Colour::White { 1.0 } else { -1.0 };
        match (self.agreement.count(), self.proposal.count()) {
            (Ok(now), Ok(proposed)) => (now.margin() - proposed.margin()) * sign >= 0.0,
            _ => false,
        }
    }

    fn accept(&mut self) -> Heard {
        let disputed = self.disputed();
        let mut told = Vec::new();
        if self.model_accepts() {
            Colour::BOTH.into_iter().for_each(|colour| {
                self.agreement.accept(colour);
            });
        } else if self.again {
            self.agreement.stop_in_dispute(&disputed);
            told.push(format!(
                "both have stopped again: what is in dispute stays, as shared life: {}",
                self.names(&disputed)
            ));
        } else {
            return Heard::Answer(self.objection(&disputed));
        }
        match self.count() {
            Ok(count) => {
                told.extend(count.steps());
                Heard::Settled(count.result(), told)
            }
            Err(why) => Heard::Answer(why),
        }
    }

    fn objection(&self, disputed: &PointSet) -> String {
        let part = |what: &str, set: PointSet| {
            if set.is_empty() { String::new() } else { format!("; it calls {what}: {}", self.names(&set)) }
        };
        let (dead, seki) = (disputed.and(self.proposal.dead()), disputed.and(self.proposal.seki()));
        let alive = disputed.minus(&dead).minus(&seki);
        let calls = part("alive", alive) + &part("dead", dead) + &part("shared life", seki);
        format!("the model doesn't accept that{calls}\nmark otherwise, or dispute and play on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::Action;

    /// Two walls, each with a lone stone of the other colour behind it, and play stopped.
    fn stopped(rules: &str) -> GoBoard {
        let rules = format!("rules={rules} size=7 komi=0.5").parse().unwrap();
        let rows = ["...XO..", ".O.XO.O", "...XO..", "...XOX.", "...XO..", ".X.XO.O", "...XO.."];
        let mut board = GoBoard::from_position(&rules, &rows, Colour::Black).unwrap();
        (0..2).for_each(|_| board.place(Action::PASS));
        board
    }

    fn settled(heard: Heard) -> (BoardResult, String) {
        let Heard::Settled(result, steps) = heard else { panic!("{heard:?}") };
        (result, steps.join("\n"))
    }

    fn answer(heard: Heard) -> String {
        let Heard::Answer(text) = heard else { panic!("{heard:?}") };
        text
    }

    #[test]
    fn the_models_proposal_is_accepted_and_counted_in_the_words_of_the_rules() {
        for (rules, last) in [("chinese", "Black wins by 3.25 stones."), ("japanese", "Black wins by 7.5 points.")] {
            let board = stopped(rules);
            let mut settling = board.settling(Colour::Black, false).unwrap();
            let text = settling.opening();
            assert!(text.contains("calls dead: B6 F4") && text.contains('@') && text.contains('#'), "{text}");
            assert!(text.contains(last), "{text}");
            let (result, steps) = settled(settling.hear("accept"));
            assert_eq!(result, BoardResult::Win(Colour::Black));
            assert!(steps.ends_with(last), "{steps}");
        }
    }

    #[test]
    fn the_model_takes_what_is_better_for_it_and_nothing_worse() {
        let board = stopped("japanese");
        // Black's own stone given up is better for White; White's stone spared is too.
        for line in ["dead B2", "dead B6"] {
            let mut settling = board.settling(Colour::Black, false).unwrap();
            answer(settling.hear(line));
            settled(settling.hear("accept"));
        }
        let mut settling = board.settling(Colour::Black, false).unwrap();
        let drawn = answer(settling.hear("dead F4"));
        assert!(drawn.contains(" 6 . @ . X O . O 6\n") && drawn.contains(" 4 . . . X O X . 4"), "{drawn}");
        let told = answer(settling.hear("accept"));
        assert!(told.contains("calls dead: F4"), "{told}");
        answer(settling.hear("dead F4 E7"));
        let told = answer(settling.hear("accept"));
        assert!(told.contains("calls alive: E7"), "{told}");
        answer(settling.hear("seki B6"));
        let counted = answer(settling.hear("count"));
        assert!(counted.contains("prisoners"), "{counted}");
        assert_eq!(settling.hear("dispute"), Heard::Dispute);
        assert_eq!(board.resumed(Colour::Black).unwrap().to_play(), Colour::White, "Japanese: the opponent moves");
    }

    #[test]
    fn after_a_second_stop_what_is_in_dispute_stays() {
        let mut settling = stopped("chinese").settling(Colour::White, true).unwrap();
        answer(settling.hear("dead B6"));
        let (result, steps) = settled(settling.hear("accept"));
        // White's stone stays, so Black's half is nobody's but for its stones; F4 is dead as both say.
        assert!(steps.contains("stays, as shared life: B6"), "{steps}");
        assert_eq!(result, BoardResult::Win(Colour::White));
    }

    #[test]
    fn bad_words_are_answered() {
        let mut settling = stopped("chinese").settling(Colour::Black, false).unwrap();
        for (line, word) in [
            ("dead", "expected a point"),
            ("dead I5", "`I5` is no point"),
            ("seki Z99", "no point"),
            ("dead A1", "no stone on A1"),
            ("help", "dispute"),
            ("", "dispute"),
        ] {
            assert!(answer(settling.hear(line)).contains(word), "{line}");
        }
        assert_eq!(settling.hear("what"), Heard::Other);
    }

    #[test]
    fn only_rules_that_leave_the_end_to_people_are_settled() {
        assert!(stopped("tromp-taylor").settling(Colour::Black, false).is_none());
        let open = GoBoard::new(&"rules=chinese size=7".parse().unwrap());
        assert!(open.settling(Colour::Black, false).is_none() && open.resumed(Colour::Black).is_none());
    }
}
