import type { Entry } from "./flow.ts";
import { Anew } from "./sessions/anew.tsx";
import type { Whom } from "./talk.ts";
import { type Doing, LiveTurn, RecordedTurn } from "./turn.tsx";

type EntryProps = { readonly whom: Whom; readonly entry: Entry; readonly doing: Doing };

/** One turn of the conversation, or where another conversation begins. */
export function EntryView({ whom, entry, doing }: EntryProps) {
  if (entry.kind === "anew") return <Anew back={entry.back} />;
  const turn = entry.kind === "turn" ? entry.turn : undefined;
  if (entry.said) return <LiveTurn whom={whom} said={entry.said} turn={turn} doing={doing} />;
  return turn ? <RecordedTurn whom={whom} turn={turn} doing={doing} /> : null;
}
