//! Models on disk to evaluators in memory: reads a model directory, checks that it fits what is asked of it, and opens
//! evaluators of the configured kind. Not here: how networks run (`net`), what a card holds (`data`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tengen_data::{FeatureSet, ModelCard, RunDir, load_model};
use tengen_features::{Encode, FeatureSpec};
use tengen_game::{Action, Game, Size, notation::Letters, zobrist};
use tengen_net::fused::FusedNet;
use tengen_net::{BurnNet, EvalCache, Exchange, NetConfig, NetEvaluator, Weights, share};
use tengen_search::{DeviceUse, EvalError, Evaluator, EvaluatorSource, SharedDevice, Uniform};

use crate::catalog::Kind;

/// Name of the player without a network.
pub const UNIFORM: &str = "uniform";

/// Most positions in one batch of a device that threads share: more gains nothing and costs memory.
const DEVICE_ROWS_MAX: usize = 4096;

/// Why a model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The directory or a file in it is missing, damaged or of a later version.
    #[error(transparent)]
    Card(#[from] tengen_data::CardError),
    /// The weights file is damaged.
    #[error("{path}: {source}")]
    Weights {
        /// Model directory.
        path: String,
        /// What is wrong.
        source: tengen_net::WeightsError,
    },
    /// The card contradicts its weights or this program.
    #[error("{path}: {why}")]
    Unfit {
        /// Model directory.
        path: String,
        /// What was found and expected.
        why: String,
    },
}

/// A model in memory.
#[derive(Debug)]
pub struct Model {
    /// Its card.
    pub card: ModelCard,
    /// Inputs and extra outputs.
    pub spec: FeatureSpec,
    /// The network.
    pub weights: Weights,
    fused: Option<FusedNet>,
    device: Option<SharedDevice<Exchange>>,
    cache: Option<Arc<EvalCache>>,
}

impl Model {
    /// Reads a model directory; a run directory stands for its promoted model.
    pub fn read(dir: &Path) -> Result<Model, ModelError> {
        let dir = promoted_in(dir).unwrap_or_else(|| dir.to_path_buf());
        let (card, bytes) = load_model(&dir)?;
        Model::new(card, &bytes, &dir.display().to_string())
    }

    /// From a card and its weights file's bytes; `path` is for messages.
    pub fn new(card: ModelCard, bytes: &[u8], path: &str) -> Result<Model, ModelError> {
        let weights =
            Weights::from_bytes(bytes).map_err(|source| ModelError::Weights { path: path.to_string(), source })?;
        let unfit = |why: String| ModelError::Unfit { path: path.to_string(), why };
        if serde_json::to_value(weights.config()).ok().as_ref() != Some(&card.network) {
            return Err(unfit("the card tells of another network than the weights are of".to_string()));
        }
        let spec = spec_of(&card, weights.config()).map_err(unfit)?;
        Ok(Model { card, spec, weights, fused: None, device: None, cache: None })
    }

    /// Whether the model can play a setup: one sentence otherwise. Sizes and rules it wasn't trained on are allowed, with
    /// a warning in the second place.
    pub fn fits<G: Encode>(&self, setup: &G::Setup) -> Result<Option<String>, String> {
        let text = setup.to_string();
        let game_of = |t: &str| Kind::of_setup(t).ok();
        let trained = self.card.setups.first().map(String::as_str).unwrap_or_default();
        if game_of(&text) != game_of(trained) {
            return Err(format!("model {} was made for `{trained}`; you asked for `{text}`", self.card.id));
        }
        let need = G::spec(std::slice::from_ref(setup), &self.spec.set).map_err(|e| e.to_string())?;
        let lacks = need.extras.iter().find(|a| !self.spec.extras.contains(a));
        if lacks.is_some() || (need.protocol && !self.spec.protocol) {
            return Err(format!(
                "model {} was made for `{trained}`; it has no outputs for the decisions of `{text}`",
                self.card.id
            ));
        }
        if !self.card.setups.iter().any(|s| rules_of(s) == rules_of(&text)) {
            return Ok(Some(format!("model {} was trained for `{trained}`; this is `{text}`", self.card.id)));
        }
        let size = G::start(setup).size().to_string();
        let known = self.card.sizes.contains(&size);
        Ok((!known)
            .then(|| format!("model {} was trained on {}, not on {size}", self.card.id, self.card.sizes.join(", "))))
    }
}

/// What of a setup text a network must have been trained for, seen or not: all but size, komi and when a settled game is
/// ended.
fn rules_of(setup: &str) -> Vec<&str> {
    let seen = |t: &&str| !["size=", "komi=", "early_end="].iter().any(|key| t.starts_with(key));
    setup.split_whitespace().filter(seen).collect()
}

fn spec_of(card: &ModelCard, net: &NetConfig) -> Result<FeatureSpec, String> {
    let size = Size::square(19).ok_or("no board")?;
    let extras: Option<Vec<Action>> = card.extras.iter().map(|n| Letters::WithI.parse_action(size, n)).collect();
    let extras = extras.ok_or_else(|| format!("extras {:?} aren't all actions this program knows", card.extras))?;
    let kind = card.setups.first().ok_or("setups: none; expected at least one setup text".to_string())?;
    let kind = Kind::of_setup(kind).map_err(|e| format!("setups: {e}"))?;
    let set = card.features.to_string();
    let spec = crate::with_game!(kind, G => {
        let setups: Result<Vec<<G as Game>::Setup>, _> = card.setups.iter().map(|s| s.parse()).collect();
        <G as Encode>::spec(&setups.map_err(|e| format!("setups: {e}"))?, &set).map_err(|e| e.to_string())?
    });
    let spec = spec.with_globals(net.globals);
    let found = (net.planes, net.globals, net.extras);
    let expected = (spec.planes, spec.globals, spec.extras.len());
    if found != expected || extras != spec.extras {
        return Err(format!(
            "the network takes {} planes, {} globals and has {} extra outputs; feature set {set} needs {}, {} and {}",
            found.0, found.1, found.2, expected.0, expected.1, expected.2
        ));
    }
    Ok(spec)
}

/// A card for fresh weights; ids, lengths and checksums are filled in by the writer.
pub fn card_for(setups: &[String], spec: &FeatureSpec, net: &NetConfig, seed: u64) -> ModelCard {
    let (name, version) = spec.set.rsplit_once('-').unwrap_or((&spec.set, "1"));
    let size_of = |s: &String| s.split_whitespace().find_map(|t| t.strip_prefix("size=")).map(str::to_string);
    let mut sizes: Vec<String> = setups.iter().filter_map(size_of).collect();
    sizes.dedup();
    ModelCard {
        setups: setups.to_vec(),
        sizes,
        features: FeatureSet { name: name.to_string(), version: version.parse().unwrap_or(1) },
        network: serde_json::to_value(net).unwrap_or_default(),
        extras: spec
            .extras
            .iter()
            .map(|&a| Letters::WithI.action(Size::square(19).unwrap_or_else(|| unreachable!()), a))
            .collect(),
        seed,
        program: crate::version::long(),
        created: crate::version::now(),
        weights_file: "weights.safetensors".to_string(),
        ..ModelCard::default()
    }
}

/// The promoted model of a run directory, if it is one.
fn promoted_in(path: &Path) -> Option<PathBuf> {
    let run = RunDir::at(path);
    run.model(&run.read_promoted().ok()??.model).ok()
}

/// Opens evaluators by model id: `uniform`, a model of the run directory, or a path to a model directory. Each model is
/// read once and shared by threads. On the CPU (`fused`, `flex`) each thread runs it by itself; any other device runs it in
/// a thread of its own, which merges the batches of all.
pub struct Models {
    run: Option<RunDir>,
    evaluator: String,
    cache: usize,
    /// Seed of random orientations; `None` evaluates in the canonical one.
    turning: Option<u64>,
    shared: bool,
    loaded: Mutex<BTreeMap<String, Arc<Model>>>,
}

impl Models {
    /// A source for a run directory (or none), an evaluator name (`fused` or a Burn device) and a cache size.
    pub fn new(run: Option<RunDir>, evaluator: &str, cache: usize) -> Models {
        let shared = !["fused", "flex"].contains(&evaluator);
        Models { run, evaluator: evaluator.to_string(), cache, turning: None, shared, loaded: Mutex::default() }
    }

    /// Runs models in a thread of their own on the CPU too. Answers stay the same.
    pub fn in_own_thread(self) -> Models {
        Models { shared: true, ..self }
    }

    /// Evaluates positions in orientations drawn from `seed`, the model and the position.
    pub fn turning(self, seed: Option<u64>) -> Models {
        Models { turning: seed, ..self }
    }

    /// Where a model id lies.
    pub fn path(&self, id: &str) -> PathBuf {
        let inside = self.run.as_ref().and_then(|r| r.model(id).ok()).filter(|p| p.is_dir());
        inside.unwrap_or_else(|| PathBuf::from(id))
    }

    /// The model of that id, read if it wasn't yet.
    pub fn get(&self, id: &str) -> Result<Arc<Model>, ModelError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(model) = loaded.get(id) {
            return Ok(model.clone());
        }
        let path = self.path(id);
        let mut model = Model::read(&path)?;
        if self.evaluator == "fused" {
            let weights = &model.weights;
            let fused = FusedNet::new(&|name| weights.get(name))
                .map_err(|why| ModelError::Unfit { path: path.display().to_string(), why })?;
            model.fused = Some(fused);
        }
        if self.shared {
            let device =
                self.start(&model).map_err(|why| ModelError::Unfit { path: path.display().to_string(), why })?;
            model.device = Some(device);
        }
        model.cache = EvalCache::new(self.cache).map(Arc::new);
        let model = Arc::new(model);
        loaded.insert(id.to_string(), model.clone());
        Ok(model)
    }

    fn start(&self, model: &Model) -> Result<SharedDevice<Exchange>, String> {
        if let Some(fused) = model.fused.clone() {
            return share(move || Ok(fused), DEVICE_ROWS_MAX);
        }
        let (name, weights) = (self.evaluator.clone(), model.weights.clone());
        let make = move || Ok(BurnNet::new(&weights, tengen_net::device(&name)?, &name));
        share(make, DEVICE_ROWS_MAX)
    }

    /// Forgets models that won't be asked for again.
    pub fn forget(&self, keep: &[&str]) {
        let mut loaded = self.loaded.lock().unwrap_or_else(|e| e.into_inner());
        loaded.retain(|id, _| keep.contains(&id.as_str()));
    }
}

impl<G: Encode> EvaluatorSource<G> for Models {
    fn open(&self, id: &str) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        if id == UNIFORM {
            return Ok(Box::new(Uniform::default()));
        }
        let fail = |why: String| EvalError::Failed { model: id.to_string(), why };
        let model = self.get(id).map_err(|e| fail(e.to_string()))?;
        let (spec, name, cache) = (model.spec.clone(), model.card.id.clone(), model.cache.clone());
        let salt = self.turning.map(|seed| name.bytes().fold(seed, |sum, b| zobrist::mix(sum ^ u64::from(b))));
        let evaluator = if let Some(device) = &model.device {
            NetEvaluator::<G>::shared(device, spec, name, cache)
        } else if let Some(fused) = &model.fused {
            NetEvaluator::<G>::new(Box::new(fused.clone()), spec, name, cache)
        } else {
            let device = tengen_net::device(&self.evaluator).map_err(fail)?;
            let raw = Box::new(BurnNet::new(&model.weights, device, &self.evaluator));
            NetEvaluator::<G>::new(raw, spec, name, cache)
        };
        Ok(match salt {
            Some(salt) => Box::new(evaluator.turning(salt)),
            None => Box::new(evaluator),
        })
    }

    fn device(&self, id: &str) -> Option<DeviceUse> {
        let loaded = self.loaded.lock().unwrap_or_else(|e| e.into_inner());
        loaded.get(id)?.device.as_ref().map(SharedDevice::used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Five;

    /// Networks trained under the rejection system before its open rules were inputs.
    #[test]
    fn models_from_before_the_open_rules_go_on() {
        let text = "game=five rules=renju size=15x15 opening=reject:rif,soosorv-8,taraguchi-10".to_string();
        let setup: <Five as Game>::Setup = text.parse().unwrap();
        let new = Five::spec(std::slice::from_ref(&setup), "five-stones-1").unwrap();
        let read = |globals: usize| {
            let mut net = NetConfig::preset("b1c8", new.planes, globals, new.extras.len()).unwrap();
            net.board_heads = new.board_heads;
            let card = card_for(std::slice::from_ref(&text), &new, &net, 1);
            Model::new(card, &Weights::random(&net, 1).unwrap().to_bytes(), "model")
        };
        assert_eq!(read(new.globals).unwrap().spec, new);
        let old = read(new.globals - 3).unwrap();
        assert_eq!((old.spec.globals, old.spec.open_rules), (new.globals - 3, false));
        assert_eq!(old.fits::<Five>(&setup), Ok(None));
        let why = read(new.globals - 2).unwrap_err().to_string();
        assert!(why.contains(&format!("needs {}, {} and", new.planes, new.globals)), "{why}");
    }
}
