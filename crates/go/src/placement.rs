//! The `Placement` face of the board. Not here: anything that decides a rule.

use tengen_game::{Action, BoardResult, Colour, Conduct, Facts, Family, Placement, Point, PointSet, Size};

use crate::board::GoBoard;
use crate::rules::GoRules;

impl Placement for GoBoard {
    type Rules = GoRules;

    fn facts(rules: &GoRules) -> Facts {
        Facts { size: rules.size, family: Family::Go, win_length: None, forbidden: false }
    }

    fn start(rules: &GoRules) -> GoBoard {
        GoBoard::new(rules)
    }

    fn rules(&self) -> &GoRules {
        self.rules()
    }

    fn size(&self) -> Size {
        self.size()
    }

    fn to_play(&self) -> Colour {
        self.to_play()
    }

    fn stone(&self, p: Point) -> Option<Colour> {
        self.stone(p)
    }

    fn legal_points(&self, out: &mut PointSet) {
        *out = PointSet::EMPTY;
        if self.is_over() {
            return;
        }
        let colour = self.to_play();
        if self.phase() > 0 {
            // A pass for a ko is listed once, as retaking the blocked stone.
            *out = self.stones.empty_set().iter().filter(|p| self.check_point(colour, p.0).is_ok()).collect();
            return;
        }
        // Most points need no look of their own: an empty neighbour, and no superko that could matter.
        *out = self.quick_points(colour);
        for p in self.stones.empty_set().minus(out).iter() {
            if self.check_empty(colour, p.0).is_ok() {
                out.insert(p);
            }
        }
    }

    fn pass_legal(&self) -> bool {
        !self.is_over()
    }

    fn is_legal(&self, action: Action) -> bool {
        let occupied = action.as_point().is_some_and(|p| p.index() < self.size().area() && self.stone(p).is_some());
        !self.is_over() && !occupied && self.check(self.to_play(), action).is_ok()
    }

    fn place(&mut self, action: Action) {
        self.place(action);
    }

    fn undo(&mut self) {
        self.undo();
    }

    fn result(&self) -> Option<BoardResult> {
        self.outcome()
    }

    fn margin(&self) -> Option<f32> {
        self.final_margin()
    }

    fn hash(&self) -> u64 {
        self.hash()
    }

    fn moves(&self) -> usize {
        self.moves()
    }

    fn move_back(&self, back: usize) -> Option<(Colour, Action)> {
        self.move_back(back)
    }

    fn komi_steps(&self) -> Option<i16> {
        // A multiple of one half of at most 400 points.
        Some((self.rules().komi * 2.0) as i16)
    }

    fn set_komi_steps(&mut self, steps: i16) {
        // A value that rules can't have changes nothing; protocols check theirs when they are set up.
        let _ = self.set_komi(f32::from(steps) / 2.0);
    }

    fn conduct(&self) -> Conduct {
        self.rules().conduct()
    }
}
