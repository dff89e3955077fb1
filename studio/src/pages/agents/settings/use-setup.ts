import { useState } from "react";
import { encodeName, sendJson } from "../../../api/request.ts";
import { useAct } from "../../../app/form-dialog.tsx";
import { placeOfDraft, useDraft } from "../../../kit/draft.ts";
import type { Agent } from "../agent.ts";
import { type Conflict, mergeChanges } from "./merge.ts";
import { isSame, withValue } from "./path.ts";
import { settingsIn } from "./settings-text.ts";
import { changeOf, type Setup, setupOf } from "./setup.ts";

/** What was typed over what; and the JSON as it was typed, which may be none yet. */
type Draft = { readonly base: Setup; readonly typed: Setup; readonly text?: string };
type Saved = Agent & { readonly notices?: readonly { readonly code: string; readonly message: string }[] };

/**
 * How an agent is set up, as someone is changing it: form and JSON are two views of it. What others change meanwhile is
 * taken over at once, unless it is the very setting that was typed here: then one of the two has to be chosen.
 */
export function useSetup(agent: Agent) {
  const { newest, setSaved } = useNewest(agent);
  const current = setupOf(newest);
  const [draft, setDraft, settled] = useDraft<Draft>(placeOfDraft("settings", agent.name));
  const [notices, setNotices] = useState<Saved["notices"]>();
  const act = useAct();
  const { base = current, typed: mine = current } = draft ?? {};
  const { merged, conflicts, taken } = mergeChanges(base, mine, current);
  const typed = merged as Setup;
  const usual = JSON.stringify(typed.settings, null, 2);
  const parsed = draft?.text === undefined ? undefined : settingsIn(draft.text);
  // What was typed as JSON stands as it was typed, as long as it says the same or nothing that can be read.
  const isTheirs = parsed?.settings !== undefined && !isSame(parsed.settings, typed.settings);
  const text = draft?.text === undefined || isTheirs ? usual : draft.text;
  const change = changeOf(current, typed);
  // What is disputed stays so until it is decided; all else of theirs is known now.
  const known = conflicts.length > 0 ? base : current;
  const set = (part: Partial<Setup>) => {
    setNotices(undefined);
    setDraft({ base: known, typed: { ...typed, ...part } });
  };
  return {
    current,
    typed,
    text,
    fault: isTheirs ? undefined : parsed?.fault,
    conflicts,
    taken: draft ? taken : [],
    change,
    notices,
    busy: act.busy,
    problem: act.problem,
    set,
    setText: (words: string) => {
      setNotices(undefined);
      const { settings = typed.settings } = settingsIn(words);
      setDraft({ base: known, typed: { ...typed, settings }, text: words });
    },
    decide: ({ path, theirs }: Conflict, whose: "mine" | "theirs") => {
      const next = whose === "mine" ? typed : (withValue(typed, path, theirs) as Setup);
      setDraft({ base: withValue(base, path, theirs) as Setup, typed: next });
    },
    undo: () => setDraft(undefined),
    save: async () => {
      const path = `/agents/${encodeName(agent.name)}`;
      const sent = draft;
      const answer = await act.run(() =>
        sendJson<Saved>(path, { ...change, version: newest.version }, { method: "PATCH" }),
      );
      if (answer === undefined) return false;
      setSaved(answer);
      setNotices(answer.notices ?? []);
      if (settled(sent)) setDraft(undefined);
      return true;
    },
  };
}

/** The agent as it was saved here last, until that has been read again: what is saved next is saved over that. */
function useNewest(agent: Agent) {
  const [saved, setSaved] = useState<{ readonly over: string; readonly agent: Agent }>();
  if (saved && saved.over !== agent.version) setSaved(undefined);
  return {
    newest: saved?.over === agent.version ? saved.agent : agent,
    setSaved: (answer: Agent) => setSaved({ over: agent.version, agent: answer }),
  };
}
