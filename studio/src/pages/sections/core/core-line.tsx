import { relaysThat } from "./relay-words.ts";
import { useCore, useOnRelays } from "./use-core.ts";

/** In the list of sections: how a core memory is, in a few words. Nothing of any other section. */
export function CoreLine({ agent, section, otherwise }: CoreLineProps) {
  const onRelays = useOnRelays(agent, section);
  const core = useCore(agent, onRelays);
  if (!core) return otherwise;
  const { report, problem } = core;
  if (problem) return <span className="text-bad">could not be read</span>;
  if (!report) return "on relays";
  const { status, relays, waiting } = report;
  if (status === "unavailable") return <span className="text-bad">unavailable now</span>;
  if (waiting.length > 0) return <span className="text-wait">not published yet</span>;
  if (status === "empty") return "empty, on its relays";
  return `on ${relaysThat(relays.filter((one) => one.status === "newest").length, relays.length)}`;
}

type CoreLineProps = {
  readonly agent: string;
  readonly section: Parameters<typeof useOnRelays>[1];
  readonly otherwise: string;
};
