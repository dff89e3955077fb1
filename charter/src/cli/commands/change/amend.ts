import { sourceTimeout } from "../../../agent/timeout.ts";
import type { StandingText } from "../../../amend/amend.ts";
import { amend } from "../../../amend/amend.ts";
import { type Operation, operationKinds } from "../../../amend/operation.ts";
import type { DeclaredTurn } from "../../../charters/declared-turn.ts";
import { findSection } from "../../../prompt/charter.ts";
import { gather } from "../../../prompt/gather.ts";
import { Problem } from "../../../prompt/problem.ts";
import { readText } from "../../../sources/input-file.ts";
import { printVerdict } from "../../print/verdict.ts";
import { loadDeclaredTurn } from "../../shared/load-declared-turn.ts";
import {
  checkSides,
  noMoreWords,
  parseOptions,
  promptOptions,
  requiredOption,
  wholeNumber,
} from "../../shared/options.ts";
import { actorOf, proposeOptions } from "../../shared/propose-options.ts";
import { roomOf } from "../../shared/room.ts";

const options = {
  ...promptOptions,
  ...proposeOptions,
  operation: { type: "string", short: "o" },
  content: { type: "string" },
  "content-file": { type: "string" },
  compact: { type: "string" },
  marker: { type: "string" },
  to: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("amend", args, options);
  const [word, ...others] = positionals;
  noMoreWords("amend", values.section === undefined ? others : positionals);
  checkSides(values);
  if (values.agent === undefined && values.quote)
    throw new Problem("usage", "--quote needs --agent.", "What a change costs depends on the agent's session.");
  if (!values["dry-run"] && values.agent === undefined)
    throw new Problem(
      "no-store",
      "An amendment has to be stored in a database, and none was named.",
      "Name an agent of the database with --agent, or add --dry-run to only check the change.",
    );
  const asked = requiredOption("amend", "section", values.section ?? word);
  const operation = operationOf(values);
  if (values.agent !== undefined)
    return (await import("./propose.ts")).proposeFromOptions("amend", values, asked, operation);
  return dryRun(values, asked, operation);
}

/** A charter and its facts are all there is: the judgement is made, and nothing is kept. */
async function dryRun(values: Values, asked: string, operation: Operation): Promise<number> {
  const actor = actorOf(values.actor ?? "agent");
  const given = await loadDeclaredTurn("amend", values);
  const { section } = findSection(given.charter, asked);
  const limits = await roomOf(given, values, false);
  const readings = await gather(
    given.charter,
    given.turn,
    sourceTimeout(wholeNumber("time-limit", values["time-limit"]) ?? 10),
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
  return printVerdict(verdict, section.name, values.json);
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
  const compact = values.compact === undefined ? {} : { compact: values.compact };
  switch (kind) {
    case "append":
    case "prepend":
    case "rewrite":
      return { kind, content: content(), ...compact };
    case "replace_section":
      return { kind, marker: requiredOption("amend", "marker", values.marker), content: content(), ...compact };
    case "reset":
      return { kind, ...compact };
    case "revert":
      return { kind, ...compact, to: wholeNumber("to", requiredOption("amend", "to", values.to)) as number };
    default:
      throw new Problem(
        "usage",
        `There is no operation “${kind}”.`,
        `The operations are ${operationKinds.join(", ")}.`,
      );
  }
}

function standingText({ charter, turn }: DeclaredTurn, name: string): StandingText {
  const { section } = findSection(charter, name);
  const original = section.original ?? section.words ?? "";
  const standing = turn.standing[name];
  if (standing && "text" in standing) return { original, text: standing.text, revision: standing.revision };
  return { original, text: original, revision: 0 };
}
