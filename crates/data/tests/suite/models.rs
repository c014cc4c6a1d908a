//! Model directories and checkpoints: round trips, damage, versions, falling back.

use std::path::Path;

use tengen_data::card::{CardError, FeatureSet};
use tengen_data::rundir::checkpoint_name;
use tengen_data::{
    Checkpoint, ModelCard, load_checkpoint, load_model, model_id, newest_checkpoint, save_checkpoint, save_model,
};

fn card(weights: &[u8]) -> ModelCard {
    ModelCard {
        id: model_id(1200, weights),
        parent: Some("uniform".into()),
        setups: vec!["game=go size=9 komi=7".into()],
        sizes: vec!["9x9".into()],
        features: FeatureSet { name: "天元".into(), version: 3 },
        network: serde_json::json!({"blocks": 4, "width": 64, "gain": 0.1f32}),
        extras: vec!["pass".into()],
        steps: 1200,
        rows: 98765,
        games: 432,
        seed: u64::MAX,
        created: 1_800_000_000,
        ..ModelCard::default()
    }
}

#[test]
fn models_round_trip_and_damage_is_told() {
    let root = tempfile::tempdir().unwrap();
    let models = root.path().join("碁 набор é/models");
    let weights: Vec<u8> = (0..5000u32).map(|i| i as u8).collect();
    let saved = save_model(&models, card(&weights), &weights).unwrap();
    let dir = models.join(&saved.id);
    assert_eq!(load_model(&dir).unwrap(), (saved.clone(), weights.clone()));
    assert_eq!(save_model(&models, card(&weights), &weights).unwrap(), saved);
    let other = ModelCard { id: saved.id.clone(), ..card(b"") };
    assert!(save_model(&models, other, b"else").unwrap_err().to_string().contains("other weights"));
    assert_eq!(std::fs::read_dir(&models).unwrap().count(), 1);

    let file = dir.join("weights.bin");
    for (content, expect) in [
        (&weights[..2500], "2500 bytes, 5000 expected"),
        (&[0; 5000], "checksum"),
        (&[0; 6000], "6000 bytes, at most 5000"),
        (&[], "0 bytes"),
    ] {
        std::fs::write(&file, content).unwrap();
        let error = load_model(&dir).unwrap_err().to_string();
        assert!(error.contains(expect) && error.contains("weights.bin"), "{error}");
    }
    std::fs::remove_file(&file).unwrap();
    assert!(load_model(&dir).unwrap_err().to_string().contains("weights.bin"));
}

fn edited(dir: &Path, edit: impl Fn(&mut serde_json::Value)) -> CardError {
    let path = dir.join("card.json");
    let before = std::fs::read(&path).unwrap();
    let mut value: serde_json::Value = serde_json::from_slice(&before).unwrap();
    edit(&mut value);
    std::fs::write(&path, value.to_string()).unwrap();
    let error = load_model(dir).expect_err("must be refused");
    std::fs::write(&path, before).unwrap();
    error
}

#[test]
fn cards_that_lie_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let saved = save_model(root.path(), card(b"weights"), b"weights").unwrap();
    let dir = root.path().join(&saved.id);
    let newer = edited(&dir, |v| {
        v["version"] = 9.into();
        v["program"] = "tengen 7.0".into();
    });
    assert!(matches!(&newer, CardError::Newer { found: 9, .. }));
    assert!(newer.to_string().contains("written by tengen 7.0"), "{newer}");
    for name in ["../../../etc/passwd", "/etc/passwd", "a/b", "CON", "card.json", "x\ny"] {
        let error = edited(&dir, |v| v["weights_file"] = name.into()).to_string();
        assert!(error.contains("card.json"), "{error}");
    }
    assert!(edited(&dir, |v| v["weights_bytes"] = (1u64 << 60).into()).to_string().contains("claims"));
    assert!(edited(&dir, |v| v["weights_bytes"] = (-1).into()).to_string().contains("card.json"));
    assert!(edited(&dir, |v| v["surprise"] = 1.into()).to_string().contains("surprise"));
    assert!(edited(&dir, |v| v["version"] = serde_json::Value::Null).to_string().contains("version"));
    let path = dir.join("card.json");
    for text in ["", "{", "[[[[", "not json", "{\"version\":1}"] {
        std::fs::write(&path, text).unwrap();
        assert!(load_model(&dir).unwrap_err().to_string().contains("card.json"), "{text}");
    }
    std::fs::write(&path, "[".repeat(500_000)).unwrap();
    assert!(load_model(&dir).is_err());
    assert!(save_model(root.path(), ModelCard { id: "../x".into(), ..card(b"") }, b"").is_err());
}

fn checkpoint(step: u64) -> Checkpoint {
    let weights = step.to_le_bytes().repeat(100);
    let card = ModelCard { steps: step, ..card(&weights) };
    let trainer = serde_json::json!({"step": step, "rate": 0.1, "seed": u64::MAX});
    Checkpoint { card, weights, optimizer: vec![step as u8; 333], trainer }
}

#[test]
fn the_newest_whole_checkpoint_is_found_and_broken_ones_are_named() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path();
    assert!(newest_checkpoint(&dir.join("none")).unwrap().found.is_none());
    for step in [90, 100, 1000, 20000] {
        save_checkpoint(dir, &checkpoint_name(step), &checkpoint(step)).unwrap();
    }
    let newest = newest_checkpoint(dir).unwrap();
    let (name, found) = newest.found.unwrap();
    assert_eq!((name, newest.broken.len()), (checkpoint_name(20000), 0));
    assert_eq!((found.trainer, found.weights.len()), (checkpoint(20000).trainer, 800));

    let optimizer = dir.join(checkpoint_name(20000)).join("optimizer.bin");
    std::fs::write(&optimizer, vec![9; 333]).unwrap();
    std::fs::remove_file(dir.join(checkpoint_name(1000)).join("trainer.json")).unwrap();
    std::fs::write(dir.join("zzz a stray file"), b"x").unwrap();
    let newest = newest_checkpoint(dir).unwrap();
    assert_eq!(newest.found.unwrap().0, checkpoint_name(100));
    let broken: Vec<String> = newest.broken.iter().map(|e| e.to_string()).collect();
    assert!(broken.len() == 3 && broken[1].contains("optimizer.bin") && broken[1].contains("checksum"), "{broken:?}");
    assert!(broken[2].contains("trainer.json"), "{broken:?}");
    // Saved again under the same name.
    save_checkpoint(dir, &checkpoint_name(20000), &checkpoint(20000)).unwrap();
    assert_eq!(load_checkpoint(&dir.join(checkpoint_name(20000))).unwrap().optimizer, checkpoint(20000).optimizer);
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 5, "nothing is left beside");
}

#[test]
fn every_flipped_byte_of_a_checkpoint_is_noticed() {
    let root = tempfile::tempdir().unwrap();
    let dir = save_checkpoint(root.path(), "c", &checkpoint(7)).unwrap();
    let whole = load_checkpoint(&dir).unwrap();
    for entry in std::fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        let before = std::fs::read(&path).unwrap();
        for at in (0..before.len()).step_by(29) {
            let mut bytes = before.clone();
            bytes[at] ^= 1 << (at % 7);
            std::fs::write(&path, &bytes).unwrap();
            // White space and the program's name in the manifest may change without a change of content.
            assert!(load_checkpoint(&dir).map_or(true, |c| c == whole), "{} byte {at}", path.display());
        }
        std::fs::write(&path, &before[..before.len() / 2]).unwrap();
        assert!(load_checkpoint(&dir).is_err(), "{} cut", path.display());
        std::fs::write(&path, &before).unwrap();
    }
    let newer = String::from_utf8(std::fs::read(dir.join("checkpoint.json")).unwrap()).unwrap();
    std::fs::write(dir.join("checkpoint.json"), newer.replacen("\"version\": 1", "\"version\": 2", 1)).unwrap();
    assert!(matches!(newest_checkpoint(root.path()), Err(CardError::Newer { found: 2, .. })));
}
