//! Numbers as people read them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ox_protocol::locale::Language;
use ox_protocol::{Money, Time, Tokens};

/// `12 ms`, `1.2 s`, `41 s`, `2 min 5 s`.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        10_000..60_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// Whole seconds, for a clock that ticks: `0 s`, `12 s`, `2 min 5 s`.
pub fn clock(ms: u64) -> String {
    if ms < 60_000 { format!("{} s", ms / 1_000) } else { duration(ms) }
}

/// `812`, `34.1k`, `1.2M`.
pub fn tokens(count: Tokens) -> String {
    match count.0 {
        n @ 0..1_000 => n.to_string(),
        n @ 1_000..1_000_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        n => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// `$1.25`, with four decimals below ten cents; what is something is never shown as nothing.
pub fn money(amount: Money) -> String {
    match amount.0 {
        0 => "$0".to_string(),
        small @ 1..100_000 => format!("$0.{:04}", small.div_ceil(100)),
        all => format!("${}.{:02}", all / 1_000_000, all % 1_000_000 / 10_000),
    }
}

/// The first line that is not blank, trimmed.
pub fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

/// The first line cut to `limit` characters; an ellipsis marks what is missing.
pub fn short(text: &str, limit: usize) -> String {
    let line = first_line(text);
    let more = text.trim().lines().count() > 1;
    let cut: String = line.chars().take(limit).collect();
    let missing = more || cut.len() < line.len();
    if missing { format!("{} …", cut.trim_end()) } else { cut }
}

/// How long ago, in the largest unit that fits: `5s`, `3m`, `2h`, `9d`.
pub fn age(now: Time, then: Time) -> String {
    let (count, unit) = in_units(now, then);
    format!("{count}{unit}")
}

/// The same as a phrase: `3m ago`, `3 分钟前`.
pub fn long_ago(language: Language, now: Time, then: Time) -> String {
    let (count, unit) = in_units(now, then);
    language.say(&format!("time.ago.{unit}"), &[("n", &count.to_string())])
}

fn in_units(now: Time, then: Time) -> (u64, char) {
    let seconds = now.0.saturating_sub(then.0) / 1000;
    let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];
    units.into_iter().find(|(length, _)| seconds >= *length).map_or((0, 's'), |(length, unit)| (seconds / length, unit))
}

/// When it was, where the user is: the time of the day, and before today the day.
pub fn local(zone: &TimeZone, now: Time, then: Time) -> String {
    let at = |time: Time| {
        Timestamp::from_millisecond(i64::try_from(time.0).ok()?).ok().map(|it| it.to_zoned_datetime(zone.clone()))
    };
    let (Some(now), Some(then)) = (at(now), at(then)) else { return String::new() };
    if now.date() == then.date() {
        then.strftime("%H:%M").to_string()
    } else {
        then.strftime("%m-%d %H:%M").to_string()
    }
}

/// The same by the clock and in the time zone of this machine.
pub fn here(then: Time) -> String {
    local(&TimeZone::system(), now(), then)
}

/// How long ago by the clock of this machine, padded so that columns line up.
pub fn ago(then: Time) -> String {
    format!("{:>4}", age(now(), then))
}

fn now() -> Time {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(now.as_millis()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1_200, 41_900, 125_000].map(duration), ["0 ms", "999 ms", "1.2 s", "41 s", "2 min 5 s"]);
        assert_eq!([0, 12_900, 61_000].map(clock), ["0 s", "12 s", "1 min 1 s"]);
        assert_eq!([812, 34_150, 1_290_000].map(|n| tokens(Tokens(n))), ["812", "34.1k", "1.2M"]);
        let amounts = [0, 1, 4_200, 99_999, 1_250_000].map(|n| money(Money(n)));
        assert_eq!(amounts, ["$0", "$0.0001", "$0.0042", "$0.1000", "$1.25"]);
    }

    #[test]
    fn cuts() {
        assert_eq!(first_line("\n  a \nb"), "a");
        assert_eq!(short("one line", 20), "one line");
        assert_eq!(short("one line", 3), "one …");
        assert_eq!(short("one\ntwo", 20), "one …");
    }

    #[test]
    fn an_age_is_shown_in_its_largest_unit() {
        let table = [(0, "0s"), (59_999, "59s"), (60_000, "1m"), (7_200_000, "2h"), (10 * 86_400_000, "10d")];
        for (ms, expected) in table {
            assert_eq!(age(Time(20 * 86_400_000), Time(20 * 86_400_000 - ms)), expected);
        }
        assert_eq!(age(Time(0), Time(5_000)), "0s");
        let phrases = [Language::En, Language::Zh].map(|it| long_ago(it, Time(180_000), Time(0)));
        assert_eq!(phrases, ["3m ago", "3 分钟前"]);
    }
}
