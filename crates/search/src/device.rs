//! One device for the evaluators of many threads: they send encoded positions as parcels, a desk merges what has come in
//! while the device computes, and the device always goes on with all of that at once.
//!
//! Two threads stand behind a [`SharedDevice`]. The *device thread* makes the device, owns it and runs one batch after
//! another; the *desk* appends parcels to the next batch meanwhile, hands it over the moment the device is free, and only
//! then deals out the results of the last one. So two batches are always in hand, and the device waits for nothing but
//! a lack of work. A batch is never held back in the hope of more: what one thread sends alone runs alone, so games that
//! end unevenly can't block one another, and a busy device fills its batches by itself, for all others queue up
//! meanwhile. Threads keep it busy by having more than one parcel on the way ([`crate::Evaluator::lanes`]).
//!
//! It lies here, beside the interface that it serves, because both networks and drivers of games may use this crate and
//! neither the other; what travels is a type of the network's. Deliberately not here: what a parcel holds, games, and
//! any promise that a device rounds a position's numbers alike in batches of different sizes.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, Sender};

/// Some positions on their way to a device, and their results on the way back. Also a whole batch of them.
pub trait Parcel: Default + Send + 'static {
    /// Positions in it.
    fn rows(&self) -> usize;

    /// Whether it can travel in the same batch as `batch`, which isn't empty.
    fn joins(&self, batch: &Self) -> bool;

    /// Adds the inputs of `parcel`, which joins or is the first.
    fn append(&mut self, parcel: &Self);

    /// Takes the results of its own rows from `batch`, where they begin at row `first`.
    fn take(&mut self, batch: &Self, first: usize);

    /// Empties it for reuse.
    fn clear(&mut self);
}

/// What a device has done so far, for all who share it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceUse {
    /// Batches run.
    pub batches: u64,
    /// Positions in them.
    pub rows: u64,
    /// Seconds spent in running them, copies to and from the device included; the rest of the time it waited for work.
    pub busy: f64,
}

impl DeviceUse {
    /// What was added since `earlier`.
    pub fn since(self, earlier: DeviceUse) -> DeviceUse {
        DeviceUse {
            batches: self.batches.saturating_sub(earlier.batches),
            rows: self.rows.saturating_sub(earlier.rows),
            busy: (self.busy - earlier.busy).max(0.0),
        }
    }
}

#[derive(Debug, Default)]
struct Counters {
    batches: AtomicU64,
    rows: AtomicU64,
    busy_ns: AtomicU64,
}

impl Counters {
    fn add(&self, rows: usize, busy: Duration) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        self.busy_ns.fetch_add(busy.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// A parcel that waits for its results. One that is dropped without them says so: nobody waits for ever.
struct Sent<P> {
    parcel: P,
    reply: Option<Sender<Result<P, String>>>,
}

impl<P: Parcel> Sent<P> {
    fn answer(mut self, result: Result<(), String>) {
        let parcel = std::mem::take(&mut self.parcel);
        if let Some(reply) = self.reply.take() {
            // Whoever asked may have gone: a stopped run drops games that wait.
            let _ = reply.send(result.map(|()| parcel));
        }
    }
}

impl<P> Drop for Sent<P> {
    fn drop(&mut self) {
        if let Some(reply) = self.reply.take() {
            let _ = reply.send(Err("the device's thread has ended".to_string()));
        }
    }
}

/// A device in a thread of its own. The threads end when this and all clients are gone.
pub struct SharedDevice<P> {
    desk: Sender<Sent<P>>,
    counters: Arc<Counters>,
}

impl<P> fmt::Debug for SharedDevice<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedDevice").field("counters", &self.counters).finish_non_exhaustive()
    }
}

impl<P: Parcel> SharedDevice<P> {
    /// Starts the device: `make` is called on the device's thread, and so is what it gives, once per batch. A batch is
    /// closed before it would exceed `rows_max` positions (a larger parcel goes alone). Errors: those of `make`, a panic
    /// in it, no thread.
    ///
    /// After the first error or panic of the device every parcel is answered with it: its state can't be trusted.
    pub fn start<D, M>(make: M, rows_max: usize) -> Result<SharedDevice<P>, String>
    where
        D: FnMut(&mut P) -> Result<(), String>,
        M: FnOnce() -> Result<D, String> + Send + 'static,
    {
        let counters = Arc::new(Counters::default());
        let (ready_send, ready) = channel::bounded(1);
        let (work, work_receive) = channel::bounded(1);
        let (done_send, done) = channel::bounded(1);
        let (desk, parcels) = channel::unbounded();
        let count = counters.clone();
        let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
            let spawned = std::thread::Builder::new().name(name.to_string()).spawn(body);
            spawned.map(drop).map_err(|e| format!("no thread for the device: {e}"))
        };
        spawn("device", Box::new(move || own_device(make, &ready_send, &work_receive, &done_send, &count)))?;
        ready.recv().unwrap_or_else(|_| Err("the device's thread has ended".to_string()))?;
        spawn("device-desk", Box::new(move || Desk::new(work, rows_max).serve(parcels, &done)))?;
        Ok(SharedDevice { desk, counters })
    }

    /// A way to the device for one lane of one thread.
    pub fn client(&self) -> Client<P> {
        let (reply, answers) = channel::unbounded();
        Client { desk: self.desk.clone(), reply, answers }
    }

    /// What it has done so far.
    pub fn used(&self) -> DeviceUse {
        let load = |c: &AtomicU64| c.load(Ordering::Relaxed);
        let c = &self.counters;
        DeviceUse { batches: load(&c.batches), rows: load(&c.rows), busy: load(&c.busy_ns) as f64 * 1e-9 }
    }
}

/// Sends parcels and gets them back.
pub struct Client<P> {
    desk: Sender<Sent<P>>,
    reply: Sender<Result<P, String>>,
    answers: Receiver<Result<P, String>>,
}

impl<P> fmt::Debug for Client<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl<P: Parcel> Client<P> {
    /// Sends a parcel off; never waits.
    pub fn send(&self, parcel: P) {
        // A desk that is gone drops the parcel, and that is an answer.
        drop(self.desk.send(Sent { parcel, reply: Some(self.reply.clone()) }));
    }

    /// Waits for any parcel sent and not yet received, with its results or the device's error. There must be one.
    pub fn receive(&self) -> Result<P, String> {
        self.answers.recv().unwrap_or_else(|_| Err("the device's thread has ended".to_string()))
    }
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    format!("the device panicked: {text}")
}

/// The device thread: makes the device and runs batches until the desk is gone.
fn own_device<P, D, M>(
    make: M,
    ready: &Sender<Result<(), String>>,
    work: &Receiver<P>,
    done: &Sender<(P, Result<(), String>)>,
    counters: &Counters,
) where
    P: Parcel,
    D: FnMut(&mut P) -> Result<(), String>,
    M: FnOnce() -> Result<D, String>,
{
    let made = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|p| Err(panic_text(&*p)));
    let mut device = match made {
        Ok(device) => device,
        Err(why) => return drop(ready.send(Err(why))),
    };
    let _ = ready.send(Ok(()));
    for mut batch in work {
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| device(&mut batch))).unwrap_or_else(|p| Err(panic_text(&*p)));
        counters.add(batch.rows(), begun.elapsed());
        if done.send((batch, result)).is_err() {
            return;
        }
    }
}

/// A batch and who waits for its rows, in their order.
struct Open<P> {
    batch: P,
    from: Vec<Sent<P>>,
}

struct Desk<P> {
    work: Sender<P>,
    rows_max: usize,
    /// Batches that are being collected, oldest first: more than one where parcels don't join or a batch is full.
    open: VecDeque<Open<P>>,
    /// Who waits for the batch that the device has.
    computing: Option<Vec<Sent<P>>>,
    /// Emptied batches, for their memory.
    spare: Vec<P>,
    broken: Option<String>,
}

impl<P: Parcel> Desk<P> {
    fn new(work: Sender<P>, rows_max: usize) -> Desk<P> {
        Desk { work, rows_max, open: VecDeque::new(), computing: None, spare: Vec::new(), broken: None }
    }

    fn serve(&mut self, mut parcels: Receiver<Sent<P>>, done: &Receiver<(P, Result<(), String>)>) {
        let mut clients = true;
        while clients || self.computing.is_some() {
            channel::select! {
                recv(parcels) -> sent => match sent {
                    Ok(sent) => self.collect(sent),
                    Err(_) => {
                        clients = false;
                        parcels = channel::never();
                    }
                },
                recv(done) -> batch => match batch {
                    Ok((batch, result)) => self.deal_out(batch, result),
                    Err(_) => return,
                },
            }
        }
    }

    /// Puts a parcel into the batch that it joins, or opens one for it.
    fn collect(&mut self, sent: Sent<P>) {
        if let Some(why) = &self.broken {
            return sent.answer(Err(why.clone()));
        }
        let rows = sent.parcel.rows();
        let fits = |o: &&mut Open<P>| o.batch.rows() + rows <= self.rows_max && sent.parcel.joins(&o.batch);
        match self.open.iter_mut().find(fits) {
            Some(open) => {
                open.batch.append(&sent.parcel);
                open.from.push(sent);
            }
            None => {
                let mut batch = self.spare.pop().unwrap_or_default();
                batch.append(&sent.parcel);
                self.open.push_back(Open { batch, from: vec![sent] });
            }
        }
        self.hand_over();
    }

    /// Gives a free device the oldest batch. The oldest, not the fullest: a rare board size gets its turn.
    fn hand_over(&mut self) {
        if self.computing.is_some() {
            return;
        }
        let Some(open) = self.open.pop_front() else { return };
        self.computing = Some(open.from);
        // A device thread that is gone shows at `done`.
        let _ = self.work.send(open.batch);
    }

    /// Takes a batch back: first the device gets its next one, then the results go to whoever asked.
    fn deal_out(&mut self, mut batch: P, result: Result<(), String>) {
        let waiting = self.computing.take().unwrap_or_default();
        if let Err(why) = result {
            for sent in waiting.into_iter().chain(self.open.drain(..).flat_map(|o| o.from)) {
                sent.answer(Err(why.clone()));
            }
            self.broken = Some(why);
            return;
        }
        self.hand_over();
        let mut first = 0;
        for mut sent in waiting {
            let rows = sent.parcel.rows();
            sent.parcel.take(&batch, first);
            sent.answer(Ok(()));
            first += rows;
        }
        batch.clear();
        self.spare.push(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that come back as squares.
    #[derive(Debug, Default, PartialEq)]
    struct Numbers(Vec<u32>, Vec<u32>);

    impl Parcel for Numbers {
        fn rows(&self) -> usize {
            self.0.len()
        }
        fn joins(&self, _: &Numbers) -> bool {
            true
        }
        fn append(&mut self, parcel: &Numbers) {
            assert!(!parcel.0.contains(&666), "beastly");
            self.0.extend(&parcel.0);
        }
        fn take(&mut self, batch: &Numbers, first: usize) {
            self.1 = batch.1[first..first + self.0.len()].to_vec();
        }
        fn clear(&mut self) {
            *self = Numbers::default();
        }
    }

    fn squares(n: &mut Numbers) -> Result<(), String> {
        n.1 = n.0.iter().map(|x| x * x).collect();
        Ok(())
    }

    fn ask(client: &Client<Numbers>, numbers: &[u32]) -> Result<Vec<u32>, String> {
        client.send(Numbers(numbers.to_vec(), Vec::new()));
        client.receive().map(|n| n.1)
    }

    #[test]
    fn parcels_come_back_to_whoever_sent_them() {
        let device = SharedDevice::start(|| Ok(squares), 8).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let client = device.client();
                scope.spawn(move || {
                    for i in 0..200 {
                        assert_eq!(ask(&client, &[thread, i]), Ok(vec![thread * thread, i * i]));
                    }
                });
            }
        });
        // One who doesn't wait for the answer bothers nobody.
        device.client().send(Numbers(vec![1], Vec::new()));
        assert_eq!(ask(&device.client(), &[2, 3, 4]), Ok(vec![4, 9, 16]));
        let used = device.used();
        assert!(used.rows >= 1603 && used.batches <= 802 && used.busy > 0.0, "{used:?}");
    }

    #[test]
    fn faults_reach_those_who_wait_and_those_who_come() {
        type Make = fn() -> Result<fn(&mut Numbers) -> Result<(), String>, String>;
        let start = |make: Make| SharedDevice::<Numbers>::start(make, 8);
        assert_eq!(start(|| Err("no card".to_string())).unwrap_err(), "no card");
        assert_eq!(start(|| panic!("no driver")).unwrap_err(), "the device panicked: no driver");
        let device = start(|| Ok(|_| panic!("burnt"))).unwrap();
        for _ in 0..2 {
            assert_eq!(ask(&device.client(), &[1]), Err("the device panicked: burnt".to_string()));
        }
        // The desk itself falls over.
        let device = start(|| Ok(squares)).unwrap();
        for _ in 0..2 {
            assert_eq!(ask(&device.client(), &[666]), Err("the device's thread has ended".to_string()));
        }
    }

    #[test]
    fn the_threads_end_with_their_last_user() {
        let alive = Arc::new(());
        let inside = alive.clone();
        let make = move || {
            Ok(move |n: &mut Numbers| {
                let _ = &inside;
                squares(n)
            })
        };
        let device = SharedDevice::start(make, 8).unwrap();
        let client = device.client();
        drop(device);
        assert_eq!(ask(&client, &[5]), Ok(vec![25]));
        drop(client);
        let begun = Instant::now();
        while Arc::strong_count(&alive) > 1 {
            assert!(begun.elapsed() < Duration::from_secs(30), "the device's thread goes on");
            std::thread::yield_now();
        }
    }
}
