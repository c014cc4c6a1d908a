//! Winograd convolution as numbers: which tile size suits a board, the transforms of one row of a tile, and the packing
//! of 3x3 weights. Matrices after Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015), with the
//! interpolation points 0, 1, -1, 2, infinity for F(3,3) and 0, 1, -1, 2, -2, infinity for F(4,3).
//! Deliberately not here: loops over images (`portable`, `avx`) and the order of the layers (`forward`).

use super::panels::{Buffer, panels};

/// Output tile size: an m x m tile is made from (m+2) x (m+2) inputs with (m+2)² multiplications per channel pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// F(3x3, 3x3): 25 products for 9 outputs.
    Three,
    /// F(4x4, 3x3): 36 products for 16 outputs.
    Four,
}

impl Kind {
    /// Every kind, in the order of `index`.
    pub(super) const ALL: [Kind; 2] = [Kind::Three, Kind::Four];

    /// Outputs per side of a tile.
    pub(super) fn side(self) -> usize {
        match self {
            Kind::Three => 3,
            Kind::Four => 4,
        }
    }

    /// Products per tile and channel pair: (side + 2)².
    pub(super) fn freqs(self) -> usize {
        (self.side() + 2).pow(2)
    }

    /// Place in `ALL`.
    pub(super) fn index(self) -> usize {
        self as usize
    }
}

/// How a board of `height` x `width` points is cut into tiles and stored.
///
/// An image is `[points][lanes]` with a border of zeros: board point (y, x) is image point (y + 1) * pitch + x + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// Rows of the board.
    pub(super) height: usize,
    /// Columns of the board.
    pub(super) width: usize,
    /// Tile size.
    pub(super) kind: Kind,
    /// Tile rows.
    pub(super) rows: usize,
    /// Tile columns.
    pub(super) cols: usize,
    /// Points in one row of an image.
    pub(super) pitch: usize,
    /// Points in an image.
    pub(super) points: usize,
}

impl Grid {
    /// The grid with the least work for that board; `large` says that the network's weights leave the cache.
    pub(super) fn new(height: usize, width: usize, large: bool) -> Grid {
        let three = Grid::of(Kind::Three, height, width);
        let four = Grid::of(Kind::Four, height, width);
        let (saving, all) = FOUR_MUST_SAVE;
        if three.work(large) * (all - saving) <= four.work(large) * all { three } else { four }
    }

    /// The grid of that tile size.
    pub(super) fn of(kind: Kind, height: usize, width: usize) -> Grid {
        let (rows, cols) = (height.div_ceil(kind.side()), width.div_ceil(kind.side()));
        let pitch = cols * kind.side() + 2;
        Grid { height, width, kind, rows, cols, pitch, points: (rows * kind.side() + 2) * pitch }
    }

    /// Tiles per position.
    pub(super) fn tiles(&self) -> usize {
        self.rows * self.cols
    }

    /// Products per position and channel pair, and what it takes to read a large network's weights.
    fn work(&self, large: bool) -> usize {
        (self.tiles() + if large { READ_TILES } else { 0 }) * self.kind.freqs()
    }
}

/// F(4,3) is taken when it saves so much of the work (a part of the second number): its transforms cost more.
/// Measured: 13 and 15 are equal (saving 8 %), 10 and 12 are won by an eighth (saving 19 %).
const FOUR_MUST_SAVE: (usize, usize) = (1, 10);

/// Reading the weights of a large network takes as long as computing so many tiles with them, and F(4,3) has more.
/// Measured on a network of 96 channels, where 7 to 12 are slower with F(4,3) and 19 is faster.
const READ_TILES: usize = 8;

/// Bytes of F(4,3) weights from which a network is large: a core's fair share of a last-level cache.
pub(super) const LARGE_BYTES: usize = 8 << 20;

/// Eight numbers that go through a transform together.
pub(super) trait Lane: Copy {
    /// self + other.
    fn plus(self, other: Self) -> Self;
    /// self - other.
    fn minus(self, other: Self) -> Self;
    /// factor * self + other.
    fn times_plus(self, factor: f32, other: Self) -> Self;
}

/// One-dimensional transforms of F(M, 3), N = M + 2; a tile is transformed along its columns, then along its rows.
pub(super) trait Transform<const M: usize, const N: usize> {
    /// N inputs to N factors.
    fn input<L: Lane>(d: [L; N]) -> [L; N];
    /// N products to M outputs.
    fn output<L: Lane>(p: [L; N]) -> [L; M];
    /// The transpose of `output`.
    fn spread<L: Lane>(y: [L; M]) -> [L; N];
    /// The transpose of `input`.
    fn collect<L: Lane>(v: [L; N]) -> [L; N];
    /// Three weights to N factors.
    fn weight<L: Lane>(g: [L; 3]) -> [L; N];
    /// The transpose of `weight`.
    fn taps<L: Lane>(u: [L; N]) -> [L; 3];
}

/// Zero, from a number that isn't NaN or infinite; NaN otherwise, so that it shows.
#[inline(always)]
fn zero<L: Lane>(any: L) -> L {
    any.minus(any)
}

/// Weighted sum of at least one number; zero weights take no part.
#[inline(always)]
fn mix<L: Lane, const K: usize>(weights: [f64; K], of: [L; K]) -> L {
    let mut sum = zero(of[0]);
    for k in 0..K {
        if weights[k] != 0.0 {
            sum = of[k].times_plus(weights[k] as f32, sum);
        }
    }
    sum
}

/// F(3,3).
pub(super) struct Three;

impl Transform<3, 5> for Three {
    #[inline(always)]
    fn input<L: Lane>(d: [L; 5]) -> [L; 5] {
        let odd = d[3].minus(d[1]);
        let near = d[3].minus(d[2]);
        [
            d[0].minus(d[2]).times_plus(2.0, odd),
            d[1].times_plus(-2.0, near),
            d[1].minus(d[2]).times_plus(2.0, near),
            odd,
            odd.times_plus(-2.0, d[4].minus(d[2])),
        ]
    }

    #[inline(always)]
    fn output<L: Lane>(p: [L; 5]) -> [L; 3] {
        let even = p[1].plus(p[2]);
        [p[0].plus(even).plus(p[3]), p[3].times_plus(2.0, p[1].minus(p[2])), p[3].times_plus(4.0, even.plus(p[4]))]
    }

    #[inline(always)]
    fn spread<L: Lane>(y: [L; 3]) -> [L; 5] {
        let even = y[0].plus(y[2]);
        [y[0], even.plus(y[1]), even.minus(y[1]), y[1].times_plus(2.0, y[2].times_plus(4.0, y[0])), y[2]]
    }

    #[inline(always)]
    fn collect<L: Lane>(v: [L; 5]) -> [L; 5] {
        let ends = v[2].plus(v[4]).minus(v[1]);
        let rest = v[0].times_plus(2.0, v[1].plus(v[4]));
        [
            v[0].plus(v[0]),
            ends.plus(ends).minus(v[0].plus(v[3])),
            v[2].times_plus(-4.0, v[2].minus(rest)),
            v[4].times_plus(-2.0, v[0].plus(v[1]).plus(v[2].plus(v[3]))),
            v[4],
        ]
    }

    #[inline(always)]
    fn weight<L: Lane>(g: [L; 3]) -> [L; 5] {
        WEIGHT_THREE.map(|row| mix(row, g))
    }

    #[inline(always)]
    fn taps<L: Lane>(u: [L; 5]) -> [L; 3] {
        std::array::from_fn(|tap| mix(WEIGHT_THREE.map(|row| row[tap]), u))
    }
}

/// F(4,3).
pub(super) struct Four;

impl Transform<4, 6> for Four {
    #[inline(always)]
    fn input<L: Lane>(d: [L; 6]) -> [L; 6] {
        let even = d[2].times_plus(-4.0, d[4]);
        let odd = d[1].times_plus(-4.0, d[3]);
        let far = d[4].minus(d[2]);
        let step = d[3].minus(d[1]);
        [
            d[0].times_plus(4.0, d[2].times_plus(-5.0, d[4])),
            even.plus(odd),
            even.minus(odd),
            step.times_plus(2.0, far),
            step.times_plus(-2.0, far),
            d[1].times_plus(4.0, d[3].times_plus(-5.0, d[5])),
        ]
    }

    #[inline(always)]
    fn output<L: Lane>(p: [L; 6]) -> [L; 4] {
        let (near, near_odd) = (p[1].plus(p[2]), p[1].minus(p[2]));
        let (far, far_odd) = (p[3].plus(p[4]), p[3].minus(p[4]));
        [
            p[0].plus(near).plus(far),
            far_odd.times_plus(2.0, near_odd),
            far.times_plus(4.0, near),
            far_odd.times_plus(8.0, near_odd).plus(p[5]),
        ]
    }

    #[inline(always)]
    fn spread<L: Lane>(y: [L; 4]) -> [L; 6] {
        let (even, odd) = (y[0].plus(y[2]), y[1].plus(y[3]));
        let (far, far_odd) = (y[2].times_plus(4.0, y[0]), y[3].times_plus(4.0, y[1]));
        [y[0], even.plus(odd), even.minus(odd), far_odd.times_plus(2.0, far), far_odd.times_plus(-2.0, far), y[3]]
    }

    #[inline(always)]
    fn collect<L: Lane>(v: [L; 6]) -> [L; 6] {
        let (near, near_odd) = (v[1].plus(v[2]), v[1].minus(v[2]));
        let (far, far_odd) = (v[3].plus(v[4]), v[3].minus(v[4]));
        let inner = v[5].minus(near_odd);
        let half = inner.plus(inner).minus(far_odd);
        let rest = near.times_plus(4.0, far);
        [
            v[0].times_plus(3.0, v[0]),
            half.plus(half),
            v[0].times_plus(-6.0, v[0].minus(rest)),
            v[5].times_plus(-5.0, far_odd.times_plus(2.0, near_odd)),
            v[0].plus(near).plus(far),
            v[5],
        ]
    }

    #[inline(always)]
    fn weight<L: Lane>(g: [L; 3]) -> [L; 6] {
        WEIGHT_FOUR.map(|row| mix(row, g))
    }

    #[inline(always)]
    fn taps<L: Lane>(u: [L; 6]) -> [L; 3] {
        std::array::from_fn(|tap| mix(WEIGHT_FOUR.map(|row| row[tap]), u))
    }
}

/// Weight transform of F(3,3).
const WEIGHT_THREE: [[f64; 3]; 5] = [
    [0.5, 0.0, 0.0],
    [-0.5, -0.5, -0.5],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
    [0.0, 0.0, 1.0],
];

/// Weight transform of F(4,3).
const WEIGHT_FOUR: [[f64; 3]; 6] = [
    [0.25, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// Transforms weights `[outputs, inputs, 3, 3]` and packs them: `[panel][freq][input][width of the panel]`, with zeros
/// for the lanes past `outputs`.
pub(super) fn pack(kind: Kind, weights: &[f32], outputs: usize, inputs: usize) -> Buffer {
    let freqs = kind.freqs();
    let lanes = outputs.next_multiple_of(8);
    let mut packed = Buffer::zeros(lanes * inputs * freqs);
    for panel in panels(lanes) {
        let part = &mut packed[panel.first * freqs * inputs..][..panel.width * freqs * inputs];
        for output in panel.first..outputs.min(panel.first + panel.width) {
            for input in 0..inputs {
                let taps = &weights[(output * inputs + input) * 9..][..9];
                for freq in 0..freqs {
                    let value = weight(kind, taps, freq);
                    part[(freq * inputs + input) * panel.width + output - panel.first] = value;
                }
            }
        }
    }
    packed
}

/// One number of the two-dimensional weight transform.
fn weight(kind: Kind, taps: &[f32], freq: usize) -> f32 {
    let side = kind.side() + 2;
    let row = |i: usize| match kind {
        Kind::Three => WEIGHT_THREE[i],
        Kind::Four => WEIGHT_FOUR[i],
    };
    let (down, across) = (row(freq / side), row(freq % side));
    let mut sum = 0.0;
    for y in 0..3 {
        for x in 0..3 {
            sum += down[y] * f64::from(taps[y * 3 + x]) * across[x];
        }
    }
    sum as f32
}
