// Are the tests worth their name? Each mutation breaks one line of the product in a copy of it; the tests must notice.
// `npm run mutate`, with --only <name>… , --list or --json.

import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** One break: the words in a file, exactly once, and what stands there instead. */
type Mutation = { readonly name: string; readonly file: string; readonly find: string; readonly replace: string };

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
const guards = "amend/guards";
const mutations: readonly Mutation[] = [
  {
    name: "allowed-hand",
    file: `${guards}/allowed-hand.ts`,
    find: "if (mutability.amendableBy.includes(actor)) return undefined;",
    replace: "return undefined;",
  },
  {
    name: "allowed-hand-fixed",
    file: `${guards}/allowed-hand.ts`,
    find: 'if (mutability === "fixed") return',
    replace: 'if (mutability === "fixed") return undefined; else if (mutability === "fixed") return',
  },
  {
    name: "size-limit-bytes",
    file: `${guards}/size-limit.ts`,
    find: "bytes !== undefined && utf8Bytes(after) > bytes",
    replace: "false && bytes !== undefined",
  },
  {
    name: "size-limit-chars",
    file: `${guards}/size-limit.ts`,
    find: "chars !== undefined && characters > chars",
    replace: "false && chars !== undefined",
  },
  {
    name: "size-limit-least",
    file: `${guards}/size-limit.ts`,
    find: "atLeastChars !== undefined && characters < atLeastChars",
    replace: "false && atLeastChars !== undefined",
  },
  {
    name: "protected-opening",
    file: `${guards}/protected-opening.ts`,
    find: "after.startsWith(original.slice(0, openingEnd(original, chars)))",
    replace: 'after.startsWith("") || openingEnd(original, chars) < 0',
  },
  {
    name: "well-formed",
    file: `${guards}/well-formed.ts`,
    find: "const faults = textFaults(change.after);",
    replace: "const faults = textFaults(change.before);",
  },
  {
    name: "well-formed-invisible",
    file: `${guards}/well-formed.ts`,
    find: "if (control !== undefined)",
    replace: "if (control === -1)",
  },
  {
    name: "well-formed-open-fence",
    file: `${guards}/well-formed.ts`,
    find: "if (fence) faults",
    replace: "if (fence && text === fence.what) faults",
  },
  {
    name: "no-forgery",
    file: `${guards}/no-forgery.ts`,
    find: "if (found.length === 0) return undefined;",
    replace: "if (found.length >= 0) return undefined;",
  },
  {
    name: "no-override",
    file: `${guards}/no-override.ts`,
    find: "if (!found) return undefined;",
    replace: "if (!found || from === 0) return undefined;",
  },
  {
    name: "room",
    file: "amend/guards/room.ts",
    find: "if (short) return no(tooMuch(name, short));",
    replace: "if (short) return undefined;",
  },
  {
    name: "turn-quota",
    file: `${guards}/turn-quota.ts`,
    find: "turn.amendments < perTurn",
    replace: "turn.amendments < perTurn + 99",
  },
  {
    name: "turn-state",
    file: `${guards}/turn-state.ts`,
    find: "allowed.includes(turn.state)",
    replace: "allowed.length > 0",
  },
  {
    name: "stale-revision",
    file: `${guards}/stale-revision.ts`,
    find: "base === undefined || base === revision",
    replace: "base === undefined || base !== -1",
  },
  {
    name: "needs-approval",
    file: `${guards}/needs-approval.ts`,
    find: 'actor === "agent" && turn.tainted',
    replace: 'actor === "operator" && turn.tainted',
  },
  {
    name: "all-refusals-at-once",
    file: "amend/amend.ts",
    find: "const against = refusals.filter((refusal) => !refusal.holds);",
    replace: "const against = refusals.filter((refusal) => !refusal.holds).slice(0, 1);",
  },
  {
    name: "passage-not-found",
    file: "amend/operation.ts",
    find: "const found = all.filter((passage) => names(heading, passage.heading));",
    replace: "const found = all.filter((passage) => names(heading, passage.heading) || all.length === 1);",
  },
  {
    name: "passage-ambiguous",
    file: "amend/operation.ts",
    find: "if (others.length > 0) {",
    replace: "if (others.length > 99) {",
  },
  {
    name: "passage-level",
    file: "prompt/passage.ts",
    find: "marker.level === heading.level && marker.title === heading.title",
    replace: "marker.title === heading.title",
  },
  {
    name: "revert-unknown",
    file: "amend/operation.ts",
    find: "if (after !== undefined) return { after };",
    replace: "return { after: after ?? ground.text };",
  },
  {
    name: "block-fence",
    file: "prompt/fence.ts",
    find: "words.split(lineEnd).map(",
    replace: 'words.split("\\n").map(',
  },
  {
    name: "block-fence-mark",
    file: "prompt/fence.ts",
    find: "`> ${line.replace(hidden, escaped)}`",
    replace: "`${line.replace(hidden, escaped)}`",
  },
  {
    name: "foreign-not-fenced",
    file: "prompt/rendering.ts",
    find: '(part.trust ?? planned.trust) === "foreign" && !part.fenced',
    replace: 'part.trust === "foreign" && !part.fenced',
  },
  {
    name: "one-line-fence",
    file: "prompt/fence.ts",
    find: "return JSON.stringify(words).replace(hidden, escaped);",
    replace: "return JSON.stringify(words);",
  },
  {
    name: "one-line-fence-quote",
    file: "prompt/fence.ts",
    find: "return JSON.stringify(words).replace(hidden, escaped);",
    replace: 'return `"${words.replace(hidden, escaped)}"`;',
  },
  {
    name: "inert-headings",
    file: "prompt/forgery.ts",
    find: "if (title && depth <= level)",
    replace: "if (title && depth < level)",
  },
  {
    name: "inert-setext",
    file: "prompt/passage.ts",
    find: 'name.startsWith("ATXHeading") || name.startsWith("SetextHeading")',
    replace: 'name.startsWith("ATXHeading")',
  },
  {
    name: "inert-underlines",
    file: "prompt/forgery.ts",
    find: "if (under && high <= level)",
    replace: "if (under && high < level - 9)",
  },
  {
    name: "inert-separators",
    file: "prompt/forgery.ts",
    find: "const parting = rules ? rule.exec(line) : null;",
    replace: "const parting = rules ? null : rule.exec(line);",
  },
  {
    name: "inert-together",
    file: "prompt/inert.ts",
    find: "texts.map((text, index) => text + gaps[index]).join",
    replace: 'texts.map((text) => text + "\\n\\n").join',
  },
  {
    name: "open-fence-closed",
    file: "prompt/inert.ts",
    find: 'closing: opens.size === 1 ? closingFence(words, [...opens][0] ?? 0) : ""',
    replace: 'closing: opens.size === 99 ? closingFence(words, [...opens][0] ?? 0) : ""',
  },
  {
    name: "odd-line-ends",
    file: "prompt/forgery.ts",
    find: 'replace(/[\\r\\v\\f\\u0085\\u2028\\u2029]/g, "\\n")',
    replace: 'replace(/[\\r\\u0085]/g, "\\n")',
  },
  {
    name: "fixed-check",
    file: "prompt/assembly.ts",
    find: "if (plan.fixedCount > 0) checkFixed(plan, shown, text);",
    replace: "if (plan.fixedCount < 0) checkFixed(plan, shown, text);",
  },
  {
    name: "fixed-order",
    file: "prompt/charter.ts",
    find: 'if (mutability === "fixed" && changeable)',
    replace: 'if (mutability === "fixed" && changeable === "")',
  },
  {
    name: "fixed-gives-way",
    file: "prompt/charter.ts",
    find: "faults.push(`givesWay names “${rule.section}”, which is fixed.`);",
    replace: "faults.slice();",
  },
  {
    name: "fixed-short-words",
    file: "prompt/plan.ts",
    find: "(section.short ?? section.words) : section.words",
    replace: "section.words?.slice(0, 9) : section.words",
  },
  {
    name: "missing-fixed-words",
    file: "prompt/lock.ts",
    find: "if (at === -1) return [section.name];",
    replace: "if (at === -1) return [];",
  },
  {
    name: "missing-fixed-words-order",
    file: "prompt/lock.ts",
    find: "from = at + words.length;",
    replace: "from = 0;",
  },
  {
    name: "lock-comparison",
    file: "prompt/lock.ts",
    find: "before.words === after.words && before.short === after.short",
    replace: "before.short === after.short",
  },
  {
    name: "lock-comparison-short",
    file: "prompt/lock.ts",
    find: "before.words === after.words && before.short === after.short",
    replace: "before.words === after.words",
  },
  {
    name: "told-lines",
    file: "prompt/giving.ts",
    find: "told.set(first, [...(told.get(first) ?? []), line]);",
    replace: "told.set(first, [...(told.get(first) ?? []), line].slice(1));",
  },
  {
    name: "told-numbers",
    file: "prompt/cut.ts",
    find: 'replaceAll("{missing}", () => String(missing))',
    replace: 'replaceAll("{missing}", () => String(missing - 1))',
  },
  {
    name: "limit-told",
    file: "prompt/rendering.ts",
    find: "parts: [...shown, toldPart(planned, limit.told, limit.chars, missing)],",
    replace: "parts: shown,",
  },
  {
    name: "reserve",
    file: "prompt/fit.ts",
    find: "giveWay(plan, stable, limit - reserve - (plan.moves ? partingSize(stable, measure) : 0), measure);",
    replace: "giveWay(plan, stable, limit - sizeOfAll(moving, measure), measure);",
  },
  {
    name: "gives-way-order",
    file: "prompt/fit.ts",
    find: "for (const { rule, index } of plan.rules) {",
    replace: "for (const { rule, index } of plan.rules.toReversed()) {",
  },
  {
    name: "gives-way-keep",
    file: "prompt/giving.ts",
    find: "found.length - (rule.keep ?? 0)",
    replace: "found.length - 0 * (rule.keep ?? 0)",
  },
  {
    name: "no-room",
    file: "prompt/fit.ts",
    find: "if (total <= limit) break;",
    replace: "if (total <= limit + 9) break;",
  },
  {
    name: "unavailable-section",
    file: "prompt/rendering.ts",
    find: 'return reading.status === "empty" && fallback !== undefined',
    replace: "return fallback !== undefined",
  },
  {
    name: "unavailable-layer",
    file: "prompt/assembly.ts",
    find: 'return reading.status === "empty" && planned.section.words',
    replace: 'return reading.status !== "present" && planned.section.words',
  },
  {
    name: "unavailable-shown",
    file: "prompt/assembly.ts",
    find: '(reading.status === "unavailable" || fallback === undefined)',
    replace: "fallback === undefined",
  },
  {
    name: "unavailable-join",
    file: "prompt/reading.ts",
    find: 'if (parts.length === 0 && reasons.length === 0) return { status: "empty"',
    replace: 'if (parts.length === 0) return { status: "empty"',
  },
  {
    name: "unavailable-first-of",
    file: "prompt/reading.ts",
    find: 'reading.status !== "empty") ?? empty',
    replace: 'reading.status === "present") ?? empty',
  },
  {
    name: "separator-owner",
    file: "prompt/rendering.ts",
    find: 'const lastGap = closing === undefined ? separator : "\\n";',
    replace: 'const lastGap = closing === undefined ? "" : "\\n";',
  },
  {
    name: "span-owner",
    file: "prompt/prompt.ts",
    find: 'const hasOpening = planned.opening[rendering.edition] !== "" ? 1 : 0;',
    replace: "const hasOpening = 0;",
  },
  {
    name: "why-every-place",
    file: "prompt/span.ts",
    find: "prompt.text.indexOf(words, start + 1)",
    replace: "prompt.text.indexOf(words, start + words.length)",
  },
  {
    name: "token-merge",
    file: "prompt/tokens.ts",
    find: "opens: plain || !clings.test(text),",
    replace: "opens: true,",
  },
  {
    name: "token-merge-sections",
    file: "prompt/measure.ts",
    find: "last?.ends === true && first?.opens === true",
    replace: "last?.ends === true || first?.opens === true",
  },
  {
    name: "compare-and-set",
    file: "amend/ledger.ts",
    find: "if (amendment.revision !== before.length + 1) return false;",
    replace: "",
  },
  {
    name: "compare-and-set-digest",
    file: "amend/ledger.ts",
    find: "if (before.length > 0 && before.at(-1)?.digest !== amendment.previous) return false;",
    replace: "",
  },
  {
    name: "ledger-scope",
    file: "amend/ledger.ts",
    find: "JSON.stringify([scope.agent, scope.user ?? null, section])",
    replace: "JSON.stringify([scope.agent, section])",
  },
  {
    name: "replay-digest",
    file: "amend/replay.ts",
    find: 'if (amendment.digest !== amendmentDigest(amendment, sha256)) return stop("edited");',
    replace: "",
  },
  {
    name: "replay-chain",
    file: "amend/replay.ts",
    find: "if (amendment.previous !== previous || amendment.before !== text)",
    replace: "if (amendment.previous === text)",
  },
  {
    name: "replay-missing",
    file: "amend/replay.ts",
    find: 'if (amendment.revision !== revision) return stop("reordered");',
    replace: "",
  },
  {
    name: "digest-reason",
    file: "amend/amendment.ts",
    find: "reason: reason === null ? null : sha256(reason),",
    replace: "reason: null,",
  },
  {
    name: "grapheme",
    file: "prompt/character.ts",
    find: "if (!grapheme || grapheme.index === index - line) return index;",
    replace: "if (grapheme || line >= 0) return index;",
  },
  {
    name: "bytes",
    file: `${guards}/size-limit.ts`,
    find: "else if (unit < 0x800) bytes += 2;",
    replace: "else if (unit < 0x800) bytes += 1;",
  },
  {
    name: "characters",
    file: "prompt/character.ts",
    find: "return text.length - pairs;",
    replace: "return text.length;",
  },
  {
    name: "rendering-cache",
    file: "prompt/rendering.ts",
    find: "last !== undefined && isSame(last.reading, reading)",
    replace: "last !== undefined && last.reading.status === reading.status",
  },
  {
    name: "rendering-cache-parts",
    file: "prompt/rendering.ts",
    find: "if (one.parts[index] !== other.parts[index]) return false;",
    replace: "if (one.parts[index]?.id !== other.parts[index]?.id) return false;",
  },
  {
    name: "emptied-cache",
    file: "prompt/giving.ts",
    find: "`${edition} ${left[0].text}`",
    replace: "`${left[0].text.length}`",
  },
  {
    name: "store-row-sound",
    file: "store/amendments.ts",
    find: "return reasonHolds && sealedDigest(sealed, sha256) === row.digest;",
    replace: "return reasonHolds || sealedDigest(sealed, sha256) === row.digest;",
  },
  {
    name: "store-text-proved",
    file: "store/text.ts",
    find: "if (text === undefined || sha256(text) !== digest) return undefined;",
    replace: "if (text === undefined) return undefined;",
  },
  {
    name: "store-words-proved",
    file: "store/standing.ts",
    find: "    sha256(head.words) === row.after_digest &&\n    isSound(row)",
    replace: "    isSound(row)",
  },
  {
    name: "store-fault",
    file: "store/standing.ts",
    find: "proves(row, head) && fault(name, head.words) === undefined",
    replace: "proves(row, head)",
  },
  {
    name: "store-key",
    file: "store/propose.ts",
    find: "const before = key === undefined ? undefined : await settledBefore",
    replace: "const before = key !== undefined ? undefined : await settledBefore",
  },
  {
    name: "store-frozen",
    file: "store/judge.ts",
    find: "agent.frozen === null ? []",
    replace: "agent.frozen !== undefined ? []",
  },
  {
    name: "store-turn-quota",
    file: "store/judge.ts",
    find: "Math.max(given.amendments, made?.count ?? 0)",
    replace: "given.amendments",
  },
  {
    name: "store-begin-immediate",
    file: "store/home/sqlite.ts",
    find: '"pragma busy_timeout = 0; begin immediate"',
    replace: '"pragma busy_timeout = 0; begin"',
  },
  {
    name: "store-rollback",
    file: "store/home/sqlite.ts",
    find: 'handle.exec("commit");\n          for (const wake of wakers) wake();',
    replace: "for (const wake of wakers) wake();",
  },
  {
    name: "store-row-security",
    file: "store/home/postgres-schema.ts",
    find: "for select to ${role} using (${see})",
    replace: "for select to ${role} using (true)",
  },
  {
    name: "store-row-security-write",
    file: "store/home/postgres-schema.ts",
    find: "for delete to ${role} using (${remove})",
    replace: "for delete to ${role} using (true)",
  },
  {
    name: "store-scope-search",
    file: "store/memory.ts",
    find: 'delete from memories where id = ${id} and agent = ${scope.agent} and user_id = ${scope.user ?? ""}',
    replace: "delete from memories where id = ${id}",
  },
  {
    name: "store-fifo",
    file: "store/conversations.ts",
    find: "and number <= ${number - limits.exchanges}",
    replace: "and number < ${number - limits.exchanges}",
  },
  {
    name: "store-lru",
    file: "store/conversations.ts",
    find: "order by active desc\n      limit",
    replace: "order by active\n      limit",
  },
  {
    name: "store-second-reply",
    file: "store/inbox.ts",
    find: "and id = ${id} and status in ('waiting', 'taken')",
    replace: "and id = ${id}",
  },
  {
    name: "store-step-chain",
    file: "store/steps.ts",
    find: "turn, step, at, receipt, previous]",
    replace: "turn, step, at, receipt]",
  },
  {
    name: "store-token-revoked",
    file: "store/tokens.ts",
    find: "and revoked_at is null\n          and (expires_at",
    replace: "and (expires_at",
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The quick tests first: the stories, which start real processes, run only where those notice nothing. */
const quick = ["charter/src", "charter/test/properties"];
const lasting = ["charter/test/store"];
const stories = ["charter/test/scenarios"];
const patience = 900_000;

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, list: { type: "boolean" }, json: { type: "boolean" } },
});

const chosen = mutations.filter(({ name }) => !values.only || values.only.includes(name));
for (const name of values.only ?? [])
  if (!mutations.some((mutation) => mutation.name === name)) fail(`There is no mutation “${name}”; --list names them.`);

const folder = mkdtempSync(join(tmpdir(), "charter-mutate-"));
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** What the tests are run on: one moment's copy, so that work going on in the clone does not disturb them. */
const snapshot = join(folder, "snapshot");
cpSync(join(root, "charter"), snapshot, {
  recursive: true,
  filter: (path) => !["node_modules", "dist"].includes(basename(path)),
});
const rotten = chosen.flatMap((mutation) => (mutated(mutation) === undefined ? [mutation] : []));
if (rotten.length > 0)
  fail(
    rotten
      .map(({ name, file, find }) => `“${name}”: ${file} does not hold, exactly once:\n  ${find.trim()}`)
      .join("\n"),
  );

if (values.list) {
  for (const { name, file } of chosen) process.stdout.write(`${name.padEnd(28)} ${file}\n`);
  process.exit(0);
}
process.exitCode = await judge();

type Result = { readonly name: string; readonly killedBy: string | undefined; readonly seconds: number };

async function judge(): Promise<number> {
  const whole = await runTests(copy("whole"), [...quick, ...lasting, ...stories], []);
  const already = whole.failed.map(({ pattern }) => pattern);
  if (whole.failed.length > 0) {
    process.stderr.write(`${whole.failed.length} tests fail without any mutation, and are left out:\n`);
    for (const { file, title } of whole.failed) process.stderr.write(`  ${file}: ${title}\n`);
  } else if (!whole.passed) fail(`The tests do not run without any mutation:\n${whole.output.slice(-2000)}`);
  const results: Result[] = [];
  const waiting = [...chosen];
  const work = async () => {
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const result = await tryOne(mutation, already);
      results.push(result);
      const { name, killedBy, seconds } = result;
      if (!values.json)
        process.stdout.write(`${name.padEnd(28)} ${(killedBy ?? "SURVIVED").padEnd(90)} ${seconds.toFixed(1)} s\n`);
    }
  };
  await Promise.all([work(), work()]);
  const survived = results.filter(({ killedBy }) => killedBy === undefined);
  if (values.json) process.stdout.write(`${JSON.stringify({ failingBefore: whole.failed, results }, null, 2)}\n`);
  else process.stdout.write(`\n${results.length - survived.length} of ${results.length} mutations were noticed.\n`);
  return survived.length > 0 || already.length > 0 ? 1 : 0;
}

async function tryOne(mutation: Mutation, already: readonly string[]): Promise<Result> {
  const began = Date.now();
  const place = copy(mutation.name);
  writeFileSync(join(place, "charter", "src", mutation.file), mutated(mutation) as string);
  const stages = mutation.file.startsWith("store/") ? [lasting, stories] : [quick, lasting, stories];
  let run: Run = { passed: true, failed: [], output: "" };
  for (const stage of stages) if (run.passed) run = await runTests(place, stage, already);
  const { failed, passed, output } = run;
  rmSync(place, { recursive: true, force: true });
  const [first] = failed;
  const known = first && already.includes(first.pattern);
  if (known) fail(`“${first.title}” fails without any mutation and could not be left out.`);
  const killedBy = first ? `${first.file} (${first.title})`.slice(0, 90) : passed ? undefined : lastWords(output);
  return { name: mutation.name, killedBy, seconds: (Date.now() - began) / 1000 };
}

function lastWords(output: string): string {
  const line = output.split("\n").findLast((words) => /Error|timed out/.test(words));
  return (line ?? "the tests did not end well").trim().slice(0, 90);
}

/** The file with its break; nothing when what is to be broken is not there exactly once. */
function mutated({ file, find, replace }: Mutation): string | undefined {
  const path = join(snapshot, "src", file);
  const [before, after, ...others] = existsSync(path) ? readFileSync(path, "utf8").split(find) : [];
  return before === undefined || after === undefined || others.length > 0 ? undefined : before + replace + after;
}

/** A clone of the house, in which only `charter` is a copy; also the package `charter` is that copy. */
function copy(name: string): string {
  const place = join(folder, name);
  mkdirSync(join(place, "node_modules"), { recursive: true });
  for (const entry of readdirSync(root))
    if (![".git", "charter", "node_modules"].includes(entry)) symlinkSync(join(root, entry), join(place, entry));
  for (const entry of readdirSync(join(root, "node_modules")))
    if (entry !== "charter" && !entry.startsWith(".vite"))
      symlinkSync(join(root, "node_modules", entry), join(place, "node_modules", entry));
  cpSync(snapshot, join(place, "charter"), { recursive: true });
  symlinkSync(join(place, "charter"), join(place, "node_modules", "charter"));
  return place;
}

/** `pattern` is for vitest, which joins a test's name to its groups' in a way of its own. */
type Failed = { readonly file: string; readonly title: string; readonly pattern: string };
type Run = { readonly passed: boolean; readonly failed: readonly Failed[]; readonly output: string };

/** Runs the tests, all but those named; with tests to leave out, or a mutation, the first failure is enough. */
async function runTests(place: string, tests: readonly string[], without: readonly string[]): Promise<Run> {
  const report = join(place, "report.json");
  rmSync(report, { force: true });
  const first = basename(place) === "whole" ? [] : ["--bail", "1"];
  const others = without.length === 0 ? [] : ["--testNamePattern", `^(?!.*(?:${without.join("|")})$)`];
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [
    vitest,
    "run",
    ...tests,
    ...first,
    ...others,
    "--maxWorkers",
    "1",
    "--reporter",
    "json",
    "--outputFile",
    report,
  ];
  const { code, output } = await spawned([...args], place);
  const results = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")).testResults as FileResult[]) : [];
  const failed = results.flatMap((file) => {
    const named = file.assertionResults.filter(({ status }) => status === "failed");
    const path = relative(place, file.name);
    if (named.length > 0)
      return named.map(({ fullName, ancestorTitles, title }) => {
        const pattern = [...ancestorTitles, title].map(literally).join("(?: > | )");
        return { file: path, title: fullName, pattern };
      });
    const unread = file.status === "failed" && file.assertionResults.length === 0;
    return unread ? [{ file: path, title: "does not load", pattern: "does not load" }] : [];
  });
  return { passed: code === 0, failed, output };
}

type FileResult = {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly ancestorTitles: readonly string[];
    readonly title: string;
  }[];
};

/** A text as a pattern that matches it and nothing else. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function spawned(args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, FUZZ_SEED: process.env.FUZZ_SEED ?? "20260101", NO_COLOR: "1" };
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    const late = setTimeout(() => {
      output += `\ntimed out after ${patience / 1000} s`;
      child.kill("SIGKILL");
    }, patience);
    child.on("close", (code) => {
      clearTimeout(late);
      running.delete(child);
      resolve({ code, output });
    });
  });
}

function fail(message: string): never {
  process.stderr.write(`mutate: ${message}\n`);
  process.exit(2);
}
