//! Rules as controllers and files name them, in KataGo's words or in this program's. Not here: what they do to a game.

use tengen_game::{EndProtocol, SetupError, SetupText, Size};
use tengen_go::{GoRules, RULESETS, Scoring};

/// Rules from KataGo's JSON, run-together string or preset name, from a name of a rule set of ours, or from setup text
/// (`rules=czech ko=positional`). Names that both have are KataGo's; `rules=NAME` means ours. Size and komi are no part
/// of it, nor is the handicap.
pub(crate) fn rules_of_words(text: &str, size: Size) -> Result<GoRules, SetupError> {
    let text = text.trim();
    if !text.starts_with('{') && text.contains('=') {
        let mut parts = SetupText::parse(text)?;
        for key in ["size", "komi", "handicap"] {
            if parts.take(key).is_some() {
                return Err(SetupError::new(key, "not allowed here; it is set on its own"));
            }
        }
        return format!("{} size={size}", parts.rest()).parse();
    }
    let foreign = GoRules::from_katago(text, size, false);
    let own = text.to_ascii_lowercase();
    match (foreign, GoRules::named(&own, size)) {
        (Ok(rules), _) => Ok(settled_by_people(rules)),
        (Err(_), Some(rules)) => Ok(rules),
        (Err(why), None) if text.starts_with('{') => Err(why),
        (Err(why), None) => {
            let names = RULESETS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
            Err(SetupError::new(&why.field, format!("{}; rule sets of this program are {names}", why.why)))
        }
    }
}

/// KataGo's rules never say that the players settle territory; who plays over a protocol for people does.
fn settled_by_people(rules: GoRules) -> GoRules {
    let finish = if rules.scoring == Scoring::Territory { EndProtocol::Agreement } else { rules.finish };
    GoRules { finish, ..rules }
}

/// `rules` with one key of KataGo's JSON set.
pub(super) fn rules_with(rules: &GoRules, key: &str, value: &str) -> Result<GoRules, SetupError> {
    let changed = rules.with_katago_field(key, value)?;
    Ok(if changed.scoring == rules.scoring { changed } else { settled_by_people(changed) })
}

/// Rules from a setup text, without what a controller knows nothing of: opening protocols and games that end before the
/// passes.
pub(super) fn plain_rules(setup: &str) -> Result<GoRules, SetupError> {
    let known = |word: &&str| !["opening=", "early_end="].iter().any(|key| word.starts_with(key));
    setup.split_whitespace().filter(known).collect::<Vec<_>>().join(" ").parse()
}

/// What a file calls the rules: the name of the rule set where they are that, else KataGo's string, else the name of the
/// set they come from.
pub(super) fn name_for_files(rules: &GoRules) -> String {
    let named = GoRules::named(rules.name, rules.size);
    let same = named.map(|named| GoRules { komi: rules.komi, handicap: rules.handicap, ..named });
    if same == Some(*rules) {
        return rules.name.to_string();
    }
    let text = rules.to_katago_text().ok();
    text.as_deref().and_then(|text| text.split("komi").next()).unwrap_or(rules.name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GoRules, SetupError> {
        rules_of_words(text, Size::square(9).unwrap())
    }

    #[test]
    fn words_of_both_programs() {
        let own = |text: &str| text.parse::<GoRules>().unwrap();
        assert_eq!(read("Japanese").unwrap(), own("rules=japanese size=9"));
        assert_eq!(read("czech").unwrap(), own("rules=czech size=9"));
        assert_eq!(read("rules=czech ko=simple").unwrap(), own("rules=czech ko=simple size=9"));
        // Both have a `chinese`.
        assert_eq!(read("chinese").unwrap().scoring, Scoring::Area);
        assert_eq!(read("rules=chinese").unwrap().scoring, Scoring::HalfArea);
        let territory = read("koSIMPLEscoreTERRITORYtaxSEKIsui0").unwrap();
        assert_eq!(territory.finish, EndProtocol::Agreement);
        assert_eq!(read(r#"{"friendlyPassOk": false}"#).unwrap().finish, EndProtocol::Automatic);
        for (text, field) in [
            ("nosuch", "rules"),
            ("rules=nosuch", "rules"),
            ("rules=aga komi=7", "komi"),
            ("size=9", "size"),
            ("koSIMPLEkomi7", "komi"),
            (r#"{"ko":"NO"}"#, "ko"),
        ] {
            assert_eq!(read(text).unwrap_err().field, field, "{text}");
        }
        assert!(read("nosuch").unwrap_err().why.contains("esperanto-japanese"));
    }

    #[test]
    fn one_key_of_them() {
        let aga = read("aga").unwrap();
        assert_eq!(rules_with(&aga, "scoring", "TERRITORY").unwrap().finish, EndProtocol::Agreement);
        assert_eq!(rules_with(&aga, "friendlyPassOk", "false").unwrap().finish, EndProtocol::Automatic);
    }

    #[test]
    fn names_in_files_read_back() {
        for row in RULESETS {
            let rules: GoRules = format!("rules={} size=9 komi=0.5", row.name).parse().unwrap();
            assert_eq!(name_for_files(&rules), row.name);
        }
        let rules = read("chinese").unwrap();
        let text = name_for_files(&rules);
        assert_eq!(text, "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1");
        assert_eq!(GoRules { name: rules.name, komi: rules.komi, ..read(&text).unwrap() }, rules);
    }
}
