//! How much time a move may take under GTP's `time_settings` and `time_left`. Not here: measuring; the session stops by
//! the budget it is given.

use std::time::Duration;

/// `time_settings main byo_time byo_stones`, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSettings {
    /// Main time.
    pub main: u32,
    /// Time of one overtime period; 0 is none.
    pub overtime: u32,
    /// Stones to play in one period; 0 with a period means no limit at all.
    pub stones: u32,
}

/// One side's clock as last told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    seconds: u32,
    stones: u32,
}

/// Both sides' clocks.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    settings: Option<TimeSettings>,
    left: [Option<Left>; 2],
    /// Whether a clock in overtime tells periods, each for one move, and not stones.
    periods: bool,
}

/// Kept back from every budget for what happens outside the search.
const MARGIN: Duration = Duration::from_millis(100);
/// Never less than this, even with the flag about to fall.
const LEAST: Duration = Duration::from_millis(20);

impl Clock {
    /// Takes new settings; forgets what was left.
    pub fn set(&mut self, settings: TimeSettings) {
        *self = Clock { settings: Some(settings), left: [None; 2], periods: false };
    }

    /// As `set`, with overtime in periods, each of which is kept by one move in time.
    pub fn set_byoyomi(&mut self, main: u32, period: u32) {
        self.set(TimeSettings { main, overtime: period, stones: 1 });
        self.periods = true;
    }

    /// No limit.
    pub fn lift(&mut self) {
        *self = Clock::default();
    }

    /// Takes the controller's word for what is left: main time when `stones` is 0. Periods come in the place of stones.
    pub fn tell(&mut self, colour: usize, seconds: u32, stones: u32) {
        let stones = if self.periods { stones.min(1) } else { stones };
        if let Some(slot) = self.left.get_mut(colour) {
            *slot = Some(Left { seconds, stones });
        }
    }

    /// Time for one move of a colour after `moves` moves of the game on `area` points; none without a limit.
    pub fn budget(&self, colour: usize, moves: usize, area: usize) -> Option<Duration> {
        let s = self.settings?;
        if s.overtime > 0 && s.stones == 0 {
            return None;
        }
        let left = self.left.get(colour).copied().flatten().unwrap_or(if s.main > 0 {
            Left { seconds: s.main, stones: 0 }
        } else {
            Left { seconds: s.overtime, stones: s.stones }
        });
        let share = if left.stones > 0 {
            f64::from(left.seconds) / f64::from(left.stones)
        } else {
            // Own moves that may still come, never fewer than a fifth of the board.
            let expected = (area * 2 / 3).saturating_sub(moves).max(area / 5).max(4) as f64 / 2.0;
            let overtime = if s.stones > 0 { f64::from(s.overtime) / f64::from(s.stones) } else { 0.0 };
            f64::from(left.seconds) / expected + overtime * 0.8
        };
        let whole = Duration::from_secs_f64(share);
        Some(whole.saturating_sub(MARGIN.min(whole / 4)).max(LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_second_a_move_leaves_a_margin() {
        let mut clock = Clock::default();
        assert_eq!(clock.budget(0, 0, 81), None);
        clock.set(TimeSettings { main: 0, overtime: 1, stones: 1 });
        let b = clock.budget(0, 0, 81).unwrap();
        assert!(b < Duration::from_secs(1) && b >= Duration::from_millis(700), "{b:?}");
        clock.set(TimeSettings { main: 0, overtime: 5, stones: 0 });
        assert_eq!(clock.budget(0, 0, 81), None, "GTP: no limit");
        clock.set(TimeSettings { main: 60, overtime: 0, stones: 0 });
        clock.tell(1, 0, 0);
        assert_eq!(clock.budget(1, 40, 81), Some(LEAST));
        let early = clock.budget(0, 0, 81).unwrap();
        assert!(early < Duration::from_secs(4) && early > Duration::from_millis(500), "{early:?}");
    }

    #[test]
    fn a_period_is_for_one_move_whatever_is_left_of_them() {
        let mut clock = Clock::default();
        clock.set_byoyomi(0, 10);
        for periods in [5, 1] {
            clock.tell(0, 10, periods);
            let b = clock.budget(0, 200, 361).unwrap();
            assert!(b > Duration::from_secs(9) && b < Duration::from_secs(10), "{periods}: {b:?}");
        }
        clock.set(TimeSettings { main: 0, overtime: 10, stones: 5 });
        clock.tell(0, 10, 5);
        assert!(clock.budget(0, 200, 361).unwrap() < Duration::from_secs(2), "stones, not periods");
        clock.lift();
        assert_eq!(clock.budget(0, 200, 361), None);
    }
}
