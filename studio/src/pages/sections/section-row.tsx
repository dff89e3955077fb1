import { countCharacters } from "charter";
import type { SectionAnswer } from "charter/answers";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { draftPlace } from "../../editor/use-amending.ts";
import { hasDraft } from "../../kit/draft.ts";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { shortCount } from "../../kit/words.ts";
import { CoreLine } from "./core/core-line.tsx";
import { isCore } from "./core/use-core.ts";

export const bandOf: Readonly<Record<SectionAnswer["mutability"], string>> = {
  fixed: "bg-fixed",
  amendable: "bg-amendable",
  live: "bg-live",
};

/** One section of the list: its colour, its name, its revision; then whose copy it is, who may change it, how long it is. */
export function SectionRow({
  agent,
  user,
  section,
  chosen,
  row,
  stop,
  onFocus,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly section: SectionAnswer;
  readonly chosen: boolean;
  readonly row: number;
  readonly stop: boolean;
  readonly onFocus: () => void;
}) {
  const { name, mutability, revision, text } = section;
  const about = aboutSection(section, user);
  const unsaved = !chosen && mutability === "amendable" && hasDraft(draftPlace({ agent, user }, section));
  return (
    <Link
      href={placeOf(agent, "sections", name, asked())}
      aria-current={chosen ? "page" : undefined}
      tabIndex={stop ? 0 : -1}
      data-row={row}
      onFocus={onFocus}
      title={`${name}: ${about}`}
      className={`flex gap-2.5 py-1.5 pr-3 pl-2 -outline-offset-2 hover:bg-raised ${chosen ? "bg-raised" : ""}`}
    >
      <span aria-hidden="true" className={`w-1 shrink-0 rounded-full ${bandOf[mutability]}`} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5 text-sm leading-5">
          <bdi className={`truncate ${chosen ? "font-semibold" : "font-medium"}`}>{name}</bdi>
          <Icon of={mutabilityIcons[mutability]} className="size-3 text-soft" />
          {unsaved && <span className="shrink-0 text-wait text-xs">unsaved</span>}
          {revision !== null && revision > 0 && (
            <span className="ml-auto shrink-0 pl-1 text-soft text-xs tabular-nums">r{revision}</span>
          )}
        </span>
        <span className="flex gap-2 text-soft text-xs leading-4">
          <span className="truncate">
            {isCore(section) ? <CoreLine agent={agent} section={section} otherwise={about} /> : about}
          </span>
          {text !== null && <span className="ml-auto shrink-0 tabular-nums">{sizeOf(text)}</span>}
        </span>
      </span>
    </Link>
  );
}

/** Whoever looks for something, or at someone's copy, goes on doing so. */
function asked(): Record<string, string | undefined> {
  const now = new URLSearchParams(location.search);
  return { user: now.get("user") ?? undefined, find: now.get("find") ?? undefined };
}

/** Whose copy it is, and who may change it. */
function aboutSection({ mutability, amendableBy, scope }: SectionAnswer, user: string | undefined): string {
  if (mutability === "live") return "generated per turn";
  if (mutability === "fixed") return "read-only";
  const whose = scope === "agent" ? "shared" : user === undefined ? "one per user" : `${user}’s own`;
  return `${whose} · editable by ${amendableBy.length === 3 ? "everyone" : amendableBy.join(", ") || "nobody"}`;
}

export function sizeOf(text: string): string {
  const characters = countCharacters(text);
  return characters === 0 ? "empty" : `${shortCount(characters)} chars`;
}
