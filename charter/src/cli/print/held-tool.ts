import { isRecord } from "../../prompt/argument.ts";
import { invisible } from "../../prompt/character.ts";
import type { ToolPin } from "../../store/pins/tool-pin-row.ts";
import { oneLine, pairs, timeText } from "./columns.ts";
import { hintsHere } from "./command-name.ts";
import { changes } from "./verdict.ts";

export const toolColumns = ["id", "time (UTC)", "agent", "server", "tool", "why"];

export function toolCells(pin: ToolPin): string[] {
  return [pin.id, timeText(pin.at), pin.agent, pin.server, pin.tool, oneLine(reasonsOf(pin).join(" "))];
}

/** What a person needs to decide about a tool of an MCP server: what it was, and what it says now. */
export function aboutTool(pin: ToolPin): string[] {
  const { id, agent, server, tool, status, definition, nextDefinition, decidedBy, decidedAt, decisionReason } = pin;
  const decided = `${status} by ${decidedBy}, ${timeText(decidedAt ?? "")} UTC${decisionReason ? `: ${decisionReason}` : ""}`;
  const rows: [string, string][] = [
    ["held", id],
    ["agent", agent],
    ["server", server],
    ["tool", tool],
    ["seen", `${timeText(pin.at)} UTC`],
    ["status", decidedBy === null ? status : decided],
  ];
  return [
    ...pairs(rows, process.stdout),
    ...(status === "pinned" ? [] : reasonsOf(pin).map((reason) => `  ${oneLine(reason)}`)),
    ...changes(definition === null ? "" : shown(definition), shown(nextDefinition ?? definition ?? "{}"), tool),
    ...(status === "waiting"
      ? [hintsHere(`Waiting for approval: charter approve ${id}, or charter reject ${id}`)]
      : []),
  ];
}

function reasonsOf({ digest, reasons }: ToolPin): string[] {
  return digest === null ? [...reasons] : ["Its description has changed.", ...reasons];
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
