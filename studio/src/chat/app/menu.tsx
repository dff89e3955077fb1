import { Bookmark, CircleAlert, Clock, type LucideIcon, Plus, ScrollText, Send, User, X } from "lucide-react";
import { Icon } from "../../kit/icon.tsx";
import { agentLabel, useFacts } from "../api/page-facts.ts";
import { addressOf, newTalk, type PageName, pages, usePlace } from "./place.ts";
import { TalkList } from "./talk-list.tsx";

const shownAs: Readonly<Record<PageName, readonly [words: string, icon: LucideIcon]>> = {
  instructions: ["Instructions", ScrollText],
  notes: ["Notes", Bookmark],
  reminders: ["Reminders", Clock],
  waiting: ["Waiting for you", CircleAlert],
  telegram: ["Telegram", Send],
  account: ["Account", User],
};

/** Everything there is: conversations, and what the agent keeps for this user. */
export function Menu({
  session,
  onClose,
}: {
  readonly session: string | undefined;
  /** Only where it lies above the page. */
  readonly onClose?: () => void;
}) {
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

function Item({
  href,
  icon,
  words,
  current,
  count = 0,
}: {
  readonly href: string;
  readonly icon: LucideIcon;
  readonly words: string;
  readonly current: boolean;
  readonly count?: number;
}) {
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
