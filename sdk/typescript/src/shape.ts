/**
 * Tells events that this version knows from those that it does not.
 *
 * An event of a known kind that holds a value which is not known counts as unknown as a whole, so that no reader ever
 * acts on half of it. What an older program left out is filled in with its default.
 */

import { SHAPES } from "./shapes.js";

type Check = (value: unknown) => boolean;
type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const types = new Map<string, Check>();
const events = new Map<string, Check>();

/** True where the event is one that this version knows in all its parts; then its defaults have been filled in. */
export function isKnown(frame: { event: string }): boolean {
  const kind = frame.event;
  let check = events.get(kind);
  if (!check) {
    if (!Object.hasOwn(SHAPES.events, kind)) return false;
    events.set(kind, (check = compile(SHAPES.events[kind])));
  }
  return check(frame);
}

function compile(shape: unknown): Check {
  if (typeof shape === "string") return shape[0] === "@" ? named(shape.slice(1)) : primitive(shape);
  if (!Array.isArray(shape)) return fields(shape as Fields);
  const [kind, ...rest] = shape as [string, ...unknown[]];
  switch (kind) {
    case "?":
      return nullable(compile(rest[0]));
    case "[":
      return list(compile(rest[0]));
    case "(": {
      const items = rest.map(compile);
      return (it) => Array.isArray(it) && it.length === items.length && items.every((check, at) => check(it[at]));
    }
    case "{":
      return map(compile(rest[0]));
    case "=": {
      const words = new Set(rest);
      return (it) => words.has(it);
    }
    case "t":
      return tagged(rest[0] as string, rest[1] as Fields);
    default: {
      const some = rest.map(compile);
      return (it) => some.some((check) => check(it));
    }
  }
}

function primitive(shape: string): Check {
  switch (shape) {
    case "s":
      return (it) => typeof it === "string";
    case "b":
      return (it) => typeof it === "boolean";
    case "u":
      return (it) => Number.isInteger(it) && (it as number) >= 0;
    case "i":
      return (it) => Number.isInteger(it);
    case "n":
      return (it) => typeof it === "number";
    default:
      return (it) => it !== undefined;
  }
}

/** A type by its name; compiled when it is first met, since types may hold themselves. */
function named(name: string): Check {
  return (it) => {
    let check = types.get(name);
    if (!check) {
      check = compile(SHAPES.types[name]);
      if (name === "PlanStep") check = planStep(check);
      types.set(name, check);
    }
    return check(it);
  };
}

/** Logs of earlier versions say `done: true` of a step. */
function planStep(check: Check): Check {
  return (it) => {
    if (isObject(it)) {
      const said = it.done ?? it.state;
      if (typeof said === "boolean") it.state = said ? "said" : "open";
      delete it.done;
    }
    return check(it);
  };
}

const nullable = (check: Check): Check => (it) => it === null || check(it);
const list = (check: Check): Check => (it) => Array.isArray(it) && it.every(check);
const map = (check: Check): Check => (it) => isObject(it) && Object.values(it).every(check);

function tagged(tag: string, by: Fields): Check {
  const checks = new Map(Object.entries(by).map(([name, shape]) => [name, compile(shape)]));
  return (it) => isObject(it) && (checks.get(it[tag] as string)?.(it) ?? false);
}

function fields(of: Fields): Check {
  const more = ((of["+"] as unknown[] | undefined) ?? []).map(compile);
  const all = Object.entries(of)
    .filter(([name]) => name !== "+")
    .map(([name, shape]) => field(name, shape));
  return (it) => isObject(it) && all.every((check) => check(it)) && more.every((check) => check(it));
}

function field(name: string, shape: unknown): (of: Fields) => boolean {
  if (!name.endsWith("?")) {
    const check = compile(shape);
    return (of) => check(of[name]);
  }
  const key = name.slice(0, -1);
  const filled = Array.isArray(shape) && shape[0] === "~";
  const check = compile(filled ? shape[2] : shape);
  return (of) => {
    if (of[key] !== undefined) return check(of[key]);
    if (filled) of[key] = structuredClone(shape[1]);
    return true;
  };
}
