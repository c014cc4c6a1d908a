//! Every key with what it allows and means, for `tengen config list`, `config init` and error messages. A test holds
//! this table equal to what the structs read; defaults are never written here.

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted path.
    pub path: &'static str,
    /// Allowed values.
    pub allowed: &'static str,
    /// Meaning, one line.
    pub meaning: &'static str,
}

const fn k(path: &'static str, allowed: &'static str, meaning: &'static str) -> Key {
    Key { path, allowed, meaning }
}

/// All keys, in the order they are shown.
pub const KEYS: &[Key] = &[
    k("run.seed", "0 to 2^63-1", "seed of everything random"),
    k("run.threads", "0 to 1024", "threads for self-play and matches; 0 is all cores"),
    k(
        "run.evaluator",
        "fused, flex, …",
        "who evaluates in self-play and matches: the fused CPU pass or a Burn device (shared by threads)",
    ),
    k("run.device", "flex, …", "Burn device for training (see `tengen doctor`)"),
    k("budget.iterations", "0 to 1e9", "rounds of self-play and training; 0 is no limit"),
    k("budget.minutes", "0 to 1e9", "minutes of this run's own work over all restarts; 0 is no limit"),
    k("budget.evaluations", "0 to 2^63-1", "network evaluations in self-play and gate; 0 is no limit"),
    k("budget.final_pairs", "0 to 1e6", "pairs of the closing match, last network against first; 0 plays none"),
    k("budget.final_visits", "1 to 1e6", "simulations per move in the closing match"),
    k("game.kind", "five, go", "family of games"),
    k("game.rules", "freestyle, standard, renju, caro, omok; tromp-taylor, chinese, …", "rule set"),
    k("game.sizes", "list of N or WxH", "board sizes; self-play draws one for each game"),
    k("game.win", "3 to 6", "stones in a row that win (freestyle, standard, caro)"),
    k("game.opening", "none, rif, swap2, pie, …", "opening protocol"),
    k("game.komi", "steps of 0.5", "komi (Go)"),
    k("game.komi_spread", "0 to 100", "self-play draws komi this far around game.komi, in steps of 1 (Go)"),
    k(
        "game.variants",
        "setup texts",
        "what differs from the rule set, as \"ko=simple\" or \"handicap=2 komi=0.5\"; self-play draws one of several for each game",
    ),
    k("game.early_end", "true, false", "end a game once every point is settled (pass-alive); same result, sooner (Go)"),
    k("net.blocks", "1 to 64", "residual blocks"),
    k("net.channels", "4 to 1024", "channels of the trunk"),
    k(
        "net.features",
        "name or empty",
        "feature set; empty is the simplest that shows the state under the rules; a run keeps its own",
    ),
    k("net.reply", "true, false", "auxiliary target: the opponent's reply"),
    k("net.soft", "true, false", "auxiliary target: a softened policy"),
    k("net.short_term", "true, false", "auxiliary target: the value a few plies ahead"),
    k("search.rule", "gumbel, puct", "selection rule"),
    k("search.gumbel.considered", "1 to 1024", "root actions considered at most"),
    k("search.gumbel.c_visit", "0 to 10000", "sigma(q) = (c_visit + most visits) * c_scale * q"),
    k("search.gumbel.c_scale", "0.001 to 100", "as above; q in [-1, 1] on a fixed scale"),
    k("search.gumbel.value_share", "0 to 1", "share of sigma in the policy whose mean is the root value"),
    k("search.puct.cpuct", "0.01 to 100", "exploration at few visits"),
    k("search.puct.cpuct_log", "0 to 100", "growth of exploration with visits"),
    k("search.puct.cpuct_base", "1 to 1e9", "visits at which the growth sets in"),
    k("search.puct.fpu_reduction", "0 to 2", "how much worse an unvisited action counts"),
    k("search.puct.fpu_reduction_root", "0 to 2", "the same at a root with noise"),
    k("search.puct.noise_weight", "0 to 1", "share of Dirichlet noise at the root"),
    k("search.puct.noise_alpha", "0.01 to 10000", "sum of the Dirichlet parameters"),
    k("search.puct.root_temperature", "0.1 to 10", "flattens the root policy"),
    k("search.puct.temperature", "0 to 10", "temperature of the move choice"),
    k("search.puct.temperature_plies", "0 to 100000", "for this many plies"),
    k("search.puct.reuse", "true, false", "keep the tree below the move played"),
    k("search.proof.enabled", "true, false", "ask the rules for proven wins, losses and forced moves"),
    k("search.proof.leaf", "0 to 1e6", "nodes of proof work per tree node; 0 is one-ply wins and forced blocks"),
    k("search.proof.root", "0 to 1e8", "nodes of proof work at the root"),
    k("selfplay.games", "1 to 1e7", "games per iteration"),
    k("selfplay.in_flight", "1 to 65536", "games in flight per thread; a device gets half of them per batch"),
    k("selfplay.visits", "1 to 1e6", "simulations of a full search"),
    k("selfplay.visits_fast", "1 to visits", "simulations of a fast search"),
    k("selfplay.full_share", "0 to 1", "share of moves with a full search (playout cap randomisation); 1 turns it off"),
    k("selfplay.random_share", "0 to 1", "share of undecided moves drawn at random instead of searched, for variety"),
    k("selfplay.plies_max", "0 to 100000", "plies after which a game is cut; 0 is 3 x area + 64"),
    k("selfplay.random_start_share", "0 to 1", "share of games that begin with random plies"),
    k("selfplay.random_plies_min", "0 to plies_max", "fewest random plies"),
    k("selfplay.random_plies_max", "0 to 1000", "most random plies"),
    k(
        "selfplay.random_spread",
        "0 to 10",
        "distance of random stones from the centre as a share of the side; 0 is anywhere",
    ),
    k("selfplay.resign", "true, false", "whether seats may resign"),
    k("selfplay.resign_value", "-1 to 0", "root value at which a seat resigns"),
    k("selfplay.resign_streak", "1 to 1000", "for so many of its moves in a row"),
    k("selfplay.resign_spare_share", "0 to 1", "share of games played out all the same"),
    k("selfplay.cache", "0 to 1e8", "positions in the evaluation cache; 0 turns it off"),
    k("selfplay.orientation", "canonical, random", "which of its orientations the network sees of a position"),
    k("train.batch", "1 to 65536", "rows per step"),
    k("train.reuse", "0.01 to 100", "how often each new row is used on average"),
    k("train.learning_rate", "1e-7 to 1", "AdamW's learning rate at the start"),
    k("train.schedule", "constant, steps, cosine", "how the learning rate falls over the run"),
    k("train.weight_decay", "0 to 1", "decoupled decay of weights"),
    k("train.clip_norm", "0.001 to 1e6", "gradient norm above which gradients are scaled down"),
    k("train.average_half_life", "0 to 1e6", "half-life of the averaged weights in steps; 0 turns averaging off"),
    k("train.window_min", "1 to 1e9", "rows of the window while there is little data"),
    k("train.window_power", "0 to 1", "exponent of the window's growth"),
    k("train.window_expand", "0 to 1", "share of new rows that widens the window"),
    k("train.search_share", "0 to 1", "share of the search value in the value target; 0 is the result only"),
    k("train.short_horizon", "0.1 to 1000", "horizon of the short-term value in plies"),
    k("train.value_weight", "0 to 100", "loss weight of the result"),
    k("train.short_weight", "0 to 100", "loss weight of the short-term value"),
    k("train.reply_weight", "0 to 100", "loss weight of the opponent's reply"),
    k("train.soft_weight", "0 to 100", "loss weight of the soft policy"),
    k("train.margin_weight", "0 to 100", "loss weight of the final margin (Go)"),
    k("train.ownership_weight", "0 to 100", "loss weight of ownership (Go)"),
    k("train.threads", "1 to 256", "parts of a batch, one thread each; results repeat for the same number"),
    k("train.bad_shards_max", "0 to 1", "share of unreadable shards above which training stops"),
    k(
        "gate.mode",
        "promote, alarm, off",
        "promote: use only what passes; alarm: use the newest, roll back a proven regression",
    ),
    k("gate.every", "1 to 1e6", "a match after every so many iterations"),
    k("gate.visits", "1 to 1e6", "simulations per move"),
    k("gate.pairs_max", "1 to 1e6", "pairs after which an undecided match stops"),
    k("gate.elo0", "-1000 to elo1", "smaller gain of the test in Elo; `alarm` tests for losses of the same sizes"),
    k("gate.elo1", "elo0 to 1000", "larger gain of the test in Elo"),
    k("gate.alpha", "1e-6 to 0.49", "error rate of either kind"),
    k("gate.plies_min", "0 to plies_max", "random plies of the openings, fewest"),
    k("gate.plies_max", "plies_min to 1000", "random plies of the openings, most"),
    k("keep.checkpoints", "1 to 1e6", "newest checkpoints kept; the promoted one always is"),
    k(
        "keep.milestone_steps",
        "0 to 2^63-1",
        "checkpoints at multiples of this many steps are kept for good; 0 keeps none",
    ),
    k(
        "keep.models",
        "0 to 1e6",
        "newest models kept beside the promoted, the first and the last good one; 0 keeps all",
    ),
    k("keep.spare_rows", "0 to 2^63-1", "rows kept in shards beyond what the window needs"),
    k("keep.sgf", "0 to 1e7", "games per iteration that are also written as SGF"),
];

/// The key of that path.
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|k| k.path == path)
}

/// Whether a path is a section that holds keys.
pub fn is_section(path: &str) -> bool {
    KEYS.iter().any(|k| k.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// The known key most like a mistyped one: the same name in another section first, then the fewest edits.
pub fn nearest(path: &str) -> &'static str {
    let name = |p: &str| p.rsplit('.').next().unwrap_or_default().to_string();
    let score = |k: &&Key| {
        let whole = strsim::damerau_levenshtein(k.path, path);
        let last = strsim::damerau_levenshtein(&name(k.path), &name(path));
        (whole.min(last * 2 + 1), whole)
    };
    KEYS.iter().min_by_key(score).map_or("", |k| k.path)
}

/// The keys in which two configurations differ, as `key: old -> new`.
pub fn differences(old: &super::Config, new: &super::Config) -> Vec<String> {
    let value = |c: &super::Config, path: &str| {
        let whole = toml::Value::try_from(c).ok()?;
        path.split('.').try_fold(whole, |v, part| v.get(part).cloned())
    };
    let show = |v: Option<toml::Value>| v.map_or("?".to_string(), |v| v.to_string());
    let differ = |k: &&Key| value(old, k.path) != value(new, k.path);
    KEYS.iter()
        .filter(differ)
        .map(|k| format!("{}: {} -> {}", k.path, show(value(old, k.path)), show(value(new, k.path))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn leaves(value: &toml::Value, prefix: &str, out: &mut Vec<String>) {
        match value {
            toml::Value::Table(t) => t.iter().for_each(|(k, v)| leaves(v, &format!("{prefix}{k}."), out)),
            _ => out.push(prefix.trim_end_matches('.').to_string()),
        }
    }

    #[test]
    fn the_table_is_what_the_code_reads() {
        let mut read = Vec::new();
        leaves(&toml::Value::try_from(Config::default()).unwrap(), "", &mut read);
        read.sort();
        let mut listed: Vec<String> = KEYS.iter().map(|k| k.path.to_string()).collect();
        listed.sort();
        assert_eq!(read, listed);
    }

    #[test]
    fn the_nearest_key_is_sensible() {
        assert_eq!(nearest("train.batc"), "train.batch");
        assert_eq!(nearest("selfplay.batch"), "train.batch");
        assert_eq!(nearest("serach.rule"), "search.rule");
        assert!(is_section("search.gumbel") && is_section("train") && !is_section("train.batch"));
    }
}
