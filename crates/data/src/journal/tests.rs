//! Journals that were torn, damaged, foreign, on a full disk, or left by a killed process.

use std::io::{BufRead, BufReader, Cursor};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use super::*;
use crate::samples;

fn open(path: &Path) -> Journal {
    Journal::open(path, "batch 7", Sync::EachGame).unwrap()
}

#[test]
fn games_survive_reopening_and_seal_into_the_same_shard_in_any_order() {
    let dir = tempfile::tempdir().unwrap();
    let games = samples::games(9);
    let mut names = Vec::new();
    for (round, step) in [1, 2, 4].into_iter().enumerate() {
        let path = dir.path().join(format!("{round}.journal"));
        for i in 0..9 {
            // A new process per game.
            open(&path).append(&games[(i * step + 3) % 9]).unwrap();
        }
        let mut journal = open(&path);
        assert_eq!((journal.len(), journal.recovery().dropped_bytes), (9, 0));
        assert_eq!(journal.records().unwrap(), games);
        let again = journal.append(&games[4]).unwrap_err();
        assert!(matches!(again, JournalError::Duplicate { index: 4, .. }), "{again}");
        let shards = journal.seal(dir.path(), "it", 9, usize::MAX).unwrap();
        assert!(!path.exists());
        assert_eq!(shard::read_shard(&shards[0].path).unwrap(), games);
        names.push(shards);
    }
    assert_eq!((&names[0], &names[1]), (&names[1], &names[2]));
}

#[test]
fn sealing_splits_by_rows_and_refuses_too_early() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.journal");
    let games = samples::games(12);
    let mut journal = open(&path);
    games[..11].iter().for_each(|g| journal.append(g).unwrap());
    let early = journal.seal(dir.path(), "it", 12, 20).unwrap_err();
    assert!(early.to_string().contains("11 games of 12"), "{early}");
    let mut journal = open(&path);
    journal.append(&games[11]).unwrap();
    let shards = journal.seal(dir.path(), "it", 12, 20).unwrap();
    assert!(shards.len() > 2 && shards.iter().all(|s| s.rows <= 20 || s.games == 1));
    let read: Vec<_> = shards.iter().flat_map(|s| shard::read_shard(&s.path).unwrap()).collect();
    assert_eq!(read, games);
    let chunks = shard::chunks(&games, 20);
    assert_eq!(
        chunks.iter().map(|c| c.len() as u64).collect::<Vec<_>>(),
        shards.iter().map(|s| s.games).collect::<Vec<_>>()
    );
}

#[test]
fn a_tail_torn_at_any_byte_is_dropped_and_the_rest_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.journal");
    let games = samples::games(4);
    let mut ends = Vec::new();
    let mut journal = open(&path);
    for game in &games {
        ends.push(journal.len);
        journal.append(game).unwrap();
    }
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(count_games(&path).unwrap(), 4);
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(count_games(&path).unwrap(), 3);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), whole.len() as u64 - 1, "counting changes nothing");
    for cut in (ends[0] as usize..whole.len()).step_by(331) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let kept = ends.iter().filter(|&&e| e > ends[0] && e as usize <= cut).count();
        let mut journal = open(&path);
        assert_eq!(journal.recovery(), &Recovery { games: kept, dropped_bytes: cut as u64 - ends[kept] });
        // What was lost is played and appended again.
        games[kept..].iter().for_each(|g| journal.append(g).unwrap());
        assert_eq!(journal.records().unwrap(), games);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
    // A flipped bit ends the intact part where it is.
    for at in (ends[0] as usize..whole.len()).step_by(101) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).unwrap();
        let kept = ends.iter().filter(|&&e| e > ends[0] && e as usize <= at).count();
        assert_eq!(open(&path).len(), kept, "bit flip at {at}");
    }
}

#[test]
fn foreign_files_and_other_batches_are_refused_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.journal");
    let mut damaged = [&MAGIC[..], &frame(b"batch 7")].concat();
    damaged[15] ^= 1;
    for bytes in [&b""[..], b"hello, world: a text", b"tengenJ2abc", b"tengenJ1", &damaged] {
        std::fs::write(&path, bytes).unwrap();
        let error = Journal::open(&path, "batch 7", Sync::EachGame).unwrap_err();
        assert!(matches!(error, JournalError::Foreign { .. }) && error.to_string().contains("a.journal"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(count_games(&path).unwrap(), 0);
    }
    std::fs::remove_file(&path).unwrap();
    open(&path).append(&samples::game(1, 3)).unwrap();
    let error = Journal::open(&path, "batch 8", Sync::EachGame).unwrap_err();
    assert!(error.to_string().contains("`batch 7`, not to `batch 8`"), "{error}");
    assert_eq!(open(&path).len(), 1);
    assert!(Journal::open(dir.path(), "batch 7", Sync::EachGame).is_err());
}

/// A file with little room.
struct Small {
    data: Arc<Mutex<Vec<u8>>>,
    at: u64,
    room: usize,
}

impl Read for Small {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let data = self.data.lock().unwrap();
        let mut cursor = Cursor::new(&data[..]);
        cursor.set_position(self.at);
        let n = cursor.read(buf)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Write for Small {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let mut data = self.data.lock().unwrap();
        let n = buf.len().min(self.room.saturating_sub(self.at as usize));
        if n == 0 && !buf.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let end = self.at as usize + n;
        if data.len() < end {
            data.resize(end, 0);
        }
        data[self.at as usize..end].copy_from_slice(&buf[..n]);
        self.at = end as u64;
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Small {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else { unreachable!("the journal seeks from the start") };
        self.at = at;
        Ok(at)
    }
}

impl Backing for Small {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.data.lock().unwrap().truncate(len as usize);
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.journal");
    let mut journal = open(&path);
    journal.append(&samples::game(1, 5)).unwrap();
    let data = Arc::new(Mutex::new(std::fs::read(&path).unwrap()));
    let before = data.lock().unwrap().clone();
    journal.file = Box::new(Small { data: data.clone(), at: 0, room: before.len() + 700 });
    let error = journal.append(&samples::game(2, 9)).unwrap_err().to_string();
    assert!(error.contains("a.journal") && error.contains("bytes)"), "{error}");
    assert_eq!(*data.lock().unwrap(), before);
    // Space returns.
    journal.file = Box::new(Small { data: data.clone(), at: 0, room: usize::MAX });
    journal.append(&samples::game(2, 9)).unwrap();
    std::fs::write(&path, &*data.lock().unwrap()).unwrap();
    assert_eq!(open(&path).records().unwrap(), [samples::game(1, 5), samples::game(2, 9)]);
}

const CHILD_PATH: &str = "TENGEN_TEST_JOURNAL";

#[test]
#[ignore = "the process that `a_killed_process_loses_no_finished_game` starts and kills"]
fn child_appends_until_killed() {
    let Some(path) = std::env::var_os(CHILD_PATH) else { return };
    let mut journal = Journal::open(Path::new(&path), "batch 7", Sync::EachGames(1000)).unwrap();
    for index in (0..).filter(|i| i % 2 == 0) {
        if !journal.has(index) {
            journal.append(&samples::game(index, 11)).unwrap();
            println!("done {index}");
        }
    }
}

#[test]
fn a_killed_process_loses_no_finished_game() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.journal");
    let mut told = Vec::new();
    for kill_after in [1, 17, 40] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "journal::tests::child_appends_until_killed", "--ignored", "--nocapture"])
            .env(CHILD_PATH, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        told.extend(lines.filter_map(|l| l.strip_prefix("done ")?.parse::<u64>().ok()).take(kill_after));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut journal = open(&path);
        assert!(told.iter().all(|&i| journal.has(i)), "{told:?}");
        assert!(journal.records().unwrap().iter().all(|r| *r == samples::game(r.index, 11)));
    }
    assert_eq!(told.len(), 58);
}
