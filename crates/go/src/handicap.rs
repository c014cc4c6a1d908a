//! Named points: star points, and where handicap stones go: GTP's list, the Czech list, wide apart, or points given one
//! by one. Not here: what White gets for them (`rules`).

use tengen_game::notation::Letters;
use tengen_game::{Point, PointSet, Size};

use crate::rules::Placing;

/// Why handicap stones can't be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandicapError {
    /// The list has no such handicap on this board.
    #[error("there is no list of {stones} handicap stones for {size}{}; name the points instead, as D4,Q16", told(*listed))]
    NoList {
        /// Stones asked for.
        stones: usize,
        /// The board.
        size: Size,
        /// Fewest and most that the list has for this board; none if it has nothing.
        listed: Option<(usize, usize)>,
    },
    /// Neither a number nor names.
    #[error("`{0}` is neither a number of stones nor points, as D4,Q16")]
    NoNumber(String),
    /// A name that isn't a point of the board.
    #[error("`{name}` is not a point of {size}")]
    NoPoint {
        /// The name.
        name: String,
        /// The board.
        size: Size,
    },
    /// A point named before.
    #[error("{0} is named twice")]
    Twice(String),
    /// Stones that leave White nowhere to play.
    #[error("{stones} stones fill the board of {size}")]
    Full {
        /// Stones asked for.
        stones: usize,
        /// The board.
        size: Size,
    },
}

/// What a list has.
fn told(listed: Option<(usize, usize)>) -> String {
    listed.map_or(String::new(), |(least, most)| format!(", only of {least} to {most}"))
}

/// Distance of the star lines from the edge, from 1: the third line below 13, the fourth from there on.
fn lines(side: usize) -> [usize; 3] {
    let near = if side >= 13 { 3 } else { 2 };
    [near, side / 2, side - 1 - near]
}

/// Handicap points of GTP's `fixed_handicap`, in its order. None where GTP allows no such handicap: only squares from
/// 7x7; at most four stones on 7x7 and on even boards, else nine; at least two.
pub fn fixed_handicap(size: Size, stones: usize) -> Option<Vec<Point>> {
    let side = size.width();
    if !size.is_square() || side < 7 {
        return None;
    }
    let most = if side == 7 || side.is_multiple_of(2) { 4 } else { 9 };
    if !(2..=most).contains(&stones) {
        return None;
    }
    let [low, mid, high] = lines(side);
    // Columns from the left, rows from the bottom; the centre comes last for 5, 7 and 9 stones.
    let order = [(low, low), (high, high), (low, high), (high, low), (low, mid), (high, mid), (mid, low), (mid, high)];
    let centre = stones >= 5 && stones % 2 == 1;
    let around = stones - usize::from(centre);
    let place = |&(x, y): &(usize, usize)| size.point(x, side - 1 - y);
    let mut points: Vec<Point> = order[..around].iter().map(place).collect();
    if centre {
        points.push(place(&(mid, mid)));
    }
    Some(points)
}

/// Handicap points of the Czech rules, which list 19x19 and one to nine stones only. They differ from GTP's for one
/// stone (D4, and White moves), and for three (D4, Q4, Q16).
pub fn czech_handicap(size: Size, stones: usize) -> Option<Vec<Point>> {
    if size != Size::square(19)? {
        return None;
    }
    let at = |names: &[(usize, usize)]| Some(names.iter().map(|&(x, row)| size.point(x, 19 - row)).collect());
    match stones {
        1 => at(&[(3, 4)]),
        3 => at(&[(3, 4), (15, 4), (15, 16)]),
        _ => fixed_handicap(size, stones),
    }
}

/// Points for any number of handicap stones on any board: those of the largest list that isn't longer, then always the
/// point that is farthest from all others, the first line last. May be fewer than asked for: none touch.
pub fn spread_handicap(size: Size, stones: usize) -> Vec<Point> {
    let mut points = (2..=stones.min(9)).rev().find_map(|n| fixed_handicap(size, n)).unwrap_or_default();
    while points.len() < stones {
        let gap = |a: Point, b: Point| {
            let (a, b) = (size.xy(a), size.xy(b));
            a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
        };
        let inside = |p: Point| {
            let (x, y) = size.xy(p);
            x.min(size.width() - 1 - x).min(y.min(size.height() - 1 - y)).min(2)
        };
        let nearest = |p: Point| points.iter().map(|&q| gap(p, q)).min().unwrap_or(usize::MAX);
        // The first of the best, so that the answer is the same everywhere.
        let best = size.points().filter(|&p| nearest(p) >= 2).max_by_key(|&p| (inside(p), nearest(p), u16::MAX - p.0));
        let Some(p) = best else { break };
        points.push(p);
    }
    points
}

/// Points for a number of handicap stones by a list.
///
/// # Errors
/// When the list has no such number on this board.
pub fn handicap_points(placing: Placing, size: Size, stones: usize) -> Result<PointSet, HandicapError> {
    let points = |stones| match placing {
        Placing::Fixed => fixed_handicap(size, stones),
        Placing::Czech => czech_handicap(size, stones).or_else(|| fixed_handicap(size, stones)),
    };
    points(stones).map(|points| points.into_iter().collect()).ok_or_else(|| {
        let mut listed = (1..=9).filter(|&n| points(n).is_some());
        let least = listed.next();
        HandicapError::NoList { stones, size, listed: least.map(|least| (least, listed.next_back().unwrap_or(least))) }
    })
}

/// Handicap stones on points of the players' choice, named in Go letters.
///
/// # Errors
/// When a name is no point or comes twice, or no empty point would be left.
pub fn free_handicap<'a>(size: Size, names: impl Iterator<Item = &'a str>) -> Result<PointSet, HandicapError> {
    let mut points = PointSet::EMPTY;
    for name in names {
        let p = Letters::WithoutI
            .point(size, name)
            .ok_or_else(|| HandicapError::NoPoint { name: name.to_string(), size })?;
        if points.contains(p) {
            return Err(HandicapError::Twice(name.to_string()));
        }
        points.insert(p);
    }
    if points.len() >= size.area() {
        return Err(HandicapError::Full { stones: points.len(), size });
    }
    Ok(points)
}

/// The eight star points around the centre of a square board of odd side from 9, and the centre; none for other boards.
pub fn star_points(size: Size) -> Option<(Vec<Point>, Point)> {
    let mut points = fixed_handicap(size, 9)?;
    let centre = points.pop()?;
    Some((points, centre))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_stones_are_distinct_and_never_fill_a_board() {
        for (width, height) in [(2, 2), (3, 2), (5, 5), (7, 7), (9, 13), (19, 19), (25, 25)] {
            let size = Size::new(width, height).unwrap();
            for stones in [2, 3, 5, 9, 12, 25, size.area() - 1] {
                let points = spread_handicap(size, stones);
                let set: PointSet = points.iter().copied().collect();
                assert_eq!(set.len(), points.len(), "{size} {stones}");
                assert!(points.len() >= 2 && points.len() <= stones && points.len() < size.area(), "{size} {stones}");
            }
        }
        let big = Size::square(19).unwrap();
        assert_eq!(spread_handicap(big, 9), fixed_handicap(big, 9).unwrap());
        assert_eq!(spread_handicap(big, 25).len(), 25);
    }

    #[test]
    fn points_are_distinct_wherever_they_are_given() {
        for side in 1..=25 {
            let size = Size::square(side).unwrap();
            for stones in 0..=10 {
                if let Some(mut points) = fixed_handicap(size, stones) {
                    points.sort();
                    points.dedup();
                    assert_eq!(points.len(), stones, "{stones} on {side}");
                }
            }
        }
        let free = |text: &'static str| free_handicap(Size::new(2, 2).unwrap(), text.split(','));
        assert_eq!(free("A1,b2").unwrap().len(), 2);
        assert_eq!(free("A1,A3").unwrap_err().to_string(), "`A3` is not a point of 2x2");
        assert_eq!(free("A1,a1"), Err(HandicapError::Twice("a1".into())));
        assert!(matches!(free("A1,A2,B1,B2"), Err(HandicapError::Full { stones: 4, .. })));
        let czech = |side, n| handicap_points(Placing::Czech, Size::square(side).unwrap(), n);
        assert_eq!((czech(19, 1).unwrap().len(), czech(13, 3).unwrap().len()), (1, 3));
        assert!(czech(13, 1).is_err() && czech(19, 10).is_err());
        assert!(fixed_handicap(Size::new(19, 13).unwrap(), 2).is_none());
        assert!(fixed_handicap(Size::square(6).unwrap(), 2).is_none());
        assert!(star_points(Size::square(8).unwrap()).is_none());
    }
}
