import { isRecord } from "../../prompt/argument.ts";
import { invisible } from "../../prompt/character.ts";
import { listed } from "../../prompt/problem.ts";
import { oneLine, pairs, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { changes } from "../print/verdict.ts";
import type { HeldToolAnswer } from "./approval-fields.ts";

export const toolColumns = ["id", "time (UTC)", "agent", "server", "tool", "why"];

export function toolCells(pin: HeldToolAnswer): string[] {
  const { others = [] } = pin;
  const tool = others.length === 0 ? pin.tool : `${pin.tool} and ${others.length} more`;
  return [pin.id, timeText(pin.at), pin.agent, pin.server, tool, oneLine(reasonsOf(pin).join(" "))];
}

/** What is decided under one id, to be followed by what becomes of it. */
export function toolsText({ tool, server, others = [] }: HeldToolAnswer): string {
  const names = [tool, ...others.map((one) => one.tool)];
  return `${listed(names)} of “${server}” ${names.length === 1 ? "is" : "are"}`;
}

/** What a person needs to decide about a tool of an MCP server: what it was, and what it says now. */
export function aboutTool(pin: HeldToolAnswer): string[] {
  const { id, agent, server, tool, status, decidedBy, decidedAt, decisionReason, others = [] } = pin;
  const decided = `${status} by ${decidedBy}, ${timeText(decidedAt ?? "")} UTC${decisionReason ? `: ${decisionReason}` : ""}`;
  const rows: [string, string][] = [
    ["held", id],
    ["agent", agent],
    ["server", server],
    ...(others.length === 0
      ? [["tool", tool] as [string, string]]
      : [["tools", String(others.length + 1)] as [string, string]]),
    ["seen", `${timeText(pin.at)} UTC`],
    ["status", decidedBy === null ? status : decided],
  ];
  return [
    ...pairs(rows, process.stdout),
    ...(status === "pinned" ? [] : reasonsOf(pin).map((reason) => `  ${oneLine(reason)}`)),
    ...[pin, ...others].flatMap((one) =>
      changes(
        one.definition === null ? "" : shown(one.definition),
        shown(one.nextDefinition ?? one.definition ?? "{}"),
        one.tool,
      ),
    ),
    ...(status === "waiting"
      ? [hintsHere(`Waiting for approval: charter approve ${id}, or charter reject ${id}`)]
      : []),
  ];
}

function reasonsOf({ digest, reasons }: HeldToolAnswer): string[] {
  if (digest !== null) return ["Its description has changed.", ...reasons];
  return reasons.length > 0 ? [...reasons] : ["Seen for the first time."];
}

/** A definition on lines, with what no eye sees written out. */
function shown(definition: string): string {
  const value: unknown = JSON.parse(definition);
  const lined =
    isRecord(value) && typeof value.description === "string"
      ? { ...value, description: value.description.split("\n") }
      : value;
  return `${JSON.stringify(lined, null, 2).replace(new RegExp(invisible.source, "gu"), written)}\n`;
}

/** White space that JSON itself wrote stays. */
function written(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
