//! Atomic files: whole or absent, under errors, in competition, under odd names.

use std::io;
use std::path::Path;

use tengen_data::store::{self, create_once, read_capped, sweep_temps, write_atomic, write_atomic_with};

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_temporary() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("碁 набор é.bin");
    write_atomic(&path, b"old").unwrap();
    let error = write_atomic_with(&path, 5000, |file| {
        file.write_all(&[7; 2500])?;
        Err(io::ErrorKind::StorageFull.into())
    })
    .unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&format!("can't write {} (5000 bytes): ", path.display())), "{text}");
    assert_eq!((std::fs::read(&path).unwrap(), names(dir.path()).len()), (b"old".to_vec(), 1));
    write_atomic(&path, b"new").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    // The last step fails: a directory is in the way.
    let blocked = dir.path().join("blocked");
    std::fs::create_dir_all(blocked.join("x")).unwrap();
    assert!(write_atomic(&blocked, b"x").is_err());
    assert!(write_atomic(&path.join("below a file"), b"x").unwrap_err().to_string().contains("below a file"));
    assert_eq!(names(dir.path()), ["blocked", "碁 набор é.bin"]);
}

#[test]
fn writers_in_competition_leave_one_whole_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let wins: usize = std::thread::scope(|s| {
        let threads: Vec<_> = (0..8u8)
            .map(|i| {
                let path = &path;
                s.spawn(move || {
                    for _ in 0..20 {
                        write_atomic(path, &vec![i; 10_000]).unwrap();
                        let seen = std::fs::read(path).unwrap();
                        assert!(seen.len() == 10_000 && seen.iter().all(|b| *b == seen[0]));
                    }
                    usize::from(create_once(&path.with_extension("once"), &[i]).unwrap())
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!((wins, names(dir.path())), (1, vec!["file".to_string(), "file.once".to_string()]));
}

#[test]
fn only_regular_files_of_a_fitting_size_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, [1; 100]).unwrap();
    assert_eq!(read_capped(&path, 100).unwrap().len(), 100);
    assert!(read_capped(&path, 99).unwrap_err().to_string().contains("100 bytes, at most 99"));
    assert!(read_capped(dir.path(), 99).unwrap_err().to_string().contains("regular"));
    assert!(read_capped(&path.with_extension("no"), 99).is_err());
    if cfg!(unix) {
        assert!(read_capped(Path::new("/dev/zero"), 99).unwrap_err().to_string().contains("regular"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn leftovers_of_dead_processes_are_swept_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let this = tengen_data::process::Process::this();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let dead = tengen_data::process::Process { pid: child.id(), start_ticks: Some(1), ..this.clone() };
    let foreign = tengen_data::process::Process { host: "elsewhere".into(), ..dead.clone() };
    let file = |name: String| std::fs::write(dir.path().join(name), b"x").unwrap();
    file(format!(".model.{}-0.tmp", dead.tag()));
    file(format!(".mine.{}-1.tmp", this.tag()));
    file(format!(".theirs.{}-1.tmp", foreign.tag()));
    ["plain", ".hidden", ".vim.tmp", "x.tmp", ".a.1-2-3-4.tmp"].into_iter().for_each(|n| file(n.to_string()));
    // A half-written directory with a link out of it: the link goes, its target stays.
    let half = dir.path().join(format!(".dir.{}-2.tmp", dead.tag()));
    std::fs::create_dir(&half).unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("precious"), b"x").unwrap();
    std::os::unix::fs::symlink(outside.path(), half.join("link")).unwrap();
    let swept = sweep_temps(dir.path()).unwrap();
    assert_eq!((swept.removed.len(), swept.kept.len()), (2, 2));
    assert_eq!(names(dir.path()).len(), 7);
    assert!(outside.path().join("precious").exists());
    assert_eq!(store::list(dir.path()).unwrap(), ["plain", "x.tmp"]);
    assert_eq!(sweep_temps(&dir.path().join("missing")).unwrap(), store::Swept::default());
}
