//! Pure numbers: Elo, pentanomial SPRT, intervals, bootstrap.
