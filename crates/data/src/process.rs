//! Who a process is, well enough to tell later whether it still runs: a process id alone is used again, so its start
//! time in kernel ticks and the boot it belongs to go with it. Not here: the lock that stores it (see `lock`).

use std::fs;

use serde::{Deserialize, Serialize};

/// A process, as written into lock files and the names of temporaries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Host name; empty if unknown.
    pub host: String,
    /// Id of the running boot; empty where the system has none.
    pub boot: String,
    /// Namespace of process ids (containers have their own); empty where the system has none.
    pub namespace: String,
    /// Start of the process in kernel ticks since boot; none where the system doesn't tell.
    pub start_ticks: Option<u64>,
}

/// Whether a process still runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// It runs.
    Alive,
    /// It is gone; says how we know.
    Gone(String),
    /// It can't be asked from here; says why.
    Unknown(String),
}

fn line(path: &str) -> String {
    fs::read_to_string(path).map(|t| t.trim().to_string()).unwrap_or_default()
}

fn host_name() -> String {
    let kernel = line("/proc/sys/kernel/hostname");
    if !kernel.is_empty() {
        return kernel;
    }
    ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|v| std::env::var(v).ok()).unwrap_or_default()
}

/// State letter and start ticks (fields 3 and 22 of proc(5) `stat`); the name between them may hold anything.
fn stat(pid: u32) -> Option<(char, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text[text.rfind(')')? + 1..].split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

impl Process {
    /// The running process.
    pub fn this() -> Process {
        let pid = std::process::id();
        Process {
            pid,
            host: host_name(),
            boot: line("/proc/sys/kernel/random/boot_id"),
            namespace: fs::read_link("/proc/self/ns/pid").map(|p| p.display().to_string()).unwrap_or_default(),
            start_ticks: stat(pid).map(|(_, ticks)| ticks),
        }
    }

    /// Whether it still runs, as far as this host can tell.
    pub fn liveness(&self) -> Liveness {
        let here = Process::this();
        if self.host != here.host {
            return Liveness::Unknown(format!("host {} can't be asked from {}", self.host, here.host));
        }
        if self.boot != here.boot {
            return Liveness::Gone(format!("host {} has restarted since", self.host));
        }
        if self.namespace != here.namespace {
            return Liveness::Unknown("it runs in another container of this host".to_string());
        }
        match stat(self.pid) {
            Some(('Z' | 'X', _)) => Liveness::Gone(format!("process {} has ended", self.pid)),
            Some((_, ticks)) if self.start_ticks.is_some_and(|t| t != ticks) => {
                Liveness::Gone(format!("process id {} belongs to another process now", self.pid))
            }
            Some(_) => Liveness::Alive,
            None if here.start_ticks.is_some() => Liveness::Gone(format!("no process {} runs", self.pid)),
            None => Liveness::Unknown("this system doesn't tell which processes run".to_string()),
        }
    }

    /// A tag for file names that no other process has: `<place>-<boot>-<pid>-<ticks>`, the first two as eight hex
    /// digits; the place is the host and its namespace.
    pub fn tag(&self) -> String {
        format!("{}-{}-{}-{}", self.place(), short(&self.boot), self.pid, self.start_ticks.unwrap_or(0))
    }

    fn place(&self) -> String {
        short(&format!("{}\n{}", self.host, self.namespace))
    }

    /// Whether the process that made `tag` is known to be gone; none if the text is no tag.
    pub fn tag_is_gone(&self, tag: &str) -> Option<bool> {
        let parts: Vec<&str> = tag.split('-').collect();
        let &[place, boot, pid, ticks] = parts.as_slice() else { return None };
        let (pid, ticks) = (pid.parse().ok()?, ticks.parse::<u64>().ok()?);
        if place.len() != 8 || boot.len() != 8 {
            return None;
        }
        if place != self.place() {
            return Some(false);
        }
        let maker = Process { pid, start_ticks: (ticks != 0).then_some(ticks), ..self.clone() };
        Some(boot != short(&self.boot) || matches!(maker.liveness(), Liveness::Gone(_)))
    }
}

fn short(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..8].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn dead_reused_and_foreign_processes_are_told_apart() {
        let this = Process::this();
        assert_eq!(this.liveness(), Liveness::Alive);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        let dead = Process { pid, start_ticks: Some(1), ..this.clone() };
        assert!(matches!(dead.liveness(), Liveness::Gone(_)));
        let reused = Process { start_ticks: this.start_ticks.map(|t| t + 1), ..this.clone() };
        assert!(matches!(reused.liveness(), Liveness::Gone(why) if why.contains("another process")));
        let rebooted = Process { boot: "x".into(), ..this.clone() };
        assert!(matches!(rebooted.liveness(), Liveness::Gone(_)));
        let foreign = Process { host: "elsewhere".into(), ..this.clone() };
        assert!(matches!(foreign.liveness(), Liveness::Unknown(_)));
        assert_ne!(this.tag(), reused.tag());
        let gone = |p: &Process| this.tag_is_gone(&p.tag());
        assert_eq!((gone(&this), gone(&dead), gone(&reused)), (Some(false), Some(true), Some(true)));
        assert_eq!((gone(&rebooted), gone(&foreign)), (Some(true), Some(false)));
        assert_eq!(this.tag_is_gone("not-a-tag"), None);
    }
}
