//! Go rules core: board, ko, scoring, named rule sets.
