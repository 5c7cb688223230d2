//! Tokens and money in words: the line below a turn, the table of `/cost`.

use ox_protocol::Usage;

use super::look::Look;
use crate::text::{Line, Role, width};
use crate::words;
use ox_client::view::{Account, Spent};

/// `34.1k tokens in (30.0k cached, 88 %), 1.2k out (800 reasoning)`.
pub(super) fn tokens(look: &Look, spent: &Spent) -> String {
    let Usage { input, output, cache_read, reasoning, .. } = spent.usage;
    let (count, cached) = (words::tokens(input), words::tokens(cache_read));
    let input = match spent.hit_rate().filter(|_| cache_read.0 > 0) {
        Some(rate) => {
            let share = rate.to_string();
            look.say("ui.usage.input_cached", &[("count", &count), ("cached", &cached), ("share", &share)])
        }
        None => look.say("ui.usage.input", &[("count", &count)]),
    };
    let (count, thought) = (words::tokens(output), words::tokens(reasoning));
    let output = match reasoning.0 {
        0 => look.say("ui.usage.output", &[("count", &count)]),
        _ => look.say("ui.usage.output_reasoning", &[("count", &count), ("reasoning", &thought)]),
    };
    look.say("ui.usage.both", &[("input", &input), ("output", &output)])
}

/// `$1.25`; where prices are not known, that.
pub fn price(look: &Look, spent: &Spent) -> String {
    let known = words::money(spent.cost);
    match spent.unpriced {
        0 => known,
        all if all == spent.requests => look.say("ui.usage.no_price", &[]),
        _ => look.say("ui.usage.at_least", &[("cost", &known)]),
    }
}

/// What is left of the turn's budgets; none where there are none.
pub(super) fn left(look: &Look, account: &Account) -> Option<String> {
    let money = account.cost_left().zip(account.cost_limit).map(|(left, all)| (words::money(left), words::money(all)));
    let tokens =
        account.tokens_left().zip(account.token_limit).map(|(left, all)| (words::tokens(left), words::tokens(all)));
    let of = |key: &str, (left, all): (String, String)| look.say(key, &[("left", &left), ("count", &all)]);
    let parts: Vec<String> = [money.map(|it| of("ui.usage.left", it)), tokens.map(|it| of("ui.usage.tokens_left", it))]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// What `/cost` shows: the turn, this run of the program, the conversation, each with tokens and price; budgets.
pub fn table(look: &Look, account: &Account, run: Spent, model: &str) -> Vec<Line> {
    if account.conversation.requests == 0 {
        return vec![Line::of(&look.say("ui.usage.none", &[]), Role::Dim)];
    }
    let mut rows: Vec<(String, String, String)> = Vec::new();
    let spents =
        [("ui.usage.turn", account.turn), ("ui.usage.run", run), ("ui.usage.conversation", account.conversation)];
    for (key, spent) in spents {
        if spent.requests > 0 {
            rows.push((look.say(key, &[]), price(look, &spent), tokens(look, &spent)));
        }
    }
    let of =
        |column: fn(&(String, String, String)) -> &String| rows.iter().map(|it| width(column(it))).max().unwrap_or(0);
    let (names, prices) = (of(|it| &it.0), of(|it| &it.1));
    let mut out: Vec<Line> = rows
        .iter()
        .map(|(name, price, tokens)| {
            let line = Line::of(&padded(name, names), Role::Dim).with("  ", Role::Plain);
            line.with(&padded(price, prices), Role::Strong).with(&format!("  {tokens}"), Role::Plain).hanging(names + 2)
        })
        .collect();
    if let Some(left) = left(look, account) {
        let name = padded(&look.say("ui.usage.budget", &[]), names);
        out.push(Line::of(&name, Role::Dim).with(&format!("  {left}"), Role::Plain).hanging(names + 2));
    }
    if account.turn.unpriced > 0 {
        out.push(Line::of(&look.say("ui.usage.price_unknown", &[("model", model)]), Role::Dim));
    }
    out
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use ox_protocol::locale::Language;
    use ox_protocol::{Limits, Money, Tokens};

    use super::*;

    fn check(language: Language, (account, run): (&Account, Spent), expected: Expect) {
        let look = Look { live: true, ..Look::new(language, 80) };
        let lines: Vec<String> = table(&look, account, run, "mine/model").iter().map(Line::text).collect();
        expected.assert_eq(&lines.join("\n"));
    }

    fn usage(input: u64, cached: u64, output: u64, reasoning: u64) -> Usage {
        Usage {
            input: Tokens(input),
            cache_read: Tokens(cached),
            output: Tokens(output),
            reasoning: Tokens(reasoning),
            ..Usage::default()
        }
    }

    #[test]
    fn a_turn_with_budgets() {
        let mut account = Account::default();
        account.add(usage(20_000, 0, 900, 0), Some(Money(90_000)));
        let limits = Limits { cost: Some(Money(2_000_000)), tokens: Some(Tokens(100_000)), ..Limits::default() };
        account.turn(&limits);
        account.add(usage(34_100, 30_000, 1_200, 800), Some(Money(123_400)));
        let run = account.turn;
        check(
            Language::En,
            (&account, run),
            expect![[r#"
                This turn          $0.12  34.1k tokens in (30.0k cached, 87%), 1.2k out (800 reasoning)
                Since Ox started   $0.12  34.1k tokens in (30.0k cached, 87%), 1.2k out (800 reasoning)
                This conversation  $0.21  54.1k tokens in (30.0k cached, 55%), 2.1k out (800 reasoning)
                Budget per turn    $1.87 of $2.00 left · 64.7k of 100.0k tokens left"#]],
        );
        check(
            Language::Zh,
            (&account, run),
            expect![[r#"
                本轮          $0.12  输入 34.1k token（缓存 30.0k，87%），输出 1.2k（推理 800）
                本次启动以来  $0.12  输入 34.1k token（缓存 30.0k，87%），输出 1.2k（推理 800）
                本会话        $0.21  输入 54.1k token（缓存 30.0k，55%），输出 2.1k（推理 800）
                每轮预算      剩余 $1.87，共 $2.00 · 剩余 64.7k token，共 100.0k"#]],
        );
    }

    #[test]
    fn what_has_no_price_says_so() {
        let mut account = Account::default();
        check(Language::En, (&account, account.conversation), expect!["No usage yet."]);
        account.turn(&Limits::default());
        account.add(usage(1_000, 0, 10, 0), Some(Money(5_000)));
        account.turn(&Limits::default());
        account.add(usage(1_000, 0, 10, 0), None);
        check(
            Language::En,
            (&account, account.conversation),
            expect![[r#"
                This turn          price unknown     1.0k tokens in, 10 out
                Since Ox started   at least $0.0050  2.0k tokens in, 20 out
                This conversation  at least $0.0050  2.0k tokens in, 20 out
                The price of mine/model is unknown. To track costs, set input_price and output_price for the model (`ox config set`)."#]],
        );
    }
}
