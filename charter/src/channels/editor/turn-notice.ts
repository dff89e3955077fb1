import type { AgentEvent } from "../../agent/agent-event.ts";
import { compactionText } from "../../agent/agent-event.ts";
import { askedOf, isPermission } from "../../agent/turn/permission.ts";
import { outcomeFacts } from "../../amend/verdict.ts";
import type { ToolCall } from "../../delivery/model.ts";
import { preview } from "../../prompt/character.ts";

type NoticeText = { readonly title: string; readonly text: string };

/** What there is to know of an event besides the answer and its calls; nothing of those that need no word. */
export function turnNotice(event: AgentEvent): NoticeText | undefined {
  switch (event.kind) {
    case "proposed":
      return proposalNotice(event);
    case "tool-held":
      return {
        title: "held",
        text: `${heldText(event.call)}: charter approve ${event.held}, or charter reject ${event.held}.`,
      };
    case "permission":
      return permissionNotice(event);
    case "tainted":
      return { title: "untrusted text", text: `${event.reason} Changes from now on need approval.` };
    case "retry":
      return {
        title: "asked again",
        text: `In ${(event.waitMs / 1000).toFixed(1)} s (attempt ${event.attempt + 1}): ${preview(event.fault.message, 200)}`,
      };
    case "compacted":
      return { title: event.leftOut ? "left out" : "summarised", text: compactionText(event) };
    case "hook-failed":
      return { title: `hook ${event.hook}, ${event.moment}`, text: event.reason };
    case "notice":
      return { title: event.notice.code, text: event.notice.message };
    default:
      return undefined;
  }
}

function heldText({ name, input }: ToolCall): string {
  const asks = isPermission({ tool: name }) ? askedOf({ tool: name, input: JSON.parse(input) }) : undefined;
  return asks === undefined ? `${name} is not run until it is approved` : `The agent ${asks}. It was told no for now`;
}

/** One that waits for a person is told of by what waits. */
function permissionNotice({
  asked,
  answer,
  held,
}: Extract<AgentEvent, { kind: "permission" }>): NoticeText | undefined {
  if (answer === "allow" || held !== undefined) return undefined;
  return { title: "not allowed", text: `${asked.kind}: ${preview(asked.title, 200)}` };
}

function proposalNotice({ section, outcome }: Extract<AgentEvent, { kind: "proposed" }>): NoticeText {
  const { refusals, held } = outcomeFacts(outcome, section);
  const reasons = refusals.map(({ because }) => because).join(" ");
  switch (outcome.verdict) {
    case "accepted":
      return { title: "amended", text: `“${section}” is at revision ${outcome.revision}.` };
    case "unchanged":
      return { title: "unchanged", text: `“${section}” says exactly this already.` };
    case "refused":
      return { title: "refused", text: `“${section}” stays as it is. ${reasons}` };
    case "held": {
      const how = held === undefined ? "" : ` Decide with charter approve ${held}, or charter reject ${held}.`;
      return { title: "held", text: `“${section}” is unchanged until it is approved. ${reasons}${how}` };
    }
  }
}
