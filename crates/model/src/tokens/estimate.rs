//! How many tokens a text has, without a vocabulary: by how byte-pair encodings cut it into words, numbers, signs and
//! white space, and by how many tokens each such piece has on average.
//!
//! One pass over the text, nothing is loaded. The figures were fitted to o200k on prose, code of ten languages, JSON, YAML,
//! Chinese, Japanese, Korean and Russian text, base64 and hexadecimal digits; a test holds them to it.

/// Costs of pieces in hundredths of a token.
mod costs {
    /// A word of ordinary length.
    pub(crate) const WORD: u64 = 100;
    /// Letters of a word that cost nothing beyond it.
    pub(crate) const SHORT: u64 = 7;
    /// Each further letter.
    pub(crate) const LETTER: u64 = 14;
    /// Each byte of letters and digits that make no words: base64, hashes, hexadecimal digits.
    pub(crate) const NOISE: u64 = 67;
    /// Each byte of hexadecimal digits.
    pub(crate) const HEX: u64 = 58;
    /// Up to three digits.
    pub(crate) const DIGITS: u64 = 100;
    /// The first sign of a run.
    pub(crate) const SIGN: u64 = 88;
    /// Each further sign that differs from the one before; equal ones are nearly free.
    pub(crate) const FURTHER: u64 = 30;
    /// Each further equal sign.
    pub(crate) const EQUAL: u64 = 2;
    /// Line ends that do not belong to signs before them.
    pub(crate) const LINE: u64 = 85;
    /// An indentation of any length.
    pub(crate) const INDENT: u64 = 75;
    /// A space before a number.
    pub(crate) const SPACE: u64 = 90;
    /// A character of Chinese, Japanese or Korean.
    pub(crate) const CJK: u64 = 76;
    /// A letter of any other script.
    pub(crate) const LETTERS: u64 = 30;
    /// Any other character: emoji, arrows, boxes.
    pub(crate) const OTHER: u64 = 130;
}

/// The shortest run of letters and digits that is looked at for being no word.
const NOISE_FROM: usize = 20;

/// Tokens of `text` as o200k would count them, about; a text that is not empty has at least one.
pub(super) fn estimate(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut at, mut sum) = (0, 0);
    // True after signs, which take the line ends behind them along.
    let mut after_signs = false;
    while at < bytes.len() {
        let first = bytes[at];
        let was_signs = std::mem::take(&mut after_signs);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                let end = run(bytes, at, |it| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/' | b'='));
                let (cost, end) = words(&bytes[at..end]);
                sum += cost;
                at += end;
            }
            b'\n' | b'\r' => {
                at = run(bytes, at, |it| matches!(it, b'\n' | b'\r'));
                sum += if was_signs { 0 } else { costs::LINE };
            }
            b' ' | b'\t' => {
                let end = run(bytes, at, |it| matches!(it, b' ' | b'\t'));
                // One space belongs to the word or the sign behind it, but not to a number.
                sum += if end - at > 1 || first == b'\t' { costs::INDENT } else { 0 };
                sum += if bytes.get(end).is_some_and(u8::is_ascii_digit) { costs::SPACE } else { 0 };
                after_signs = was_signs && end - at == 1;
                at = end;
            }
            0..=0x7f => {
                let end =
                    run(bytes, at, |it| it.is_ascii() && !it.is_ascii_alphanumeric() && !it.is_ascii_whitespace());
                let end = end.max(at + 1);
                sum += signs(&bytes[at..end]);
                after_signs = true;
                at = end;
            }
            _ => {
                let (cost, length) = wide(&text[at..]);
                sum += cost;
                at += length;
            }
        }
    }
    sum.div_ceil(100)
}

/// Where the run ends that begins at `from`.
fn run(bytes: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|it| !belongs(*it)).map_or(bytes.len(), |it| from + it)
}

/// The cost of the letters and digits that `bytes` begin with, and how many bytes they are.
fn words(bytes: &[u8]) -> (u64, usize) {
    let plain = run(bytes, 0, |it| it.is_ascii_alphanumeric());
    let hex = &bytes[..plain];
    let letters = hex.iter().filter(|it| it.is_ascii_alphabetic()).count();
    if plain >= NOISE_FROM && letters > 0 && letters < plain && hex.iter().all(u8::is_ascii_hexdigit) {
        return (plain as u64 * costs::HEX, plain);
    }
    if bytes.len() >= NOISE_FROM && is_noise(bytes) {
        return (bytes.len() as u64 * costs::NOISE, bytes.len());
    }
    let (mut at, mut sum) = (0, 0);
    while at < plain {
        let digits = run(hex, at, |it| it.is_ascii_digit());
        if digits > at {
            sum += ((digits - at) as u64).div_ceil(3) * costs::DIGITS;
            at = digits;
            continue;
        }
        // Capitals, then small letters: a part of a name in camel case.
        let capitals = run(hex, at, |it| it.is_ascii_uppercase());
        let end = run(hex, capitals, |it| it.is_ascii_lowercase());
        let letters = (end - at) as u64;
        sum += costs::WORD + letters.saturating_sub(costs::SHORT) * costs::LETTER;
        at = end;
    }
    (sum, plain)
}

/// Small letters, capitals and digits mixed as no name mixes them.
fn is_noise(bytes: &[u8]) -> bool {
    let kind = |it: &u8| match it {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = bytes.windows(2).filter(|it| kind(&it[0]) != kind(&it[1])).count();
    bytes.iter().any(u8::is_ascii_digit) && changes * 3 >= bytes.len()
}

fn signs(bytes: &[u8]) -> u64 {
    let equal = bytes.windows(2).filter(|it| it[0] == it[1]).count() as u64;
    costs::SIGN + equal * costs::EQUAL + (bytes.len() as u64 - 1 - equal) * costs::FURTHER
}

/// The cost of the first character and its bytes.
fn wide(text: &str) -> (u64, usize) {
    let Some(c) = text.chars().next() else { return (0, 1) };
    let cost = match c {
        '\u{3000}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}' => costs::CJK,
        _ if c.is_alphabetic() => costs::LETTERS,
        _ => costs::OTHER,
    };
    (cost, c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::super::exact::Vocabulary;
    use super::*;

    /// Text of each kind, from this crate itself and from what is written here.
    fn kinds() -> Vec<(&'static str, String)> {
        let noise: Vec<u8> = (0..6_000_u32).map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let hex: String = noise.iter().map(|it| format!("{it:02x}")).collect();
        let json = serde_json::to_string(&crate::sample::conversation()).unwrap_or_default();
        let pretty = serde_json::to_string_pretty(&crate::sample::conversation()).unwrap_or_default();
        vec![
            ("prose", include_str!("../../.ac.mod.md").to_string()),
            ("code", include_str!("../wire/sse.rs").to_string() + include_str!("../wire/http.rs")),
            ("table", include_str!("../catalogue/models.txt").to_string()),
            ("json", json),
            ("json on lines", pretty),
            ("base64", base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &noise)),
            ("hexadecimal", hex),
            ("chinese", "模型每一轮都会读取代码，修改文件，然后运行测试。如果检查失败，它会再读一遍，找出原因并修复。用户可以随时打断。".into()),
            ("japanese", "このツールはコードを読み、ファイルを編集し、テストを実行します。失敗した場合は原因を調べて修正します。".into()),
            ("korean", "이 도구는 코드를 읽고 파일을 편집한 다음 테스트를 실행합니다. 검사가 실패하면 원인을 찾아 고칩니다.".into()),
            ("russian", "Модель читает код, изменяет файлы и запускает проверки. Если проверка не проходит, она ищет причину.".into()),
            ("rules", "=".repeat(80) + "\n" + &"-".repeat(72) + "\n"),
        ]
    }

    #[test]
    fn each_kind_of_text_is_met() {
        let words = Vocabulary::O200k.load();
        for (kind, text) in kinds() {
            let (exact, about) = (words.count(&text) as f64, estimate(&text) as f64);
            let short = if text.len() < 2_000 { 0.25 } else { 0.15 };
            assert!((about / exact - 1.0).abs() <= short, "{kind}: {about} for {exact}");
        }
    }

    #[test]
    fn edges() {
        let cases = [
            ("", 0),
            ("a", 1),
            (" a", 1),
            ("hello world", 2),
            ("\n", 1),
            ("12345", 2),
            ("\u{7f}", 1),
            ("é", 1),
            ("😀", 2),
        ];
        for (text, tokens) in cases {
            assert_eq!(estimate(text), tokens, "{text:?}");
        }
    }
}
