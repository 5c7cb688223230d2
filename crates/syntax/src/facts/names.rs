//! The names that a text uses, gathered while it is walked and thinned out at its end. It resolves nothing: that a name is
//! local is only told where the file itself binds it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Import, MOST_REFERENCES, RefKind, Reference, Symbol};
use crate::parse::to_u32;

/// Uses that are held while a file is walked; further ones are not looked at.
const MOST_HELD: usize = 4 * MOST_REFERENCES;

/// One use of a name within one symbol.
struct Use {
    name: u32,
    line: u32,
    kind: RefKind,
    /// True where something stands in front of it, so that no local variable can be meant.
    member: bool,
    within: Option<u32>,
}

/// The names that were met so far.
#[derive(Default)]
pub(crate) struct Names<'a> {
    numbers: FxHashMap<&'a str, u32>,
    names: Vec<&'a str>,
    seen: FxHashMap<(u32, Option<u32>), usize>,
    uses: Vec<Use>,
    bound: FxHashSet<u32>,
    bound_types: FxHashSet<u32>,
}

impl<'a> Names<'a> {
    fn number(&mut self, name: &'a str) -> u32 {
        let next = to_u32(self.names.len());
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }

    /// Notes that a name is used.
    pub fn add(&mut self, name: &'a str, line: u32, kind: RefKind, member: bool, within: Option<u32>) {
        if self.uses.len() >= MOST_HELD
            || matches!(name, "" | "_")
            || name.starts_with(|c: char| c.is_ascii_digit())
            || name.len() > 200
        {
            return;
        }
        let number = self.number(name);
        let next = self.uses.len();
        match self.seen.entry((number, within)) {
            std::collections::hash_map::Entry::Occupied(it) => {
                let held = &mut self.uses[*it.get()];
                held.kind = held.kind.min(kind);
                held.member |= member;
            }
            std::collections::hash_map::Entry::Vacant(it) => {
                it.insert(next);
                self.uses.push(Use { name: number, line, kind, member, within });
            }
        }
    }

    /// Notes that the file binds a name: a parameter or a variable, or a type parameter.
    pub fn bind(&mut self, name: &'a str, is_type: bool) {
        if self.names.len() < MOST_HELD {
            let number = self.number(name);
            let bound = if is_type { &mut self.bound_types } else { &mut self.bound };
            bound.insert(number);
        }
    }

    /// The references that are kept.
    pub fn into_references(self, symbols: &[Symbol], imports: &[Import]) -> Vec<Reference> {
        let imported: FxHashSet<&str> = imports.iter().flat_map(|it| &it.names).map(String::as_str).collect();
        let own: FxHashSet<&str> = symbols.iter().map(|it| it.name.as_str()).collect();
        let mut out: Vec<Reference> = Vec::new();
        let mut named: FxHashMap<&str, usize> = FxHashMap::default();
        for import in imports {
            for name in import.names.iter().filter(|it| *it != "*") {
                if out.len() < MOST_REFERENCES && !named.contains_key(name.as_str()) {
                    named.insert(name, out.len());
                    out.push(Reference { name: name.clone(), line: import.line, kind: RefKind::Import, within: None });
                }
            }
        }
        for it in &self.uses {
            if out.len() >= MOST_REFERENCES {
                break;
            }
            let name = self.names[it.name as usize];
            let bound = match it.kind {
                RefKind::Other => !it.member && self.bound.contains(&it.name),
                RefKind::Type => self.bound_types.contains(&it.name),
                _ => false,
            };
            let known = imported.contains(name) || own.contains(name);
            let again = if it.within.is_none() { named.get(name) } else { None };
            match again {
                // One reference per name and symbol: the use outside of all symbols says more than the import.
                Some(at) if it.kind < RefKind::Import => {
                    out[*at] = Reference { line: it.line, kind: it.kind, ..out[*at].clone() };
                }
                Some(_) => {}
                None if known || !bound => {
                    out.push(Reference { name: name.to_string(), line: it.line, kind: it.kind, within: it.within });
                }
                None => {}
            }
        }
        out
    }
}
