//! The run directory: layout, promotion, lock, retention, metrics.

use std::fs;

use serde_json::json;
use tengen_data::lock::{LockError, LockInfo};
use tengen_data::process::Process;
use tengen_data::retention::Expired;
use tengen_data::rundir::{checkpoint_name, checkpoint_step};
use tengen_data::{
    MetricsLog, ModelCard, Retention, RunDir, RunLock, read_metrics, rewind_metrics, save_model, write_shard,
};

use crate::samples;

fn run(root: &tempfile::TempDir) -> RunDir {
    RunDir::create(root.path().join("碁 набор é")).unwrap()
}

#[test]
fn promotion_is_a_pointer_that_must_point_somewhere() {
    let root = tempfile::tempdir().unwrap();
    let run = run(&root);
    assert_eq!(run.read_promoted().unwrap(), None);
    assert!(run.promote("nowhere", json!({})).unwrap_err().to_string().contains("no such model"));
    for id in ["a", "b"] {
        save_model(&run.models(), ModelCard { id: id.into(), ..ModelCard::default() }, id.as_bytes()).unwrap();
        run.promote(id, json!({"elo": 12.5})).unwrap();
    }
    let promoted = run.read_promoted().unwrap().unwrap();
    assert_eq!((promoted.model.as_str(), promoted.previous.as_deref(), promoted.count), ("b", Some("a"), 2));
    for (model, expect) in [("../../etc", "separator"), ("", "empty"), ("a\nb", "control")] {
        let text = json!({"version": 1, "model": model, "previous": null, "count": 1, "verdict": null});
        fs::write(run.promoted(), text.to_string()).unwrap();
        let error = run.read_promoted().unwrap_err().to_string();
        assert!(error.contains(expect) && error.contains("promoted.json"), "{error}");
    }
    fs::write(run.promoted(), "{\"version\": 2}").unwrap();
    assert!(run.read_promoted().unwrap_err().to_string().contains("version 2"));
    fs::write(run.promoted(), "{\"version\"").unwrap();
    assert!(run.read_promoted().unwrap_err().to_string().contains("promoted.json"));
    assert!(run.model("../x").is_err() && run.checkpoint("/x").is_err());
}

#[test]
fn shards_are_listed_by_iteration_and_name_whatever_the_clock_says() {
    let root = tempfile::tempdir().unwrap();
    let run = run(&root);
    for iteration in [12, 2, 100] {
        fs::create_dir(run.iteration(iteration)).unwrap();
        for part in 0..2 {
            write_shard(&run.iteration(iteration), &format!("part{part}"), &samples::games(3 + part)).unwrap();
        }
        fs::write(run.iteration(iteration).join("open.journal"), b"").unwrap();
        fs::write(run.iteration(iteration).join(".x.npz"), b"").unwrap();
    }
    let shards = run.shards().unwrap();
    let order: Vec<String> =
        shards.iter().map(|p| p.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(order, ["000002", "000002", "000012", "000012", "000100", "000100"]);
    assert!(shards[0].file_name() < shards[1].file_name());
    assert_eq!(checkpoint_step(&checkpoint_name(123)), Some(123));
    assert_eq!((checkpoint_step("step-"), checkpoint_step("step-x"), checkpoint_step("mine")), (None, None, None));
}

#[test]
fn retention_never_takes_what_the_window_or_the_pointer_needs() {
    let rule = Retention { keep_rows: 100, keep_checkpoints: 2, milestone_steps: 50, keep_models: 1 };
    for (rows, window, expect) in [
        (&[60u64, 60, 60][..], 0, 1),
        (&[60, 60, 60], 121, 0),
        (&[60, 60, 60], 1000, 0),
        (&[60, 0, 100], 0, 2),
        (&[], 50, 0),
        (&[u64::MAX, u64::MAX, u64::MAX], u64::MAX, 2),
    ] {
        assert_eq!(rule.expired_shards(rows, window), expect, "{rows:?} {window}");
        let kept: u64 = rows[expect..].iter().fold(0, |a, b| a.saturating_add(*b));
        let all: u64 = rows.iter().fold(0, |a, b| a.saturating_add(*b));
        assert!(kept >= window.max(100).min(all));
    }
    let names: Vec<String> =
        [10, 50, 60, 70, 80].map(checkpoint_name).into_iter().chain(["zz by hand".to_string()]).collect();
    assert_eq!(rule.expired_checkpoints(&names, &[]), [checkpoint_name(10), checkpoint_name(60), checkpoint_name(70)]);
    assert_eq!(rule.expired_checkpoints(&names, &[checkpoint_name(60)]), [checkpoint_name(10), checkpoint_name(70)]);
    assert!(Retention::default().expired_checkpoints(&names[..4], &[]).is_empty());
    let keep_all = Retention { keep_rows: 0, keep_checkpoints: 0, milestone_steps: 0, keep_models: 0 };
    assert!(keep_all.expired_checkpoints(&names, &[]).is_empty() && keep_all.expired_shards(&[5, 5], 1) == 0);
}

#[test]
fn retention_deletes_exactly_what_it_lists() {
    let root = tempfile::tempdir().unwrap();
    let run = run(&root);
    let mut shards = Vec::new();
    for iteration in 0..4 {
        fs::create_dir(run.iteration(iteration)).unwrap();
        shards.push(write_shard(&run.iteration(iteration), "it", &samples::games(9)).unwrap());
    }
    for id in ["a", "b", "c", "d", "e"] {
        save_model(&run.models(), ModelCard { id: id.into(), ..ModelCard::default() }, id.as_bytes()).unwrap();
    }
    run.promote("a", json!(null)).unwrap();
    run.promote("b", json!(null)).unwrap();
    let broken = run.iteration(3).join("zz-broken.npz");
    fs::write(&broken, b"text").unwrap();
    let rule = Retention { keep_rows: shards[0].rows + 1, keep_models: 1, ..Retention::default() };
    let expect = Expired {
        shards: shards[..2].iter().map(|s| s.path.clone()).collect(),
        checkpoints: vec![],
        models: vec![run.models().join("d")],
        unreadable: vec![broken.clone()],
    };
    assert_eq!(rule.expired(&run, 0, &["c".into()], &[]).unwrap(), expect);
    assert_eq!(rule.apply(&run, 0, &["c".into()], &[]).unwrap(), expect);
    let left: Vec<_> = shards[2..].iter().map(|s| s.path.clone()).chain([broken]).collect();
    assert_eq!(run.shards().unwrap(), left);
    assert_eq!(run.model_ids().unwrap(), ["a", "b", "c", "e"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_live_lock_is_refused_and_a_stale_one_taken_over() {
    let root = tempfile::tempdir().unwrap();
    let run = run(&root);
    let path = run.lock();
    let lock = RunLock::take(&path, "training", 5).unwrap();
    assert!(lock.is_held() && lock.taken_over().is_none());
    let error = RunLock::take(&path, "training", 6).unwrap_err();
    let (pid, this) = (std::process::id(), Process::this());
    assert!(error.to_string().contains(&format!("in use by process {pid} on {}", this.host)), "{error}");
    drop(lock);
    assert!(!path.exists());

    let write = |process: Process| {
        let info = LockInfo { process, since: 0, purpose: "training".into() };
        fs::write(&path, serde_json::to_vec(&info).unwrap()).unwrap();
    };
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let dead = Process { pid: child.id(), start_ticks: Some(1), ..this.clone() };
    let reused = Process { start_ticks: Some(1), ..this.clone() };
    let rebooted = Process { boot: "earlier".into(), ..this.clone() };
    for (process, expect) in [(dead, "no process"), (reused, "another process"), (rebooted, "restarted")] {
        write(process);
        let lock = RunLock::take(&path, "training", 7).unwrap();
        assert!(lock.taken_over().unwrap().contains(expect), "{:?}", lock.taken_over());
        assert!(lock.is_held());
    }
    write(Process { host: "node7".into(), ..this.clone() });
    let error = RunLock::take(&path, "training", 8).unwrap_err();
    assert!(matches!(error, LockError::Unsure { .. }) && error.to_string().contains("on node7"), "{error}");
    write(Process { namespace: "pid:[1]".into(), ..this });
    assert!(matches!(RunLock::take(&path, "training", 8), Err(LockError::Unsure { .. })));
    for text in ["", "123", "{"] {
        fs::write(&path, text).unwrap();
        let error = RunLock::take(&path, "training", 9).unwrap_err();
        assert!(matches!(error, LockError::Damaged { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn of_many_that_find_a_stale_lock_one_gets_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("lock");
    for round in 0..10 {
        let stale = Process { start_ticks: Some(1), ..Process::this() };
        let info = LockInfo { process: stale, since: 0, purpose: "training".into() };
        fs::write(&path, serde_json::to_vec(&info).unwrap()).unwrap();
        let taken: Vec<RunLock> = std::thread::scope(|s| {
            let threads: Vec<_> = (0..8)
                .map(|i| {
                    let path = &path;
                    s.spawn(move || RunLock::take(path, &format!("trainer {i}"), round).ok())
                })
                .collect();
            threads.into_iter().filter_map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(taken.len(), 1);
        assert!(taken[0].is_held());
        drop(taken);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }
}

#[test]
fn metrics_survive_a_torn_line_and_can_be_wound_back() {
    let root = tempfile::tempdir().unwrap();
    let path = run(&root).metrics();
    let mut log = MetricsLog::open(&path).unwrap();
    (1..=5).for_each(|step| log.append(&json!({"step": step, "loss": 0.5})).unwrap());
    log.sync().unwrap();
    assert!(log.append(&json!([1])).is_err());
    drop(log);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], b"{\"step\": 6, \"lo"].concat()).unwrap();
    assert_eq!(read_metrics(&path).unwrap().len(), 5);
    let dropped = rewind_metrics(&path, |e| e["step"].as_u64() <= Some(3)).unwrap();
    assert_eq!(dropped, 2);
    MetricsLog::open(&path).unwrap().append(&json!({"step": 4})).unwrap();
    let steps: Vec<u64> = read_metrics(&path).unwrap().iter().map(|e| e["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, [1, 2, 3, 4]);
    fs::write(&path, [&whole[..], b"{\"step\": 6, \"lo"].concat()).unwrap();
    MetricsLog::open(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
    fs::write(&path, "{}\nnonsense\n{}\n").unwrap();
    assert!(read_metrics(&path).unwrap_err().to_string().contains("line 2"));
    assert_eq!(rewind_metrics(&root.path().join("none"), |_| true).unwrap(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_stops_metrics_with_path_and_bytes() {
    let mut log = MetricsLog::open(std::path::Path::new("/dev/full")).unwrap();
    let error = log.append(&json!({"step": 1})).unwrap_err().to_string();
    assert!(error.contains("/dev/full (11 bytes)"), "{error}");
}

#[test]
fn sweeping_covers_every_directory() {
    let root = tempfile::tempdir().unwrap();
    let run = run(&root);
    fs::create_dir(run.iteration(1)).unwrap();
    if !cfg!(target_os = "linux") {
        return;
    }
    let dead = Process { start_ticks: Some(1), ..Process::this() };
    for dir in [run.root().to_path_buf(), run.iteration(1), run.models(), run.checkpoints(), run.sgf()] {
        fs::write(dir.join(format!(".x.{}-0.tmp", dead.tag())), b"x").unwrap();
    }
    assert_eq!(run.sweep().unwrap().removed.len(), 5);
}
