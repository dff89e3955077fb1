import { listed } from "../../prompt/problem.ts";
import { contentOf, toldContent } from "./content.ts";
import { type EventName, type Extension, eventNames, type Handler } from "./extension.ts";
import type { ExtensionHost } from "./extension-host.ts";
import { withUnsupported } from "./unsupported.ts";
import { anyone } from "./waiting-messages.ts";

/** What an extension is called with. What is not here is reported by name when it is used, and does nothing. */
export function extensionApi(host: ExtensionHost, extension: Extension): object {
  const { registry, waiting, callContexts } = host;
  const { reportFault } = extension;
  const api = {
    on: (event: unknown, handler: unknown) => {
      if (extension.closed) return;
      if (typeof event !== "string" || typeof handler !== "function")
        reportFault("bad-call", "calls on() without the name of an event and a function.");
      else if (isEvent(event)) extension.handlers.push({ event, handler: handler as Handler });
      else reportFault("beyond", `listens to “${event}”, an event that is not here.`);
    },
    registerTool: (definition: unknown) => {
      if (!extension.closed) host.register(extension, definition);
    },
    getActiveTools: () => registry.active().map(({ name }) => name),
    getAllTools: () => registry.all().map(({ name }) => host.toolInfo(name)),
    setActiveTools: (names: unknown) => {
      if (extension.closed) return;
      if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
        reportFault("bad-call", "calls setActiveTools() with something that is no list of names.");
        return;
      }
      const { unknown, changed } = registry.setActive(names);
      if (unknown.length > 0 && host.loading) host.unknownNames.push({ extension, names: unknown });
      else if (unknown.length > 0) reportFault("tools-unknown", unknownTools(host, unknown));
      if (changed) host.tellChange(extension);
    },
    sendMessage: (message: unknown, options: unknown) => {
      if (extension.closed) return;
      const { content: given, customType } = Object(message) as { content?: unknown; customType?: unknown };
      const content = contentOf(given);
      if (content === undefined) {
        reportFault("bad-call", "calls sendMessage() with a message without content.");
        return;
      }
      const { triggerTurn, deliverAs } = Object(options) as { triggerTurn?: unknown; deliverAs?: unknown };
      if (triggerTurn === true) reportFault("beyond", unheard("triggerTurn"));
      if (deliverAs !== undefined && deliverAs !== "nextTurn")
        reportFault("beyond", unheard(`deliverAs: ${deliverAs}`));
      const text = toldContent(content);
      const at = callContexts.current();
      if (text.trim() === "") return;
      const full = waiting.add({
        owner: extension.path,
        user: at === undefined ? anyone : at.user,
        customType: String(customType),
        text,
      });
      if (full !== undefined) reportFault("messages-full", `sent a message that is not kept: ${full}.`);
    },
    reload: () => {
      if (extension.closed) return;
      if (host.loading) reportFault("bad-call", "asks for a reload while it is loaded.");
      else host.wantsReload = true;
    },
  };
  return withUnsupported(api, "", (name) => reportFault("beyond", `asks for “${name}”, which is not here.`));
}

/** What handlers and tools are given to look around with. */
export function extensionContext(host: ExtensionHost, extension: Extension, api: object): object {
  const { callContexts } = host;
  const { reportFault } = extension;
  const ask = (name: string) => reportFault("beyond", `asks for “${name}”, which is not here.`);
  const ctx = {
    cwd: host.cwd,
    hasUI: false,
    isIdle: () => callContexts.turns.size === 0,
    getSystemPrompt: () => {
      const at = callContexts.current();
      return (at && callContexts.turns.get(at.turn)?.prompt) ?? "";
    },
    reload: async () => (api as { reload: () => void }).reload(),
    // In pi it may be missing, and is looked at rather than called.
    get model() {
      ask("ctx.model");
      return undefined;
    },
  };
  return withUnsupported(ctx, "ctx.", ask);
}

export function unknownTools({ registry }: ExtensionHost, names: readonly string[]): string {
  return `sets tools active that nobody knows: ${listed(names)}. The tools are ${listed(registry.all().map(({ name }) => name))}.`;
}

function unheard(option: string): string {
  return `sends a message with “${option}”, which is not here: it goes with the next turn.`;
}

function isEvent(event: string): event is EventName {
  return (eventNames as readonly string[]).includes(event);
}
