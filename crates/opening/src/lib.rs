//! Opening protocols: turns any placement game into a game between seats.
