import { useState } from "react";
import { useFacts } from "../api/page-facts.ts";
import { useRead } from "../api/read.ts";
import { agentPath } from "../api/request.ts";
import { ageText, whenText } from "../kit/when.ts";
import { addressOf } from "./place.ts";

/** A conversation as the list has it. */
type Talk = {
  readonly id: string;
  readonly lastAt: string;
  readonly turns: number;
  readonly told: number;
  readonly firstInput: string | null;
};
type TalkListAnswer = { readonly sessions: readonly Talk[]; readonly more: boolean };

const stretch = 30;

/** The conversations, the newest first, by what was first said in them. */
export function TalkList({ session }: { readonly session: string | undefined }) {
  const { agent } = useFacts();
  const [limit, setLimit] = useState(stretch);
  const { data } = useRead<TalkListAnswer>(`${agentPath(agent.name, "sessions")}?limit=${limit}`);
  const all = (data?.sessions ?? []).filter(({ turns, told }) => turns + told > 0);
  return (
    <section aria-label="Conversations" className="mt-2 min-h-0 flex-1 overflow-y-auto">
      <ul className="space-y-0.5">
        {all.map(({ id, firstInput, lastAt, turns }, index) => {
          const age = ageText(lastAt);
          const before = all[index - 1];
          return (
            <li key={id}>
              {(!before || ageText(before.lastAt) !== age) && (
                <p className="px-2.5 pt-3 pb-1 font-medium text-soft text-xs">{age}</p>
              )}
              <a
                href={addressOf.talk(id)}
                dir="auto"
                title={whenText(lastAt)}
                {...(id === session ? { "aria-current": "page" as const } : {})}
                className={`block truncate rounded-lg px-2.5 py-2 text-sm ${id === session ? "bg-raised font-medium" : "hover:bg-raised"}`}
              >
                {firstInput?.trim() || (turns === 0 ? "A reminder" : "Pictures and files")}
              </a>
            </li>
          );
        })}
      </ul>
      {data?.more && (
        <button
          type="button"
          onClick={() => setLimit(Math.min(1000, limit + 3 * stretch))}
          className="px-2.5 py-2 text-accent text-sm underline"
        >
          Show more
        </button>
      )}
    </section>
  );
}
