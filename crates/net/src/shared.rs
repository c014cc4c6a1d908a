//! A network on a device that threads share: what travels to it and back ([`Exchange`]) and how it is started. Not here:
//! how threads' batches are merged (`tengen_search::device`), who encodes positions (`joined`).

use tengen_search::{Parcel, SharedDevice};

use crate::raw::{RawBatch, RawEvaluator, RawOutput};

/// Encoded positions of one board size, and what the network says of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// The positions.
    pub batch: RawBatch,
    /// The network's outputs.
    pub output: RawOutput,
}

/// Rows `first..first + n` of an array of `all` rows.
fn rows(values: &[f32], all: usize, first: usize, n: usize) -> &[f32] {
    let each = values.len() / all.max(1);
    &values[first * each..(first + n) * each]
}

impl Parcel for Exchange {
    fn rows(&self) -> usize {
        self.batch.n
    }

    fn joins(&self, batch: &Exchange) -> bool {
        (self.batch.height, self.batch.width) == (batch.batch.height, batch.batch.width)
    }

    fn append(&mut self, parcel: &Exchange) {
        let (to, from) = (&mut self.batch, &parcel.batch);
        to.n += from.n;
        (to.height, to.width) = (from.height, from.width);
        to.planes.extend_from_slice(&from.planes);
        to.globals.extend_from_slice(&from.globals);
        to.mask.extend_from_slice(&from.mask);
    }

    fn take(&mut self, batch: &Exchange, first: usize) {
        let (n, all, from, to) = (self.batch.n, batch.batch.n, &batch.output, &mut self.output);
        let arrays = [
            (&mut to.policy, &from.policy),
            (&mut to.extra, &from.extra),
            (&mut to.wdl, &from.wdl),
            (&mut to.margin, &from.margin),
        ];
        for (to, from) in arrays {
            to.clear();
            to.extend_from_slice(rows(from, all, first, n));
        }
    }

    fn clear(&mut self) {
        let b = &mut self.batch;
        b.n = 0;
        for values in [&mut b.planes, &mut b.globals, &mut b.mask] {
            values.clear();
        }
    }
}

/// Starts a network in a thread of its own, where `make` is called; batches get at most `rows_max` positions.
pub fn share<R, M>(make: M, rows_max: usize) -> Result<SharedDevice<Exchange>, String>
where
    R: RawEvaluator,
    M: FnOnce() -> Result<R, String> + Send + 'static,
{
    let make = move || {
        let mut raw = make()?;
        Ok(move |x: &mut Exchange| raw.run(&x.batch, &mut x.output))
    };
    SharedDevice::start(make, rows_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(n: usize, side: usize, start: f32) -> Exchange {
        let row = |each: usize| (0..n * each).map(|i| start + i as f32).collect::<Vec<f32>>();
        let (planes, globals, mask) = (row(2 * side * side), row(1), vec![1.0; n * side * side]);
        Exchange {
            batch: RawBatch { n, height: side, width: side, planes, globals, mask },
            output: RawOutput::default(),
        }
    }

    #[test]
    fn parcels_get_their_own_rows_back() {
        let (mut a, mut b) = (exchange(2, 2, 0.0), exchange(1, 2, 100.0));
        assert!(b.joins(&a) && !b.joins(&exchange(1, 3, 0.0)));
        let mut all = Exchange::default();
        all.append(&a);
        all.append(&b);
        all.batch.check(2, 1).unwrap();
        assert_eq!(all.batch.globals, [0.0, 1.0, 100.0]);
        all.output.policy = (0..12).map(|i| i as f32).collect();
        all.output.wdl = (0..9).map(|i| i as f32).collect();
        a.take(&all, 0);
        b.take(&all, 2);
        assert_eq!((&a.output.policy[..], &a.output.wdl[..]), (&all.output.policy[..8], &all.output.wdl[..6]));
        assert_eq!((&b.output.policy[..], &b.output.wdl[..]), (&all.output.policy[8..], &all.output.wdl[6..]));
        assert!(b.output.extra.is_empty() && b.output.margin.is_empty());
        all.clear();
        all.append(&b);
        assert_eq!(all.batch, b.batch);
    }
}
