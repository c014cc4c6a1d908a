//! Five-in-a-row rules core: freestyle, standard, renju; exact forbidden points.
