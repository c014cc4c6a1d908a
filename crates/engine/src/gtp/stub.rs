//! A session without a mind, which notes what it is told: the double for tests of the protocol.

use std::path::Path;
use std::time::Duration;

use tengen_game::{Colour, Point, Size};

use crate::session::{Candidate, Move, Next, PlayError, Session, Status, Watcher};

/// Finds the first point, whatever is asked.
#[derive(Debug, Default)]
pub(crate) struct Stub {
    /// What was told, in order.
    pub(crate) told: Vec<String>,
}

const FOUND: Move = Move::Stone(Point(0));

impl Stub {
    fn note(&mut self, text: String) -> Result<(), PlayError> {
        self.told.push(text);
        Ok(())
    }

    fn report(watcher: &mut dyn Watcher) {
        let pv = vec![FOUND, Move::Pass];
        watcher.report(&[
            Candidate { action: FOUND, visits: 3, winrate: 0.25, prior: 0.5, pv },
            Candidate { action: Move::Pass, visits: 1, winrate: 0.125, prior: 0.5, pv: vec![Move::Pass] },
        ]);
    }
}

impl Session for Stub {
    fn name(&self) -> String {
        "stub".to_string()
    }
    fn version(&self) -> String {
        "0".to_string()
    }
    fn size(&self) -> Size {
        Size::square(9).unwrap()
    }
    fn to_play(&self) -> Colour {
        Colour::Black
    }
    fn set_size(&mut self, _: Size) -> Result<(), PlayError> {
        Ok(())
    }
    fn clear(&mut self) {}
    fn set_komi(&mut self, komi: f32) -> Result<(), PlayError> {
        self.note(format!("komi {komi}"))
    }
    fn play(&mut self, colour: Colour, action: Move) -> Result<(), PlayError> {
        self.note(format!("play {colour} {action:?}"))
    }
    fn generate(&mut self, _: Colour, _: Option<Duration>) -> Result<Move, PlayError> {
        Ok(FOUND)
    }
    fn consider(&mut self, _: Colour, _: Option<Duration>) -> Result<Move, PlayError> {
        Ok(FOUND)
    }
    fn generate_watched(
        &mut self,
        _: Colour,
        _: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Move, PlayError> {
        assert_ne!(watcher.next(), Next::Stop);
        Stub::report(watcher);
        Ok(FOUND)
    }
    fn analyze(&mut self, colour: Colour, watcher: &mut dyn Watcher) -> Result<(), PlayError> {
        if colour == Colour::White {
            return Err(PlayError::Other("not for White".to_string()));
        }
        // Until the next line comes, which may take a while on a busy machine.
        Stub::report(watcher);
        while watcher.next() != Next::Stop {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
    fn clean_up(&mut self, _: Colour, _: Option<Duration>) -> Result<Move, PlayError> {
        Ok(FOUND)
    }
    fn fixed_handicap(&mut self, _: usize) -> Result<Vec<Point>, PlayError> {
        Ok(Vec::new())
    }
    fn free_handicap(&mut self, _: usize) -> Result<Vec<Point>, PlayError> {
        Ok(Vec::new())
    }
    fn set_handicap(&mut self, _: &[Point]) -> Result<(), PlayError> {
        Ok(())
    }
    fn undo(&mut self) -> bool {
        false
    }
    fn final_score(&self) -> Result<String, PlayError> {
        Ok("0".to_string())
    }
    fn final_status(&self, _: Status) -> Result<Vec<Vec<Point>>, PlayError> {
        Ok(Vec::new())
    }
    fn rules(&self) -> Result<String, PlayError> {
        Ok("{}".to_string())
    }
    fn set_rules(&mut self, text: &str) -> Result<(), PlayError> {
        self.note(format!("rules {text}"))
    }
    fn set_rule(&mut self, key: &str, value: &str) -> Result<(), PlayError> {
        self.note(format!("rule {key} {value}"))
    }
    fn load(&mut self, path: &Path, before: Option<usize>) -> Result<(), PlayError> {
        self.note(format!("load {} {before:?}", path.display()))
    }
    fn record(&self) -> String {
        "(;)".to_string()
    }
    fn save(&self, _: &Path) -> Result<(), PlayError> {
        Ok(())
    }
    fn show(&self) -> String {
        String::new()
    }
    fn moves(&self) -> usize {
        0
    }
}
