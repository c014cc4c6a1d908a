//! What is refused at the door, with which reason: protocols that don't fit, setup texts, hostile actions.

mod toy;

use tengen_game::{Action, Game, Point};
use tengen_opening::{Opening, Seated, SeatedSetup};
use toy::{Toy, game, setup};

fn refused(text: &str, words: &[&str]) {
    let error = text.parse::<SeatedSetup<Toy>>().expect_err(text);
    assert_eq!(error.field, "opening", "{text}: {error}");
    for word in words {
        assert!(error.why.contains(word), "{text}: `{word}` is missing in: {error}");
    }
}

#[test]
fn protocols_that_do_not_fit_say_why() {
    for name in ["rif", "yamaguchi", "soosorv-8", "taraguchi-10", "tarannikov", "pro", "longpro"] {
        refused(&format!("row=5 size=14x15 opening={name}"), &["centre", "14x15", "odd"]);
        refused(&format!("row=5 size=3x15 opening={name}"), &["central", "3x15"]);
        refused(&format!("row=5 size=15 family=go opening={name}"), &["five-in-a-row", "none, pie"]);
    }
    refused("row=5 size=7 opening=taraguchi-10", &["9x9"]);
    refused("row=5 size=19 family=go opening=swap2", &["not for Go"]);
    refused("row=5 size=15 opening=bid-30", &["isn't made for five-in-a-row"]);
}

/// Stones set up before the last decision must not be able to hold a whole row.
#[test]
fn short_rows_are_refused_where_colours_are_open() {
    for name in ["swap2", "rif", "yamaguchi", "taraguchi-5"] {
        refused(&format!("row=3 size=9 opening={name}"), &["3 black stones", "longer than 3"]);
        setup(&format!("row=4 size=9 opening={name}"));
    }
    refused("row=2 size=9 opening=swap", &["2 black stones"]);
    setup("row=3 size=9 opening=swap");
    refused("row=1 size=9 opening=pie", &["longer than 1"]);
    setup("row=2 size=9 opening=pie");
}

#[test]
fn boards_too_small_are_refused() {
    refused("row=5 size=1 opening=pie", &["1 stones", "1 points"]);
    refused("row=5 size=1 family=go opening=pie", &["1x1"]);
    refused("row=4 size=1x5 opening=swap2", &["5 stones"]);
    setup("row=5 size=1x2 family=go opening=pie");
}

#[test]
fn names_are_read_strictly() {
    refused("row=5 opening=riff", &["`riff`", "rif", "soosorv-N"]);
    refused("row=5 opening=", &["not an opening protocol"]);
    refused("row=5 opening=rif-2", &["no number"]);
    refused("row=5 opening=rif:h8", &["nothing after a colon"]);
    refused("row=5 family=go opening=bid-256", &["1 to 255"]);
    for n in ["0", "222", "-1", "+4", "x", "", "99999999999999999999", "8-8", "４"] {
        refused(&format!("row=5 opening=soosorv-{n}"), &["1 to 221"]);
    }
    assert!("row=5 opening=rif opening=rif".parse::<SeatedSetup<Toy>>().is_err());
    let unknown = "row=5 openings=rif".parse::<SeatedSetup<Toy>>().unwrap_err();
    assert_eq!(unknown.field, "openings");
}

#[test]
fn text_round_trips_and_aliases_are_one_protocol() {
    assert_eq!(setup("row=5 size=9").to_string(), "game=toy row=5 size=9x9 family=five opening=none");
    assert_eq!(setup("size=9 opening=swap1 row=5"), setup("row=5 size=9 opening=pie"));
    assert_eq!("soosorv".parse::<Opening>().unwrap().to_string(), "soosorv-4");
    assert_eq!("taraguchi".parse::<Opening>().unwrap().number(), Some(5));
    for info in Opening::all() {
        assert_eq!(info.example.parse::<Opening>().unwrap().to_string(), info.example);
        for alias in &info.aliases {
            assert_eq!(alias.parse::<Opening>().unwrap(), info.name.parse().unwrap(), "{alias}");
        }
        assert!(!info.summary.is_empty() && !info.source.is_empty());
    }
}

/// Every action of every kind that the stage doesn't ask for is illegal; asked for one by one, as an engine would get
/// them from a hostile or stale client.
#[test]
fn hostile_actions_are_not_legal() {
    let mut g = game("row=5 size=9 opening=soosorv-4");
    let size = g.size();
    let at = |x, y| Action::point(size.point(x, y));
    let junk = [
        Action::PASS,
        Action::SWAP,
        Action::KEEP,
        Action::branch(0),
        Action::number(2),
        Action(81),
        Action(624),
        Action(Action::END),
        Action(u16::MAX),
    ];
    let stones = [at(4, 4), at(4, 3), at(5, 3), at(0, 0)];
    let refuse = |g: &Seated<Toy>, allowed: &[Action], also: &[Action]| {
        for a in junk.iter().chain(also).filter(|a| !allowed.contains(a)) {
            assert!(!g.is_legal(*a), "{a:?} at {}", g.describe_stage());
        }
        allowed.iter().for_each(|a| assert!(g.is_legal(*a), "{a:?}"));
    };
    refuse(&g, &stones[..1], &[at(4, 3), at(0, 0)]);
    g.apply(stones[0]);
    refuse(&g, &stones[1..2], &[stones[0], at(4, 2), at(6, 4)]);
    g.apply(stones[1]);
    refuse(&g, &stones[2..3], &[stones[0], stones[1], at(7, 4)]);
    g.apply(stones[2]);
    refuse(&g, &[Action::SWAP, Action::KEEP], &[at(0, 0)]);
    g.apply(Action::KEEP);
    refuse(&g, &stones[3..], &stones[..3]);
    g.apply(stones[3]);
    refuse(&g, &[Action::number(2)], &[Action::number(0), Action::number(5), at(7, 7)]);
    g.apply(Action::number(2));
    refuse(&g, &[Action::SWAP, Action::KEEP], &[at(7, 7)]);
    g.apply(Action::SWAP);
    refuse(&g, &[at(7, 7), at(6, 2)], &stones);
    g.apply(at(7, 7));
    refuse(&g, &[at(6, 2)], &[at(7, 7)]);
    g.apply(at(6, 2));
    // Two were owed: a third offer is no pick.
    refuse(&g, &[at(7, 7), at(6, 2)], &[at(6, 6), at(1, 1)]);
    g.apply(at(6, 2));
    refuse(&g, &[Action::PASS, at(7, 7)], &[at(6, 2)]);
}

/// In the mirror position of 8D with h6 an offer takes its whole class with it, board symmetry or not.
#[test]
fn symmetric_offers_are_not_legal() {
    let mut g = game("row=5 size=15 opening=rif");
    let size = g.size();
    let at = |name: &str| {
        let point = tengen_game::notation::Letters::WithI.point(size, name);
        Action::point(point.unwrap_or(Point(0)))
    };
    for stone in ["h8", "h9", "h7"] {
        g.apply(at(stone));
    }
    g.apply(Action::KEEP);
    g.apply(at("h6"));
    let mut legal = Vec::new();
    let mut classes = Vec::new();
    g.legal(&mut legal);
    g.classes(&legal, &mut classes);
    let distinct: std::collections::BTreeSet<_> = classes.iter().collect();
    assert_eq!((legal.len(), distinct.len()), (221, 62));
    g.apply(at("g8"));
    for same in ["g8", "g7", "i8", "i7"] {
        assert!(!g.is_legal(at(same)), "{same}");
    }
    assert!(g.is_legal(at("g9")) && g.is_legal(at("f8")));
    g.legal(&mut legal);
    assert_eq!(legal.len(), 217);
}

/// The rejection system refuses what its text doesn't allow, and says what it asks.
#[test]
fn rejection_needs_the_old_rule_and_two_official_ones() {
    for good in
        ["rif,soosorv-8,taraguchi-10", "yamaguchi,rif,soosorv", "taraguchi,yamaguchi,rif", "rif,soosorv-4,soosorv-8"]
    {
        setup(&format!("row=5 opening=reject:{good}"));
    }
    let old = "must be the old RIF rule";
    for (bad, words) in [
        ("reject", "after a colon"),
        ("reject:", "three rules"),
        ("reject:rif", "three rules"),
        ("reject:rif,soosorv,taraguchi,yamaguchi", "three rules"),
        ("reject:yamaguchi,soosorv,taraguchi", old),
        ("reject:renjuswap,soosorv,taraguchi", old),
        ("reject:rif,rif,taraguchi", "has 2"),
        ("reject:rif,swap2,taraguchi", "`swap2` is no official rule"),
        ("reject:rif,tarannikov,taraguchi", "`tarannikov` is no official rule"),
        ("reject:rif,taraguchi,taraguchi-5", "must differ"),
        ("reject:rif,soosorv-0,taraguchi", "1 to 221"),
        ("reject:rif,reject:rif,taraguchi", "after a colon"),
        ("reject:reject:reject:reject:rif", "three rules"),
    ] {
        let word = if bad.contains("rif,reject") { "three rules" } else { words };
        refused(&format!("row=5 opening={bad}"), &[word]);
    }
    refused("row=5 size=7 opening=reject:rif,soosorv,taraguchi", &["`taraguchi`", "9x9"]);
}

/// Given starts are checked on the very board they are for.
#[test]
fn given_starts_are_checked() {
    for (start, words) in [
        ("", "1 to 60 stones"),
        ("h8,,", ""),
        ("h8,h8", "occupied"),
        ("p8", "p8 is not on a 15x15 board"),
        ("h16", "h16 is not on a 15x15 board"),
        ("h0", "h0"),
        ("z1", "z1"),
        ("8h", "8h"),
        ("h8,h9/h8", "equally long"),
        ("h8:red", "black, white or swap"),
        ("é8", "é8"),
        ("a1,a2,b1,b2,c1,c2,d1,d2,e1", "stone 9 (black E1) of a given start ends the game"),
    ] {
        let text = format!("row=5 size=15 opening=given:{start}");
        match words {
            "" => assert_eq!(setup(&text).opening().to_string(), "given:h8"),
            _ => refused(&text, &[words]),
        }
    }
    let long = vec!["h8,h9"; 65].join("/");
    refused(&format!("row=5 opening=given:{long}"), &["at most 64"]);
    refused("row=5 family=go opening=given:h8", &["not for Go"]);
    let same = "row=5 size=15 opening=given:H8i9,J10:black";
    assert_eq!(setup(same).opening().to_string(), "given:h8,i9,j10");
}
