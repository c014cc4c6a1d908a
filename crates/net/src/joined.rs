//! Features and network joined into what search asks for: [`NetEvaluator`] implements `search::Evaluator` over any raw
//! runner (Burn on any device, or the fused CPU pass), its own or one that threads share. Not here: how networks run, how
//! positions are encoded.
//!
//! Positions of different sizes in one batch are run as one raw batch per size, so that a position's result never
//! depends on its company.

use std::marker::PhantomData;
use std::sync::Arc;

use tengen_features::{Encode, FeatureSpec, Frame, PolicyLayout};
use tengen_game::{Size, Symmetry, zobrist};
use tengen_search::{Client, EvalError, Evaluation, Evaluator, Parcel, Query, SharedDevice, Wdl};

use crate::cache::{Cached, EvalCache, Key, canonical};
use crate::raw::RawEvaluator;
use crate::shared::Exchange;

/// A position waiting for the network.
#[derive(Debug)]
struct Waiting {
    query: usize,
    size: Size,
    /// Row in the exchange of its size.
    row: usize,
    key: Key,
    to: Symmetry,
}

/// One batch on its way: positions that the cache didn't know, and one exchange per board size.
#[derive(Debug, Default)]
struct Lane {
    waiting: Vec<Waiting>,
    exchanges: Vec<Exchange>,
    /// Exchanges that were sent off.
    sent: usize,
}

/// Who runs the network.
enum Runner {
    /// This thread, in `finish`.
    Own(Box<dyn RawEvaluator>),
    /// A device that threads share; one client per lane.
    Shared(Vec<Client<Exchange>>),
}

/// Lanes on a shared device: the thread fills one while the device has the other.
const SHARED_LANES: usize = 2;

/// One model for one thread.
pub struct NetEvaluator<G> {
    runner: Runner,
    spec: FeatureSpec,
    model: String,
    cache: Option<Arc<EvalCache>>,
    /// Seed of the orientations, if positions are turned at random.
    turning: Option<u64>,
    lanes: Vec<Lane>,
    spare: Vec<Exchange>,
    planes: Vec<f32>,
    globals: Vec<f32>,
    cached: Cached,
    evaluations: u64,
    hits: u64,
    game: PhantomData<fn(&G)>,
}

impl<G: Encode> NetEvaluator<G> {
    /// Joins a runner with its feature spec; `model` names it in records and errors.
    pub fn new(raw: Box<dyn RawEvaluator>, spec: FeatureSpec, model: String, cache: Option<Arc<EvalCache>>) -> Self {
        NetEvaluator::over(Runner::Own(raw), 1, spec, model, cache)
    }

    /// The same over a device that threads share, with two batches on their way at once.
    pub fn shared(
        device: &SharedDevice<Exchange>,
        spec: FeatureSpec,
        model: String,
        cache: Option<Arc<EvalCache>>,
    ) -> Self {
        let clients = (0..SHARED_LANES).map(|_| device.client()).collect();
        NetEvaluator::over(Runner::Shared(clients), SHARED_LANES, spec, model, cache)
    }

    /// Evaluates every position in an orientation drawn from its canonical key and `seed`, instead of always the canonical
    /// one (or without a cache, as it lies). A network's error that depends on the orientation then differs between
    /// positions instead of adding up. The draw is the position's own, so that a cache's hits stay what evaluations
    /// would give.
    pub fn turning(self, seed: u64) -> Self {
        NetEvaluator { turning: Some(seed), ..self }
    }

    fn over(
        runner: Runner,
        lanes: usize,
        spec: FeatureSpec,
        model: String,
        cache: Option<Arc<EvalCache>>,
    ) -> NetEvaluator<G> {
        NetEvaluator {
            runner,
            spec,
            model,
            cache,
            turning: None,
            lanes: (0..lanes).map(|_| Lane::default()).collect(),
            spare: Vec::new(),
            planes: Vec::new(),
            globals: Vec::new(),
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
    fn prepare(
        &mut self,
        lane: &mut Lane,
        index: usize,
        query: &Query<'_, G>,
        out: &mut Evaluation,
    ) -> Result<(), EvalError> {
        let size = query.game.size();
        let area = size.area();
        let (width, height) = (size.width(), size.height());
        self.planes.clear();
        self.planes.resize(self.spec.planes * area, 0.0);
        self.globals.clear();
        self.globals.resize(self.spec.globals, 0.0);
        query
            .game
            .encode(&self.spec, &mut Frame { width, height, planes: &mut self.planes, globals: &mut self.globals });
        let (mut key, mut to) = (Key(0, 0), Symmetry::IDENTITY);
        if self.cache.is_some() || self.turning.is_some() {
            (key, to) = canonical(&self.spec, size, &self.planes, &self.globals);
        }
        if let Some(seed) = self.turning {
            let symmetries = Symmetry::of(size);
            let drawn = zobrist::mix(key.0 ^ zobrist::mix(seed)) % symmetries.len() as u64;
            to = to.then(symmetries[drawn as usize]);
        }
        if let Some(cache) = &self.cache
            && cache.get(key, &mut self.cached)
        {
            self.hits += 1;
            return self.settle(query, size, to, out);
        }
        let exchange = exchange_for(&mut lane.exchanges, &mut self.spare, size);
        let batch = &mut exchange.batch;
        batch.globals.extend_from_slice(&self.globals);
        let first = batch.planes.len();
        batch.planes.resize(first + self.planes.len(), 0.0);
        for (plane, image) in self.planes.chunks(area).zip(batch.planes[first..].chunks_mut(area)) {
            for p in size.points() {
                image[to.point(size, p).index()] = plane[p.index()];
            }
        }
        batch.mask.resize(batch.mask.len() + area, 1.0);
        lane.waiting.push(Waiting { query: index, size, row: batch.n, key, to });
        batch.n += 1;
        Ok(())
    }

    /// Answers the queries whose positions are in `exchange`.
    fn answer(
        &mut self,
        waiting: &[Waiting],
        exchange: &Exchange,
        queries: &[Query<'_, G>],
        out: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let (batch, output, extras) = (&exchange.batch, &exchange.output, self.spec.extras.len());
        self.evaluations += batch.n as u64;
        for w in waiting.iter().filter(|w| of_size(exchange, w.size)) {
            let area = w.size.area();
            self.cached.policy.clear();
            self.cached.policy.extend_from_slice(&output.policy[w.row * area..][..area]);
            self.cached.policy.extend_from_slice(&output.extra[w.row * extras..][..extras]);
            self.cached.wdl.copy_from_slice(&output.wdl[w.row * 3..][..3]);
            self.cached.margin = output.margin.get(w.row).copied().unwrap_or(f32::NAN);
            if let Some(cache) = &self.cache {
                cache.put(w.key, &self.cached);
            }
            self.settle(&queries[w.query], w.size, w.to, &mut out[w.query])?;
        }
        Ok(())
    }

    fn encode_all(
        &mut self,
        lane: &mut Lane,
        queries: &[Query<'_, G>],
        out: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        lane.waiting.clear();
        for exchange in lane.exchanges.drain(..) {
            recycle(&mut self.spare, exchange);
        }
        for (i, query) in queries.iter().enumerate() {
            self.prepare(lane, i, query, &mut out[i])?;
        }
        Ok(())
    }

    fn answer_all(
        &mut self,
        number: usize,
        lane: &mut Lane,
        queries: &[Query<'_, G>],
        out: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        loop {
            let ran = match &mut self.runner {
                Runner::Own(raw) => lane.exchanges.pop().map(|mut x| raw.run(&x.batch, &mut x.output).map(|()| x)),
                Runner::Shared(_) if lane.sent == 0 => None,
                Runner::Shared(clients) => {
                    lane.sent -= 1;
                    Some(clients[number].receive())
                }
            };
            let Some(ran) = ran else { return Ok(()) };
            let exchange = ran.map_err(|why| self.fail(why))?;
            self.answer(&lane.waiting, &exchange, queries, out)?;
            recycle(&mut self.spare, exchange);
        }
    }

    /// Turns the outputs in `self.cached` (in the orientation `to` leads to) into an answer. Whether the numbers are finite is the
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

fn of_size(exchange: &Exchange, size: Size) -> bool {
    (exchange.batch.width, exchange.batch.height) == (size.width(), size.height())
}

/// The exchange that takes positions of a size; there are as many as sizes in a batch.
fn exchange_for<'a>(open: &'a mut Vec<Exchange>, spare: &mut Vec<Exchange>, size: Size) -> &'a mut Exchange {
    let at = open.iter().position(|x| of_size(x, size)).unwrap_or_else(|| {
        let mut new = spare.pop().unwrap_or_default();
        (new.batch.height, new.batch.width) = (size.height(), size.width());
        open.push(new);
        open.len() - 1
    });
    &mut open[at]
}

/// Keeps the memory of an exchange for later ones.
fn recycle(spare: &mut Vec<Exchange>, mut exchange: Exchange) {
    exchange.clear();
    spare.push(exchange);
}

impl<G: Encode> Evaluator<G> for NetEvaluator<G> {
    fn evaluate(&mut self, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        self.begin(0, batch, out)?;
        self.finish(0, batch, out)
    }

    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn begin(&mut self, lane: usize, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        let mut taken = std::mem::take(&mut self.lanes[lane]);
        let encoded = self.encode_all(&mut taken, batch, out);
        if encoded.is_ok()
            && let Runner::Shared(clients) = &self.runner
        {
            for exchange in taken.exchanges.drain(..) {
                clients[lane].send(exchange);
                taken.sent += 1;
            }
        }
        self.lanes[lane] = taken;
        encoded
    }

    fn finish(&mut self, lane: usize, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        let mut taken = std::mem::take(&mut self.lanes[lane]);
        let answered = self.answer_all(lane, &mut taken, batch, out);
        self.lanes[lane] = taken;
        answered
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
