import type { Notice } from "../prompt/notice.ts";
import type { Fact } from "./facts.ts";
import { nearestName } from "./nearest-name.ts";

/** What a fact may hold: anything; fields by name; or a list of such. `*` stands for any name. */
type FactShape = "anything" | readonly [FactShape] | FactFields;

/** What a charter is told besides what all are, as docs/facts.md lists it. */
export type FactFields = { readonly [name: string]: FactShape };

/** Fields that hold anything, by their names. */
export const fields = (names: string): FactFields =>
  Object.fromEntries(names.split(" ").map((name) => [name, "anything"]));

const common: FactFields = {
  ...fields("agent user channel now zone standing revisions edition imported secondOpinion window mcp"),
  tools: [fields("name promptSnippet promptGuidelines left")],
  turn: fields("tainted amendments callsLeft"),
  sessions: fields("idleHours across"),
  attachments: fields("maxBytes maxCount kinds trusted"),
};

/** A fact nobody reads: where it stands, and what may have been meant. */
type UnknownFact = { readonly path: string; readonly meant: string | undefined };

/** The facts a charter does not read, however deep. One that does not say what it is told may be told anything else. */
export function unknownFacts(own: FactFields | undefined, facts: Fact): UnknownFact[] {
  const shape: FactFields = { ...common, ...(own ?? { "*": "anything" }) };
  const paths = pathsOf(shape, "");
  return unreadIn(facts.value, shape, "").map((path) => ({ path, meant: meantBy(path, paths) }));
}

/** The same as notices: what was meant by it does not hold, and the operator should know. */
export function unknownFactNotices(charter: string, own: FactFields | undefined, facts: Fact): Notice[] {
  return unknownFacts(own, facts).map(({ path, meant }) => {
    const guess = meant === undefined ? "" : ` Did you mean “${meant}”?`;
    return { code: "unknown-fact", message: `The charter ${charter} is not told “${path}”; it was not read.${guess}` };
  });
}

/** The names at the top that a charter reads out of settings. */
export function settingNames(own: FactFields | undefined): string[] {
  return Object.keys({ ...common, ...own }).filter((name) => !live.has(name));
}

/** Every place that a charter reads out of settings besides what all do: `original.soul`. */
export function settingPaths(own: FactFields): string[] {
  const lasting = Object.fromEntries(Object.entries(own).filter(([name]) => !live.has(name)));
  const paths = pathsOf(lasting, "");
  return paths.filter((path) => !paths.some((one) => one.startsWith(`${path}.`)));
}

/** What every turn brings, or amendments do. */
const live = new Set("agent user channel now standing revisions turn identity imported".split(" "));

function unreadIn(value: unknown, shape: FactShape, path: string): string[] {
  if (shape === "anything" || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    if (!isList(shape)) return [];
    return value.flatMap((one, index) => unreadIn(one, shape[0], `${path}[${index}]`));
  }
  if (isList(shape)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = path === "" ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape, name) ? shape[name] : shape["*"];
    // One that says nothing does nothing, whatever it is called.
    if (known === undefined) return inner === null ? [] : [below];
    return unreadIn(inner, known, below);
  });
}

function isList(shape: FactShape): shape is readonly [FactShape] {
  return Array.isArray(shape);
}

/** Every place that is read, `original.soul` among them; places in lists are left out. */
function pathsOf(shape: FactShape, path: string): string[] {
  if (shape === "anything" || isList(shape)) return [path];
  const below = Object.entries(shape).filter(([name]) => name !== "*");
  const inner = below.flatMap(([name, one]) => pathsOf(one, path === "" ? name : `${path}.${name}`));
  return path === "" ? inner : [path, ...inner];
}

/** A slip of the pen beside it, or the same name where it is read. */
function meantBy(path: string, paths: readonly string[]): string | undefined {
  const last = (one: string) => one.slice(one.lastIndexOf(".") + 1);
  const folder = path.slice(0, path.length - last(path).length);
  const beside = paths.filter((one) => one.startsWith(folder) && !one.slice(folder.length).includes("."));
  const near = nearestName(
    last(path),
    beside.map((one) => one.slice(folder.length)),
  );
  if (near !== undefined) return folder + near;
  const elsewhere = paths.filter((one) => last(one) === last(path));
  return elsewhere.length > 0 ? elsewhere[0] : undefined;
}
