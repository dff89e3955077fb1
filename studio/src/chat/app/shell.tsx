import {
  Bookmark,
  CircleAlert,
  Clock,
  Menu as Lines,
  type LucideIcon,
  Plus,
  ScrollText,
  Send,
  User,
  X,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../kit/icon.tsx";
import { AccountPage, TelegramPage } from "../account/page.tsx";
import { agentLabel, useFacts, useRead } from "../api/read.ts";
import { agentPath } from "../api/request.ts";
import { InstructionsPage } from "../instructions/page.tsx";
import { ageText, whenText } from "../kit/page.tsx";
import { NotesPage } from "../notes/page.tsx";
import { RemindersPage } from "../reminders/page.tsx";
import { Conversation } from "../talk/conversation.tsx";
import { WaitingPage } from "../waiting/page.tsx";
import { addressOf, newTalk, type PageName, pages, usePlace } from "./place.ts";

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

const shownAs: Readonly<Record<PageName, readonly [words: string, icon: LucideIcon]>> = {
  instructions: ["Instructions", ScrollText],
  notes: ["Notes", Bookmark],
  reminders: ["Reminders", Clock],
  waiting: ["Waiting for you", CircleAlert],
  telegram: ["Telegram", Send],
  account: ["Account", User],
};

type MenuProps = {
  readonly session: string | undefined;
  /** Only where it lies above the page. */
  readonly onClose?: () => void;
};

/** Everything there is: conversations, and what the agent keeps for this user. */
export function Menu({ session, onClose }: MenuProps) {
  const facts = useFacts();
  const place = usePlace();
  const shown = pages.filter((page) => page !== "telegram" || facts.telegram.possible || facts.telegram.linked > 0);
  return (
    <nav aria-label="Menu" className="flex h-full flex-col p-3">
      <div className="mb-2 flex items-center gap-2 ps-2">
        <bdi className="min-w-0 flex-1 truncate py-1.5 font-semibold text-lg tracking-tight">{agentLabel(facts)}</bdi>
        {onClose && (
          <button
            type="button"
            aria-label="Close the menu"
            onClick={onClose}
            className="grid size-9 place-items-center rounded-full text-soft hover:bg-raised hover:text-ink"
          >
            <Icon of={X} className="size-5" />
          </button>
        )}
      </div>
      <Item href={addressOf.talk(newTalk)} icon={Plus} current={session === newTalk} words="New conversation" />
      <TalkList session={session} />
      <ul className="mt-2 space-y-0.5 border-line border-t pt-2">
        {shown.map((page) => (
          <li key={page}>
            <Item
              href={addressOf.page(page)}
              icon={shownAs[page][1]}
              current={place.kind === "page" && place.page === page}
              words={shownAs[page][0]}
              {...(page === "waiting" ? { count: facts.waiting } : {})}
            />
          </li>
        ))}
      </ul>
    </nav>
  );
}

type ItemProps = {
  readonly href: string;
  readonly icon: LucideIcon;
  readonly words: string;
  readonly current: boolean;
  readonly count?: number;
};

function Item({ href, icon, words, current, count = 0 }: ItemProps) {
  return (
    <a
      href={href}
      {...(current ? { "aria-current": "page" } : {})}
      className={`flex min-h-10 items-center gap-2.5 rounded-lg px-2.5 text-sm ${current ? "bg-raised font-medium" : "hover:bg-raised"}`}
    >
      <Icon of={icon} className="size-[1.1rem] text-soft" />
      <span className="flex-1">{words}</span>
      {count > 0 && (
        <span className="rounded-full bg-accent px-1.5 font-medium text-on-accent text-xs leading-5">{count}</span>
      )}
    </a>
  );
}

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
function TalkList({ session }: { readonly session: string | undefined }) {
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
