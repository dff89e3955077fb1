import { Menu as Lines, Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../kit/icon.tsx";
import { AccountPage } from "../account/page.tsx";
import { TelegramPage } from "../account/telegram.tsx";
import { agentLabel, useFacts } from "../api/page-facts.ts";
import { InstructionsPage } from "../instructions/page.tsx";
import { NotesPage } from "../notes/page.tsx";
import { RemindersPage } from "../reminders/page.tsx";
import { Conversation } from "../talk/conversation.tsx";
import { WaitingPage } from "../waiting/page.tsx";
import { Menu } from "./menu.tsx";
import { newTalk, type PageName, usePlace } from "./place.ts";

const views: Readonly<Record<PageName, () => React.JSX.Element>> = {
  instructions: InstructionsPage,
  notes: NotesPage,
  reminders: RemindersPage,
  waiting: WaitingPage,
  telegram: TelegramPage,
  account: AccountPage,
};

/** The menu at the side, or above on a telephone, and the place one is at. */
export function Shell({ told }: { readonly told: string | undefined }) {
  const facts = useFacts();
  const place = usePlace();
  const View = place.kind === "page" ? views[place.page] : undefined;
  const session = place.kind === "talk" ? (place.session ?? facts.session?.id ?? newTalk) : undefined;
  return (
    <div className="flex h-full flex-col md:flex-row">
      <aside className="hidden w-64 shrink-0 border-line border-e bg-raised/50 md:block">
        <Menu session={session} />
      </aside>
      <TopBar session={session} />
      <main className="flex min-h-0 min-w-0 flex-1 flex-col">
        {told && (
          <p role="alert" className="border-line border-b bg-card px-4 py-2 text-center text-bad text-sm">
            {told}
          </p>
        )}
        {View ? <View /> : <Conversation session={session ?? newTalk} />}
      </main>
    </div>
  );
}

/** On a telephone: whom one talks with, and the way to everything else. */
function TopBar({ session }: { readonly session: string | undefined }) {
  const facts = useFacts();
  const place = usePlace();
  const [open, setOpen] = useState(false);
  const drawer = useRef<HTMLDialogElement>(null);
  const at = JSON.stringify(place);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever has chosen a place has done with the menu.
  useEffect(() => setOpen(false), [at]);
  useEffect(() => {
    if (open) drawer.current?.showModal();
    else drawer.current?.close();
  }, [open]);
  return (
    <header className="flex items-center gap-1 border-line border-b px-1.5 py-1 md:hidden">
      <button
        type="button"
        aria-label={facts.waiting > 0 ? `Menu, ${facts.waiting} waiting for you` : "Menu"}
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className="relative grid size-11 place-items-center rounded-full hover:bg-raised"
      >
        <Icon of={Lines} className="size-5" />
        {facts.waiting > 0 && (
          <span aria-hidden="true" className="absolute top-2.5 right-2.5 size-2 rounded-full bg-accent" />
        )}
      </button>
      <bdi className="min-w-0 flex-1 truncate font-medium">{agentLabel(facts)}</bdi>
      <a
        href={`#/with/${newTalk}`}
        aria-label="New conversation"
        className="grid size-11 place-items-center rounded-full hover:bg-raised"
      >
        <Icon of={Plus} className="size-5" />
      </a>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too. */}
      <dialog
        ref={drawer}
        aria-label="Menu"
        onClose={() => setOpen(false)}
        onClick={({ target, currentTarget }) => target === currentTarget && setOpen(false)}
        className="m-0 h-dvh max-h-none w-72 max-w-[85vw] border-line border-e bg-paper p-0 shadow-2xl backdrop:bg-black/40"
      >
        {open && <Menu session={session} onClose={() => setOpen(false)} />}
      </dialog>
    </header>
  );
}
