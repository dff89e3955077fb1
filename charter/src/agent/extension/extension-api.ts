import { listed } from "../../prompt/problem.ts";
import { withBeyond } from "./beyond.ts";
import { contentOf, toldContent } from "./content.ts";
import { type EventName, type Extension, eventNames, type Handler } from "./extension.ts";
import type { Host } from "./host.ts";
import { anyone } from "./waiting-messages.ts";

/** What an extension is called with. What is not here is reported by name when it is used, and does nothing. */
export function extensionApi(host: Host, extension: Extension): object {
  const { registry, waiting, occasions } = host;
  const { accuse } = extension;
  const api = {
    on: (event: unknown, handler: unknown) => {
      if (extension.over) return;
      if (typeof event !== "string" || typeof handler !== "function")
        accuse("bad-call", "calls on() without the name of an event and a function.");
      else if (isEvent(event)) extension.handlers.push({ event, handler: handler as Handler });
      else accuse("beyond", `listens to “${event}”, an event that is not here.`);
    },
    registerTool: (definition: unknown) => {
      if (!extension.over) host.register(extension, definition);
    },
    getActiveTools: () => registry.active().map(({ name }) => name),
    getAllTools: () => registry.all().map(({ name }) => host.info(name)),
    setActiveTools: (names: unknown) => {
      if (extension.over) return;
      if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
        accuse("bad-call", "calls setActiveTools() with something that is no list of names.");
        return;
      }
      const { unknown, changed } = registry.choose(names);
      if (unknown.length > 0 && host.loading) host.unknown.push({ extension, names: unknown });
      else if (unknown.length > 0) accuse("tools-unknown", unknownTools(host, unknown));
      if (changed) host.tellChange(extension);
    },
    sendMessage: (message: unknown, options: unknown) => {
      if (extension.over) return;
      const { content: given, customType } = Object(message) as { content?: unknown; customType?: unknown };
      const content = contentOf(given);
      if (content === undefined) {
        accuse("bad-call", "calls sendMessage() with a message without content.");
        return;
      }
      const { triggerTurn, deliverAs } = Object(options) as { triggerTurn?: unknown; deliverAs?: unknown };
      if (triggerTurn === true) accuse("beyond", unheard("triggerTurn"));
      if (deliverAs !== undefined && deliverAs !== "nextTurn") accuse("beyond", unheard(`deliverAs: ${deliverAs}`));
      const text = toldContent(content);
      const at = occasions.now();
      if (text.trim() === "") return;
      const full = waiting.add({
        owner: extension.path,
        user: at === undefined ? anyone : at.user,
        customType: String(customType),
        text,
      });
      if (full !== undefined) accuse("messages-full", `sent a message that is not kept: ${full}.`);
    },
    reload: () => {
      if (extension.over) return;
      if (host.loading) accuse("bad-call", "asks for a reload while it is loaded.");
      else host.wantsReload = true;
    },
  };
  return withBeyond(api, "", (name) => accuse("beyond", `asks for “${name}”, which is not here.`));
}

/** What handlers and tools are given to look around with. */
export function extensionContext(host: Host, extension: Extension, api: object): object {
  const { occasions } = host;
  const { accuse } = extension;
  const ask = (name: string) => accuse("beyond", `asks for “${name}”, which is not here.`);
  const ctx = {
    cwd: host.cwd,
    hasUI: false,
    isIdle: () => occasions.turns.size === 0,
    getSystemPrompt: () => {
      const at = occasions.now();
      return (at && occasions.turns.get(at.turn)?.prompt) ?? "";
    },
    reload: async () => (api as { reload: () => void }).reload(),
    // In pi it may be missing, and is looked at rather than called.
    get model() {
      ask("ctx.model");
      return undefined;
    },
  };
  return withBeyond(ctx, "ctx.", ask);
}

export function unknownTools({ registry }: Host, names: readonly string[]): string {
  return `sets tools active that nobody knows: ${listed(names)}. The tools are ${listed(registry.all().map(({ name }) => name))}.`;
}

function unheard(option: string): string {
  return `sends a message with “${option}”, which is not here: it goes with the next turn.`;
}

function isEvent(event: string): event is EventName {
  return (eventNames as readonly string[]).includes(event);
}
