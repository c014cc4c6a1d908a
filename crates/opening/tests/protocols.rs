//! Each protocol step by step: who acts, what is asked, who ends up with which colour.

mod toy;

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Game, Offer, Outcome, Placement, Proof, Seat, Symmetry};
use tengen_opening::{Opening, Seated, StageKind};
use toy::{Toy, game};

use Seat::{First, Second};
use StageKind::{BranchChoice, Number, Pick, Place, Play, SwapChoice};

fn at(x: usize, y: usize) -> Action {
    Action::point(tengen_game::Size::square(9).unwrap().point(x, y))
}

/// Plays a line; at each ply the seat and the kind of stage must be as said.
fn walk(g: &mut Seated<Toy>, line: &[(Seat, StageKind, Action)]) {
    for &(seat, kind, action) in line {
        assert_eq!((g.to_act(), g.stage().kind), (seat, kind), "ply {}: {}", g.plies(), g.describe_stage());
        assert!(g.is_legal(action), "ply {}: {action:?} at {}", g.plies(), g.describe_stage());
        g.apply(action);
    }
}

const CENTRE: (Seat, StageKind) = (First, Place);

fn opening_26() -> [(Seat, StageKind, Action); 3] {
    [(CENTRE.0, CENTRE.1, at(4, 4)), (First, Place, at(5, 3)), (First, Place, at(6, 3))]
}

#[test]
fn rif_kept_and_swapped() {
    for (choice, black) in [(Action::KEEP, First), (Action::SWAP, Second)] {
        let mut g = game("row=5 size=9 opening=rif");
        assert_eq!(g.stage().stones_due, 3);
        walk(&mut g, &opening_26());
        assert_eq!(g.canonical_opening().unwrap().to_string(), "2I Kyogetsu");
        assert_eq!(g.describe_stage(), "second: swap (take black) or keep (stay white)?");
        walk(&mut g, &[(Second, SwapChoice, choice), (!black, Place, at(0, 0))]);
        assert_eq!((g.seat_of(Colour::Black), g.colour_of(black)), (black, Colour::Black));
        assert_eq!(g.offer(), Some(Offer { due: 2, made: 0 }));
        walk(&mut g, &[(black, StageKind::Offer, at(1, 7))]);
        assert_eq!(g.offer(), Some(Offer { due: 1, made: 1 }));
        walk(&mut g, &[(black, StageKind::Offer, at(3, 6)), (!black, Pick, at(3, 6)), (!black, Play, Action::PASS)]);
        assert_eq!((g.to_act(), g.board().stone(tengen_game::Point(6 * 9 + 3))), (black, Some(Colour::Black)));
        assert_eq!(g.plies(), 9);
    }
}

#[test]
fn swap2_has_three_ways() {
    let stones = [(First, Place, at(0, 0)), (First, Place, at(8, 8)), (First, Place, at(4, 4))];
    let lines: [&[(Seat, StageKind, Action)]; 4] = [
        &[(Second, BranchChoice, Action::SWAP), (First, Play, at(1, 1))],
        &[(Second, BranchChoice, Action::KEEP), (Second, Play, at(1, 1))],
        &[
            (Second, BranchChoice, Action::branch(0)),
            (Second, Place, at(1, 1)),
            (Second, Place, at(2, 1)),
            (First, SwapChoice, Action::KEEP),
            (Second, Play, at(3, 1)),
        ],
        &[
            (Second, BranchChoice, Action::branch(0)),
            (Second, Place, at(1, 1)),
            (Second, Place, at(2, 1)),
            (First, SwapChoice, Action::SWAP),
            (First, Play, at(3, 1)),
        ],
    ];
    for (line, black) in lines.iter().zip([Second, First, First, Second]) {
        let mut g = game("row=5 size=9 opening=swap2");
        walk(&mut g, &stones);
        walk(&mut g, line);
        assert_eq!(g.seat_of(Colour::Black), black);
    }
}

#[test]
fn pie_and_swap() {
    let mut g = game("row=5 size=9 family=go opening=pie");
    assert!(!g.is_legal(Action::PASS));
    walk(&mut g, &[(First, Place, at(2, 2)), (Second, SwapChoice, Action::SWAP), (First, Play, at(3, 3))]);
    assert_eq!((g.seat_of(Colour::Black), g.to_act()), (Second, Second));
    let mut g = game("row=5 size=9 opening=swap");
    walk(&mut g, &[(First, Place, at(0, 0)), (First, Place, at(1, 0)), (First, Place, at(2, 0))]);
    walk(&mut g, &[(Second, SwapChoice, Action::KEEP), (Second, Play, at(3, 3))]);
}

#[test]
fn yamaguchi_declares_before_the_swap() {
    let mut g = game("row=5 size=9 opening=yamaguchi");
    walk(&mut g, &opening_26());
    walk(&mut g, &[(First, Number, Action::number(3)), (Second, SwapChoice, Action::SWAP)]);
    assert_eq!((g.stage().declared, g.stage().offers_owed), (3, 0));
    walk(&mut g, &[(First, Place, at(0, 0))]);
    assert_eq!((g.stage().declared, g.stage().offers_owed, g.stage().offers_due), (3, 3, 3));
    for p in [at(1, 7), at(2, 7), at(3, 7)] {
        walk(&mut g, &[(Second, StageKind::Offer, p)]);
    }
    walk(&mut g, &[(First, Pick, at(2, 7)), (First, Play, at(5, 5))]);
    assert_eq!((g.stage().declared, g.stage().offers_owed), (0, 0));
}

/// More fifths declared than exist: all that exist are owed, and both numbers can be read.
#[test]
fn declared_beyond_what_exists_is_capped() {
    let mut g = game("row=5 size=9 opening=yamaguchi");
    for stone in [at(4, 4), at(4, 3), at(4, 5)] {
        g.apply(stone);
    }
    g.apply(Action::number(221));
    g.apply(Action::KEEP);
    g.apply(at(4, 6));
    let (info, mut legal, mut made) = (g.stage(), Vec::new(), 0);
    assert_eq!(info.declared, 221);
    assert!(info.offers_owed < 77 && info.offers_owed > 20, "{info:?}");
    while g.stage().kind == StageKind::Offer {
        g.legal(&mut legal);
        g.apply(*legal.last().expect("as many as are owed remain possible"));
        made += 1;
    }
    assert_eq!((made, g.offers().len()), (info.offers_owed, info.offers_owed as usize));
    g.legal(&mut legal);
    assert_eq!((g.stage().kind, legal.len()), (Pick, made as usize));
}

#[test]
fn soosorv_swaps_twice() {
    let mut g = game("row=5 size=9 opening=soosorv-8");
    walk(&mut g, &opening_26());
    walk(&mut g, &[(Second, SwapChoice, Action::SWAP), (First, Place, at(0, 0)), (First, Number, Action::number(2))]);
    walk(&mut g, &[(Second, SwapChoice, Action::SWAP), (First, StageKind::Offer, at(7, 1))]);
    walk(&mut g, &[(First, StageKind::Offer, at(7, 2)), (Second, Pick, at(7, 1)), (Second, Play, at(7, 2))]);
    let history = ["second swaps, takes black", "first declares 2", "second swaps, takes white"];
    assert_eq!(g.protocol_history()[..3], history);
    assert_eq!(g.protocol_history()[3..], ["first offers H8 H7", "second picks H8"]);
}

#[test]
fn taraguchi_both_branches_and_tarannikov() {
    let keep = Action::KEEP;
    let start = [
        (First, Place, at(4, 4)),
        (Second, SwapChoice, keep),
        (Second, Place, at(5, 4)),
        (First, SwapChoice, keep),
        (First, Place, at(6, 4)),
        (Second, SwapChoice, keep),
        (Second, Place, at(7, 4)),
    ];
    let mut g = game("row=5 size=11 opening=taraguchi-10");
    let on_11 = |a: Action| {
        let p = a.as_point()?;
        Some(Action::point(g.size().point(usize::from(p.0) % 9 + 1, usize::from(p.0) / 9 + 1)))
    };
    let wide = start.map(|(seat, kind, a)| (seat, kind, on_11(a).unwrap_or(a)));
    let edge = Action::point(g.size().point(0, 0));
    let inner = on_11(at(0, 0)).unwrap();
    walk(&mut g, &wide);
    let fork = g.clone();
    walk(&mut g, &[(First, BranchChoice, Action::SWAP)]);
    assert!(!g.is_legal(edge), "stone 5 stays in the central 9x9");
    walk(&mut g, &[(Second, Place, inner), (First, SwapChoice, Action::SWAP), (Second, Play, edge)]);
    assert_eq!(g.seat_of(Colour::Black), First);

    let mut g = fork;
    walk(&mut g, &[(First, BranchChoice, Action::branch(0))]);
    assert_eq!((g.offer(), g.is_legal(edge)), (Some(Offer { due: 10, made: 0 }), true));

    let mut g = game("row=5 size=9 opening=tarannikov");
    walk(&mut g, &start);
    walk(&mut g, &[(First, SwapChoice, keep), (First, Place, at(0, 0)), (Second, SwapChoice, Action::SWAP)]);
    walk(&mut g, &[(First, Play, at(0, 1))]);
}

#[test]
fn pro_and_long_pro_keep_stone_3_away() {
    for (opening, near) in [("pro", 2), ("longpro", 3)] {
        let mut g = game(&format!("row=5 size=9 opening={opening}"));
        walk(&mut g, &[(First, Place, at(4, 4)), (Second, Place, at(0, 0))]);
        assert!(!g.is_legal(at(4 + near, 4)) && !g.is_legal(at(4, 4 - near)) && !g.is_legal(Action::PASS));
        walk(&mut g, &[(First, Place, at(5 + near, 4)), (Second, Play, at(1, 1))]);
    }
}

/// A position at the offer stage of RIF.
fn offering() -> Seated<Toy> {
    let mut g = game("row=5 size=9 opening=rif");
    for action in [at(4, 4), at(5, 3), at(6, 3), Action::SWAP, at(0, 0)] {
        g.apply(action);
    }
    g
}

#[test]
fn assuming_an_offer_is_the_position_after_its_pick() {
    let mut g = offering();
    let before = (g.hash(), g.stage(), g.plies());
    g.assume(at(1, 7));
    assert_eq!((g.stage().kind, g.to_act(), g.plies()), (Play, First, before.2 + 1));
    let mut full = offering();
    [at(3, 6), at(1, 7), at(1, 7)].iter().for_each(|&a| full.apply(a));
    assert_eq!((g.hash(), g.stage()), (full.hash(), full.stage()));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    g.legal(&mut a);
    full.legal(&mut b);
    assert_eq!(a, b);
    g.apply(at(8, 8));
    g.undo();
    g.undo();
    assert_eq!((g.hash(), g.stage(), g.plies()), before);
    // After one real offer, too.
    g.apply(at(3, 6));
    let before = (g.hash(), g.stage(), g.offers().to_vec());
    g.assume(at(1, 7));
    assert_eq!((g.hash(), g.offers().len()), (full.hash(), 0));
    g.undo();
    assert_eq!((g.hash(), g.stage(), g.offers().to_vec()), before);
}

#[test]
fn hashes_tell_stages_owners_and_offers_apart_but_not_their_order() {
    let (mut g, mut h) = (offering(), offering());
    [at(3, 6), at(1, 7)].iter().for_each(|&a| g.apply(a));
    [at(1, 7), at(3, 6)].iter().for_each(|&a| h.apply(a));
    assert_eq!((g.hash(), g.stage()), (h.hash(), h.stage()));
    let mut other = offering();
    [at(1, 7), at(3, 7)].iter().for_each(|&a| other.apply(a));
    assert_ne!(g.hash(), other.hash());

    let mut seen = std::collections::BTreeSet::new();
    let mut line = game("row=5 size=9 opening=soosorv-8");
    seen.insert(line.hash());
    let actions = [at(4, 4), at(5, 3), at(6, 3), Action::KEEP, at(0, 0), Action::number(2), Action::KEEP, at(1, 7)];
    for action in actions {
        line.apply(action);
        assert!(seen.insert(line.hash()), "{action:?} gives a new hash");
    }
    line.undo();
    line.undo();
    line.apply(Action::SWAP);
    assert!(seen.insert(line.hash()), "who swapped shows");
    line.undo();
    line.undo();
    line.apply(Action::number(3));
    assert!(seen.insert(line.hash()), "the number shows");
    // Plain play is the same position whatever protocol led there.
    let (mut a, mut b) = (game("row=5 size=9 opening=pie"), game("row=5 size=9 opening=none"));
    [at(4, 4), Action::KEEP, at(0, 0)].iter().for_each(|&x| a.apply(x));
    [at(4, 4), at(0, 0)].iter().for_each(|&x| b.apply(x));
    assert_eq!(a.hash(), b.hash());
}

/// The symmetric opening on the axis: classes move with the board.
#[test]
fn classes_commute_with_symmetry() {
    let line = [at(4, 4), at(4, 3), at(4, 5), Action::KEEP, at(4, 6)];
    let size = game("row=5 size=9 opening=rif").size();
    let parts = |s: Symmetry| {
        let mut g = game("row=5 size=9 opening=rif");
        for a in line {
            let a = g.map(s, a);
            g.apply(a);
        }
        let (mut legal, mut classes) = (Vec::new(), Vec::new());
        g.legal(&mut legal);
        g.classes(&legal, &mut classes);
        let mut parts = std::collections::BTreeMap::<u16, Vec<Action>>::new();
        for (a, c) in legal.iter().zip(classes) {
            parts.entry(c).or_default().push(g.map(s.inverse(), *a));
        }
        let mut parts: Vec<_> = parts.into_values().collect();
        parts.iter_mut().for_each(|p| p.sort());
        parts.sort();
        parts
    };
    let plain = parts(Symmetry::IDENTITY);
    assert!(plain.len() < 77);
    for &s in Symmetry::of(size) {
        assert_eq!(parts(s), plain, "{s:?}");
    }
}

#[test]
fn outcome_and_margin_follow_the_owner() {
    for (choice, winner) in [(Action::KEEP, First), (Action::SWAP, Second)] {
        let mut g = game("row=4 size=9 opening=pie");
        [at(0, 0), choice].iter().for_each(|&a| g.apply(a));
        [at(0, 5), at(1, 0), at(1, 5), at(2, 0), at(2, 5)].iter().for_each(|&a| g.apply(a));
        assert_eq!((g.to_act(), g.proven(0)), (winner, Some(Proof::Win(at(3, 0)))));
        g.apply(at(3, 0));
        assert_eq!(g.outcome(), Some(Outcome::Win(winner)));
        let mut g = game("row=9 size=9 family=go opening=pie");
        [at(0, 0), choice, Action::PASS, Action::PASS].iter().for_each(|&a| g.apply(a));
        let firsts = if winner == First { 0.5 } else { -0.5 };
        assert_eq!((g.outcome(), g.margin()), (Some(Outcome::Draw), Some(firsts)));
    }
}

/// The board sees a win for the colour to place, but the stage isn't plain play: no proof may leak out.
#[test]
fn proofs_are_silent_in_protocol_stages() {
    let mut g = game("row=4 size=9 opening=swap2");
    for action in [at(0, 0), at(0, 8), at(1, 0), Action::branch(0), at(8, 8), at(2, 0)] {
        assert_eq!(g.proven(1000), None, "{}", g.describe_stage());
        g.apply(action);
    }
    assert_eq!((g.stage().kind, g.proven(1000)), (SwapChoice, None));
    g.apply(Action::KEEP);
    g.apply(at(5, 5));
    assert_eq!(g.proven(0), Some(Proof::Win(at(3, 0))), "plain play forwards the board's proof");
}

/// `actions()` is exactly what random play uses and meets: nothing missing, nothing idle.
#[test]
fn listed_actions_are_those_that_occur() {
    for opening in ["none", "pie", "swap", "swap2", "rif", "soosorv-4", "taraguchi-3", "tarannikov", "pro", "yamaguchi"]
    {
        let listed = opening.parse::<Opening>().unwrap().actions();
        let mut met = std::collections::BTreeSet::new();
        let mut rng = TestRng::new(9);
        let mut legal = Vec::new();
        for _ in 0..40 {
            let mut g = game(&format!("row=5 size=9 opening={opening}"));
            while g.plies() < 16 && g.outcome().is_none() {
                g.legal(&mut legal);
                met.extend(legal.iter().filter(|a| a.as_point().is_none() && **a != Action::PASS));
                g.apply(legal[rng.below(legal.len())]);
            }
        }
        assert_eq!(listed, met.into_iter().collect::<Vec<_>>(), "{opening}");
    }
}

/// What a person reads at each stage of one line.
#[test]
fn stages_in_words() {
    let mut g = game("row=5 size=9 opening=taraguchi-2");
    let mut says = |action: Action, words: &str| {
        assert_eq!(g.describe_stage(), words);
        g.apply(action);
    };
    says(at(4, 4), "first: place stone 1 (black) on the centre");
    says(Action::KEEP, "second: swap (take black) or keep (stay white)?");
    says(at(5, 4), "second: place stone 2 (white) in the central 3x3");
    says(Action::SWAP, "first: swap (take white) or keep (stay black)?");
    says(at(6, 4), "second: place stone 3 (black) in the central 5x5");
    says(Action::KEEP, "first: swap (take black) or keep (stay white)?");
    says(at(7, 5), "first: place stone 4 (white) in the central 7x7");
    let three = "second: swap (take white) or keep (stay black), or branch0 (stay black and offer fifth moves)?";
    says(Action::branch(0), three);
    says(at(0, 0), "second: offer point 1 of 2 for black, none like another");
    says(at(1, 0), "second: offer point 2 of 2 for black, none like another");
    says(at(1, 0), "first: pick one of A9 B9 for black");
    says(at(8, 8), "first: white to play");
    let history = [
        "second keeps white",
        "first swaps, takes white",
        "first keeps white",
        "second takes branch0: stay black and offer fifth moves",
        "second offers A9 B9",
        "first picks B9",
    ];
    assert_eq!(g.protocol_history(), history);
    let mut g = game("row=5 size=9 opening=yamaguchi");
    opening_26().iter().for_each(|step| g.apply(step.2));
    assert_eq!(g.describe_stage(), "first: declare a number from 1 to 221");
}
