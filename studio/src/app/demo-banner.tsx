import type { MeAnswer } from "charter/answers";
import { ChevronDown } from "lucide-react";
import { useRef } from "react";
import { useLocation } from "wouter";
import { useApi } from "../api/query-client.ts";
import { Button } from "../kit/button.tsx";
import { placeOfDraft, useDraft } from "../kit/draft.ts";
import { Icon } from "../kit/icon.tsx";
import { isDemoDocument } from "../kit/window/demo.ts";
import { placeOf } from "./place.ts";

type Try = NonNullable<MeAnswer["tries"]>[number];

/** On every page of a demo: that it is one, and what to say to see something happen. */
export function DemoBanner() {
  const me = useApi<MeAnswer>("/me").data;
  const details = useRef<HTMLDetailsElement>(null);
  if (!me?.demo && !isDemoDocument()) return null;
  const { user, tries = [] } = me ?? {};
  const close = () => {
    if (details.current) details.current.open = false;
  };
  return (
    <aside aria-label="Demo" className="border-line border-b bg-amendable-tint px-4 py-1.5 text-sm">
      <details ref={details} className="group">
        <summary className="cursor-pointer list-none [&::-webkit-details-marker]:hidden">
          <strong className="text-amendable-ink">Demo.</strong> Everything here is made up, and a script answers.
          {tries.length > 0 && (
            <span className="ml-1.5 whitespace-nowrap text-accent underline">
              What to try <Icon of={ChevronDown} />
            </span>
          )}
        </summary>
        <p className="mt-2">
          You are signed in as the operator{user ? `, ${user}` : ""}. Nothing you do here leaves this machine. Say one
          of these in Chat, and then press Send:
        </p>
        <ul className="mt-1 max-h-[45vh] space-y-1 overflow-y-auto pb-1">
          {tries.map((one) => (
            <TryRow key={one.say} one={one} user={user ?? null} onChoose={close} />
          ))}
        </ul>
      </details>
    </aside>
  );
}

type TryRowProps = { readonly one: Try; readonly user: string | null; readonly onChoose: () => void };

function TryRow({ one: { agent, say, result }, user, onChoose }: TryRowProps) {
  const [, go] = useLocation();
  const [, setDraft] = useDraft(placeOfDraft("chat", agent, user));
  const write = () => {
    setDraft(say);
    onChoose();
    go(placeOf(agent, "chat", undefined, { user: user ?? undefined }));
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button onClick={write} className="h-auto max-w-full whitespace-normal! text-left">
        “{say}”
      </Button>
      <span className="min-w-0">{result}</span>
    </li>
  );
}
