//! `doctor`: is this machine ready? Cores, instructions, devices, memory, disk, a write and a network evaluation that
//! is compared between the two evaluators. Exit 0 when everything a default run needs is there. Not here: speed.

use std::process::ExitCode;

use anyhow::Result;
use tengen_net::fused::FusedNet;
use tengen_net::{BurnNet, NetConfig, RawBatch, RawEvaluator, RawOutput, Weights};

/// Checks and prints one line each.
pub fn run() -> Result<ExitCode> {
    say!("{}", crate::version::long());
    let mut fine = true;
    let mut line = |what: &str, result: std::result::Result<String, String>| {
        match result {
            Ok(words) => say!("ok    {what}: {words}"),
            Err(words) => {
                fine = false;
                say!("FAIL  {what}: {words}");
            }
        };
    };
    let cores = std::thread::available_parallelism().map(|n| n.get()).map_err(|e| e.to_string());
    line("cores", cores.map(|n| n.to_string()));
    line("instructions", Ok(instructions()));
    line("devices", Ok(tengen_net::device_names().join(", ")));
    line("memory", memory());
    line("current directory", writable());
    line("network", network());
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn instructions() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let has = [
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("fma", std::arch::is_x86_feature_detected!("fma")),
            ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ];
        let found: Vec<&str> = has.iter().filter(|h| h.1).map(|h| h.0).collect();
        if found.is_empty() {
            "none of avx2, fma: the portable evaluator is used, slower".into()
        } else {
            found.join(", ")
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        format!("{}: the portable evaluator is used", std::env::consts::ARCH)
    }
}

fn memory() -> std::result::Result<String, String> {
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return Ok("unknown on this system".into()) };
    let kib = |key: &str| {
        let line = text.lines().find(|l| l.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    let (total, free) = (kib("MemTotal:").unwrap_or(0), kib("MemAvailable:").unwrap_or(0));
    let words = format!("{:.1} GiB free of {:.1}", free as f64 / 1048576.0, total as f64 / 1048576.0);
    if free > 500 * 1024 { Ok(words) } else { Err(format!("{words}; a default run needs about 500 MiB")) }
}

fn writable() -> std::result::Result<String, String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let probe = here.join(".tengen-doctor");
    tengen_data::write_atomic(&probe, b"probe").map_err(|e| e.to_string())?;
    std::fs::remove_file(&probe).map_err(|e| e.to_string())?;
    Ok(format!("{} is writable", here.display()))
}

/// The fused pass and Burn must agree on random weights.
fn network() -> std::result::Result<String, String> {
    let net = NetConfig::preset("b2c32", 3, 1, 1).map_err(|e| e.to_string())?;
    let weights = Weights::random(&net, 1).map_err(|e| e.to_string())?;
    let area = 81;
    let planes = (0..3 * area).map(|i| f32::from(u8::from(i % 5 == 0))).collect();
    let batch = RawBatch { n: 1, height: 9, width: 9, planes, globals: vec![1.0], mask: vec![1.0; area] };
    let (mut a, mut b) = (RawOutput::default(), RawOutput::default());
    FusedNet::new(&|name| weights.get(name))?.run(&batch, &mut a)?;
    BurnNet::new(&weights, tengen_net::device("flex")?, "flex").run(&batch, &mut b)?;
    let gap = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(p, q)| (p - q).abs()).fold(0.0f32, f32::max);
    let worst = gap(&a.policy, &b.policy).max(gap(&a.wdl, &b.wdl)).max(gap(&a.extra, &b.extra));
    let words = format!("fused and flex differ by at most {worst:.1e}");
    if worst < 1e-4 { Ok(words) } else { Err(words) }
}
