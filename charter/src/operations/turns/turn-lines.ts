import { useText } from "../../agent/turn/permission.ts";
import { identityText } from "../../delivery/model.ts";
import { preview } from "../../prompt/character.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import type { Step } from "../../store/turns/steps.ts";
import { colours } from "../print/colour.ts";
import { oneLine, pairs, timeText } from "../print/columns.ts";
import { cutText, leftOut } from "../print/cut.ts";
import type { turn } from "./turn-fields.ts";

/** One turn whole: what was asked and answered, and what each step sent and came to. */
export function turnLines(turn: ShownTurn, steps: readonly Step[]): string[] {
  return [...about(turn), ...steps.flatMap(stepLines)];
}

type ShownTurn = (typeof turn)["holds"];

function about(turn: ShownTurn): string[] {
  const { scope, channel, session, startedAt, endedAt, input, reply, runner } = turn;
  const paint = colours(process.stdout);
  const rows: [string, string][] = [
    ["turn", turn.id],
    ["agent", scope.agent],
    ["user", scope.user ?? "–"],
    ["channel", channel ?? "–"],
    ["session", session ?? "–"],
    ["state", stateText(turn)],
    ["run by", runner ?? "–"],
    ["began", `${timeText(startedAt)} UTC`],
    ["ended", endedAt === null ? "–" : `${timeText(endedAt)} UTC`],
  ];
  const said = [paint.dim("asked"), indented(input), paint.dim("answered"), reply === null ? "  –" : indented(reply)];
  return [...pairs(rows, process.stdout), ...(turn.state === "erased" ? [] : said)];
}

function stateText({ state, tainted, leasedUntil = null }: ShownTurn): string {
  const overdue = state === "running" && leasedUntil !== null && leasedUntil < new Date().toISOString();
  const silent = overdue ? `, but its process has not reported since ${timeText(leasedUntil)} UTC` : "";
  const given = state === "interrupted" ? ": the process that ran it has stopped" : "";
  return `${state}${given}${silent}${tainted ? ", untrusted text was in it" : ""}`;
}

/** Nobody's words draw on the operator's terminal: of the control characters only line ends are left. */
function indented(text: string): string {
  const lines = text.split("\n").map((line) => `  ${oneLine(line)}`);
  return lines.join("\n");
}

function stepLines({ step, number, at, receipt, result, digest, erasedAt }: Step): string[] {
  const { dim, bold, yellow } = colours(process.stdout);
  const heading = `${bold(`step ${step}`)} ${dim(`${timeText(at)} UTC, receipt ${number}, digest ${digest.slice(0, 12)}`)}`;
  if (erasedAt !== null) return [heading, `  What was sent was erased ${timeText(erasedAt)} UTC.`];
  if (receipt === null) return [heading, yellow("  Its receipt is not there: run charter verify.")];
  return [
    heading,
    `  sent  ${sentIn(receipt)}`,
    ...(receipt.identity ? [`  system prompt  ${identityText(receipt.identity)}`] : []),
    ...ownToolLines(result ?? {}),
    ...receipt.cuts.map((cut) => `  cut   ${cut.section}: ${cut.form}, ${cutText(cut)}`),
    ...leftOut(receipt.omitted).map((words) => `  left out  ${words}`),
    ...receipt.notices.map(({ code, message }) => yellow(`  notice  ${code}: ${oneLine(message)}`)),
    ...(result === null ? [] : [`  result  ${preview(oneLine(JSON.stringify(result)), 400)}`]),
  ];
}

/** Tools that the agent behind the model has itself. */
function ownToolLines({ ownTools = [] }: StepResult): string[] {
  const lines = ownTools.map((use) => {
    const paths = use.paths.length === 0 ? "" : `, files: ${use.paths.join(", ")}`;
    return `  own tool  ${oneLine(`${useText(use)} (${use.kind}, ${use.status}${paths})`)}`;
  });
  return lines.length === 0 ? [] : [...lines, "  What its own tools read is not known here."];
}

function sentIn({ slots, tokens, edition, receiver }: Receipt): string {
  const sections = slots.flatMap((slot) => slot.sections.map(({ name }) => name));
  const counted = tokens === null ? "" : `${tokens.total} tokens (${tokens.exact ? "exact" : "estimated"}), `;
  const where = slots.map(({ slot }) => slot).join(", ");
  return `${counted}edition ${edition}, ${receiver === null ? "" : `to ${receiver}, `}slots: ${where}; sections: ${sections.join(", ")}`;
}
