import type { StandingText } from "../amend/amend.ts";
import { amend } from "../amend/amend.ts";
import { type Operation, operationKinds } from "../amend/operation.ts";
import type { Verdict } from "../amend/verdict.ts";
import type { Given } from "../charters/declaration.ts";
import { findSection } from "../prompt/charter.ts";
import { unified } from "../prompt/diff.ts";
import { gather } from "../prompt/gather.ts";
import type { Actor } from "../prompt/mutability.ts";
import { Problem } from "../prompt/problem.ts";
import { colours } from "./colour.ts";
import { readText } from "./input.ts";
import { loadGiven } from "./load.ts";
import { noMoreWords, parseOptions, promptOptions, requiredOption, wholeNumber } from "./options.ts";
import { roomOf } from "./room.ts";
import { patience } from "./show.ts";

const options = {
  ...promptOptions,
  section: { type: "string", short: "s" },
  operation: { type: "string", short: "o" },
  content: { type: "string" },
  "content-file": { type: "string" },
  marker: { type: "string" },
  to: { type: "string" },
  revision: { type: "string" },
  reason: { type: "string" },
  actor: { type: "string" },
  "dry-run": { type: "boolean" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("amend", args, options);
  noMoreWords("amend", positionals);
  if (!values["dry-run"])
    throw new Problem(
      "no-store",
      "There is no store yet to keep an amendment in.",
      "Add --dry-run to see what would become of it.",
    );
  const asked = requiredOption("amend", "section", values.section);
  const operation = operationOf(values);
  const actor = actorOf(values.actor);
  const given = await loadGiven("amend", values);
  const { section } = findSection(given.charter, asked);
  const limits = await roomOf(given.charter, values, false);
  const readings = await gather(
    given.charter,
    given.turn,
    patience(wholeNumber("time-limit", values["time-limit"]) ?? 10),
  );
  const revision = wholeNumber("revision", values.revision);
  const verdict = amend(
    given.charter,
    standingText(given, section.name),
    {
      section: section.name,
      operation,
      actor,
      ...(revision === undefined ? {} : { revision }),
      ...(values.reason === undefined ? {} : { reason: values.reason }),
    },
    (await given.rules())(section.name, readings, limits),
    given.turnFacts,
  );
  process.stdout.write(
    values.json ? `${JSON.stringify(verdictJson(verdict, section.name))}\n` : report(verdict, section.name),
  );
  return verdict.verdict === "accepted" ? 0 : 1;
}

function operationOf(values: Values): Operation {
  const kind = requiredOption("amend", "operation", values.operation);
  const content = () => {
    if (values["content-file"] !== undefined && values.content !== undefined)
      throw new Problem("usage", "Both --content and --content-file were given.", "Give one of them.");
    if (values["content-file"] === "-" && values.input === "-")
      throw new Problem(
        "usage",
        "Facts and content cannot both come from standard input.",
        "Put one of them in a file.",
      );
    if (values["content-file"] !== undefined) return readText(values["content-file"], "content file");
    if (values.content !== undefined) return values.content;
    throw new Problem("usage", `The operation ${kind} needs --content or --content-file.`, "See charter amend --help.");
  };
  switch (kind) {
    case "append":
    case "prepend":
    case "rewrite":
      return { kind, content: content() };
    case "replace_section":
      return { kind, marker: requiredOption("amend", "marker", values.marker), content: content() };
    case "reset":
      return { kind };
    case "revert":
      return { kind, to: wholeNumber("to", requiredOption("amend", "to", values.to)) as number };
    default:
      throw new Problem(
        "usage",
        `There is no operation “${kind}”.`,
        `The operations are ${operationKinds.join(", ")}.`,
      );
  }
}

function actorOf(name = "agent"): Actor {
  if (name === "agent" || name === "user" || name === "operator") return name;
  throw new Problem("usage", `There is no actor “${name}”.`, "An actor is agent, user or operator.");
}

function standingText({ charter, turn }: Given, name: string): StandingText {
  const { section } = findSection(charter, name);
  const original = section.original ?? section.words ?? "";
  const standing = turn.standing[name];
  if (standing && "text" in standing) return { original, text: standing.text, revision: standing.revision };
  return { original, text: original, revision: 0 };
}

/** The contract other languages script against. Refused means nothing changed: `after` is what stands then. */
function verdictJson(verdict: Verdict, section: string) {
  const { before } = verdict;
  const after = verdict.verdict === "refused" ? before : verdict.after;
  const refusals =
    verdict.verdict === "accepted" ? [] : verdict.refusals.map(({ guard, because }) => ({ guard, because }));
  return { verdict: verdict.verdict, refusals, before, after, diff: unified(before, after, section) };
}

function report(verdict: Verdict, section: string): string {
  const paint = colours(process.stdout);
  const colour = { accepted: paint.green, refused: paint.red, held: paint.yellow }[verdict.verdict];
  const refusals = verdict.verdict === "accepted" ? [] : verdict.refusals;
  const after = verdict.verdict === "refused" ? (verdict.proposed ?? verdict.before) : verdict.after;
  const changes = unified(verdict.before, after, section)
    .split("\n")
    .map((line) => (line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line));
  return [colour(verdict.verdict), ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`), ...changes].join(
    "\n",
  );
}
