//! A person at the terminal against a model, scripted. The model sees that it wins by passing, thanks to the komi, so it
//! stops whenever the person does. Not here: what is settled after that (`settling`), strength.

mod support;

use support::{stderr, stdout, tengen, with_input};

/// What is shown after a person's lines.
fn sitting(setup: &str, lines: &[&str]) -> String {
    let mut command = tengen();
    command.args(["play", "uniform", "--visits", "64", "--setup", setup]);
    let out = with_input(command, &(lines.join("\n") + "\n"));
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    stdout(&out)
}

const CHINESE: &str = "game=go rules=chinese size=5x5 komi=60";

#[test]
fn an_end_is_agreed_on_and_counted_in_the_words_of_the_rules() {
    let text = sitting(CHINESE, &["C3", "pass", "accept", "C4"]);
    assert!(text.contains("play has stopped; the model calls dead: nothing"), "{text}");
    assert!(text.contains("half of the board is 12.5"), "{text}");
    assert!(text.ends_with("White wins by 30 stones.\nthe model wins\n"), "{text}");
    // Marks that are better for the model are accepted too.
    let text = sitting(CHINESE, &["C3", "pass", "dead C3", "accept"]);
    assert!(
        text.contains(" 3 . . # . . 3") && text.ends_with("White wins by 42.5 stones.\nthe model wins\n"),
        "{text}"
    );
}

#[test]
fn a_disputed_end_is_played_on_until_both_stop_again() {
    let first = ["C3", "pass", "dead A5", "accept", "dispute"];
    let text = sitting(CHINESE, &[&first[..], &["D3"]].concat());
    assert!(text.contains("the model doesn't accept that; it calls alive: A5"), "{text}");
    let (_, after) = text.split_once("play goes on").unwrap();
    assert!(after.contains("first: black to play> model: "), "who disputes moves, then the model: {text}");
    assert!(after.contains(" 3 . . X X . 3") && after.ends_with("the game isn't finished\n"), "{text}");

    let again = ["pass", "undo", "pass", "dead A5", "accept"];
    let text = sitting(CHINESE, &[&first[..], &again[..]].concat());
    assert_eq!(text.matches("play has stopped a second time").count(), 2, "once more after the undo: {text}");
    assert!(text.contains("what is in dispute stays, as shared life: A5"), "{text}");
    assert!(text.ends_with("White wins by 30 stones.\nthe model wins\n"), "{text}");
    // Taken back to before the first end, play has never stopped.
    let text = sitting(CHINESE, &[&first[..], &["D3", "undo", "undo", "undo", "C3", "pass"]].concat());
    assert_eq!((text.matches("play has stopped;").count(), text.matches("a second time").count()), (2, 0), "{text}");
}

#[test]
fn words_that_settle_nothing_are_answered() {
    let text = sitting(CHINESE, &["C3", "pass", "dead", "dead Z9", "dead B1", "C4", "foo", "help", "quit"]);
    for answer in [
        "expected a point with a stone",
        "`Z9` is no point",
        "no stone on B1",
        "`C4` settles nothing",
        "`foo` settles nothing",
        "marks the chain on D4",
    ] {
        assert!(text.contains(answer), "{answer}: {text}");
    }
    // Where the rules end the game, nobody is asked.
    let text = sitting("game=go rules=tromp-taylor size=5x5 komi=60", &["C3", "pass"]);
    assert!(!text.contains("settle") && text.contains("first seat ahead by -60\nthe model wins"), "{text}");
}

#[test]
fn a_person_may_resign_at_any_time() {
    for (setup, lines) in [
        (CHINESE, &["resign"][..]),
        (CHINESE, &["C3", "pass", "resign"]),
        ("game=five rules=freestyle size=6x6 win=4 opening=swap2", &["A1", "resign"]),
    ] {
        let text = sitting(setup, lines);
        assert!(text.ends_with("you resign\nthe model wins\n"), "{text}");
    }
}
