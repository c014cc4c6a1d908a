//! Drawing a board as text: `X` black, `O` white, `.` empty, `*` forbidden, the last move in brackets. Not here: rules.

use tengen_game::notation::Letters;
use tengen_game::{Colour, Point, PointSet, Size};

/// The board without empty lines, framed by the letters and numbers of `letters`.
pub fn draw(
    size: Size,
    letters: Letters,
    stone: &dyn Fn(Point) -> Option<Colour>,
    forbidden: &PointSet,
    last: Option<Point>,
) -> String {
    let columns: String = (0..size.width()).map(|x| format!(" {}", letters.column_letter(x))).collect();
    let mut out = format!("  {columns}\n");
    for y in 0..size.height() {
        out += &format!("{:2}", size.height() - y);
        let mut after = false;
        for x in 0..size.width() {
            let p = size.point(x, y);
            let mark = match stone(p) {
                Some(Colour::Black) => 'X',
                Some(Colour::White) => 'O',
                None if forbidden.contains(p) => '*',
                None => '.',
            };
            let open = if last == Some(p) {
                '('
            } else if after {
                ')'
            } else {
                ' '
            };
            after = last == Some(p);
            out.push(open);
            out.push(mark);
        }
        out.push(if after { ')' } else { ' ' });
        out += &format!("{}\n", size.height() - y);
    }
    out + &format!("  {columns}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_marks_are_where_they_belong() {
        let size = Size::square(3).unwrap();
        let black = size.point(2, 0);
        let stone = |p: Point| (p == black).then_some(Colour::Black);
        let forbidden: PointSet = [size.point(0, 2)].into_iter().collect();
        let text = draw(size, Letters::WithI, &stone, &forbidden, Some(black));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines, ["   A B C", " 3 . .(X)3", " 2 . . . 2", " 1 * . . 1", "   A B C"]);
    }
}
