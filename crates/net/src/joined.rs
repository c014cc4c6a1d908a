//! Features and network joined into what search asks for: [`NetEvaluator`] implements `search::Evaluator` over any raw
//! runner (Burn on any device, or the fused CPU pass). Not here: how networks run, how positions are encoded.
//!
//! Positions of different sizes in one batch are run as one raw batch per size, so that a position's result never
//! depends on its company.

use std::marker::PhantomData;
use std::sync::Arc;

use tengen_features::{Encode, FeatureSpec, Frame, PolicyLayout};
use tengen_game::{Size, Symmetry};
use tengen_search::{EvalError, Evaluation, Evaluator, Query, Wdl};

use crate::cache::{Cached, EvalCache, Key, canonical};
use crate::raw::{RawBatch, RawEvaluator, RawOutput};

/// A position waiting for the network.
#[derive(Debug)]
struct Waiting {
    query: usize,
    size: Size,
    key: Key,
    to: Symmetry,
}

/// One model for one thread.
pub struct NetEvaluator<G> {
    raw: Box<dyn RawEvaluator>,
    spec: FeatureSpec,
    model: String,
    cache: Option<Arc<EvalCache>>,
    batch: RawBatch,
    output: RawOutput,
    planes: Vec<f32>,
    waiting: Vec<Waiting>,
    cached: Cached,
    evaluations: u64,
    hits: u64,
    game: PhantomData<fn(&G)>,
}

impl<G: Encode> NetEvaluator<G> {
    /// Joins a runner with its feature spec; `model` names it in records and errors.
    pub fn new(raw: Box<dyn RawEvaluator>, spec: FeatureSpec, model: String, cache: Option<Arc<EvalCache>>) -> Self {
        NetEvaluator {
            raw,
            spec,
            model,
            cache,
            batch: RawBatch::default(),
            output: RawOutput::default(),
            planes: Vec::new(),
            waiting: Vec::new(),
            cached: Cached::default(),
            evaluations: 0,
            hits: 0,
            game: PhantomData,
        }
    }

    fn fail(&self, why: String) -> EvalError {
        EvalError::Failed { model: self.model.clone(), why }
    }

    /// Encodes one query; answers it from the cache or lines it up.
    fn prepare(&mut self, index: usize, query: &Query<'_, G>, out: &mut Evaluation) -> Result<(), EvalError> {
        let size = query.game.size();
        let area = size.area();
        self.planes.clear();
        self.planes.resize(self.spec.planes * area, 0.0);
        let first_global = self.batch.globals.len();
        self.batch.globals.resize(first_global + self.spec.globals, 0.0);
        let globals = &mut self.batch.globals[first_global..];
        let mut frame = Frame { width: size.width(), height: size.height(), planes: &mut self.planes, globals };
        query.game.encode(&self.spec, &mut frame);
        let (mut key, mut to) = (Key(0, 0), Symmetry::IDENTITY);
        if let Some(cache) = &self.cache {
            (key, to) = canonical(&self.spec, size, &self.planes, &self.batch.globals[first_global..]);
            if cache.get(key, &mut self.cached) {
                self.batch.globals.truncate(first_global);
                self.hits += 1;
                return self.settle(query, size, to, out);
            }
        }
        let first = self.batch.planes.len();
        self.batch.planes.resize(first + self.planes.len(), 0.0);
        let target = &mut self.batch.planes[first..];
        for (plane, image) in self.planes.chunks(area).zip(target.chunks_mut(area)) {
            for p in size.points() {
                image[to.point(size, p).index()] = plane[p.index()];
            }
        }
        self.waiting.push(Waiting { query: index, size, key, to });
        Ok(())
    }

    /// Runs what is lined up (all of one size) and answers it.
    fn flush(&mut self, queries: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        let Some(size) = self.waiting.first().map(|w| w.size) else { return Ok(()) };
        let (n, area, extras) = (self.waiting.len(), size.area(), self.spec.extras.len());
        self.batch.n = n;
        (self.batch.height, self.batch.width) = (size.height(), size.width());
        self.batch.mask.clear();
        self.batch.mask.resize(n * area, 1.0);
        self.raw.run(&self.batch, &mut self.output).map_err(|why| self.fail(why))?;
        self.evaluations += n as u64;
        let waiting = std::mem::take(&mut self.waiting);
        for (i, w) in waiting.iter().enumerate() {
            self.cached.policy.clear();
            self.cached.policy.extend_from_slice(&self.output.policy[i * area..][..area]);
            self.cached.policy.extend_from_slice(&self.output.extra[i * extras..][..extras]);
            self.cached.wdl.copy_from_slice(&self.output.wdl[i * 3..][..3]);
            self.cached.margin = self.output.margin.get(i).copied().unwrap_or(f32::NAN);
            if let Some(cache) = &self.cache {
                cache.put(w.key, &self.cached);
            }
            self.settle(&queries[w.query], w.size, w.to, &mut out[w.query])?;
        }
        self.waiting = waiting;
        self.waiting.clear();
        self.batch.planes.clear();
        self.batch.globals.clear();
        Ok(())
    }

    /// Turns the outputs in `self.cached` (canonical orientation) into an answer. Whether the numbers are finite is the
    /// asker's check (`search::ask`): NaN stays NaN up to there.
    fn settle(
        &mut self,
        query: &Query<'_, G>,
        size: Size,
        to: Symmetry,
        out: &mut Evaluation,
    ) -> Result<(), EvalError> {
        let layout = PolicyLayout { size, width: size.width(), height: size.height(), extras: &self.spec.extras };
        out.priors.clear();
        for &action in query.legal {
            let index = match action.as_point() {
                Some(p) => to.point(size, p).index(),
                None => layout.index(action).map_err(|e| self.fail(e.to_string()))?,
            };
            out.priors.push(self.cached.policy[index]);
        }
        softmax(&mut out.priors);
        let mut wdl = self.cached.wdl;
        softmax(&mut wdl);
        out.value = Wdl { win: wdl[0], draw: wdl[1], loss: wdl[2] };
        out.margin = (!self.cached.margin.is_nan()).then_some(self.cached.margin);
        Ok(())
    }
}

/// In place, shifted by the largest so that nothing overflows. NaN stays NaN for the caller to refuse.
fn softmax(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for v in logits.iter_mut() {
        *v = (*v - top).exp();
        sum += *v;
    }
    logits.iter_mut().for_each(|v| *v /= sum);
}

impl<G: Encode> Evaluator<G> for NetEvaluator<G> {
    fn evaluate(&mut self, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        self.waiting.clear();
        self.batch.planes.clear();
        self.batch.globals.clear();
        for (i, query) in batch.iter().enumerate() {
            if self.waiting.first().is_some_and(|w| w.size != query.game.size()) {
                self.flush(batch, out)?;
            }
            self.prepare(i, query, &mut out[i])?;
        }
        self.flush(batch, out)
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn hits(&self) -> u64 {
        self.hits
    }

    fn model(&self) -> &str {
        &self.model
    }
}
