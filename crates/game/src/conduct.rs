//! Tournament conduct as data. The rules core is strict (only legal moves); what a referee does about an illegal move
//! or about the end of play differs between rule texts, so the rules name it and `play` executes it.

/// What happens when a player makes an illegal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IllegalMove {
    /// Refused; the player moves again.
    #[default]
    Refuse,
    /// Void, and counts as a pass (Chinese text, articles 10 and 11.1).
    VoidAndPass,
    /// Loses the game (Gomocup).
    Loses,
}

/// How play ends for people; self-play always ends automatically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EndProtocol {
    /// The rules alone decide.
    #[default]
    Automatic,
    /// After the passes the players agree on dead stones, or play on.
    Agreement,
}

/// Conduct of one rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Conduct {
    /// On an illegal move.
    pub illegal: IllegalMove,
    /// At the end of play.
    pub end: EndProtocol,
}
