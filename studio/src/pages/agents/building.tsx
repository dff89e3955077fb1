import { useQuery } from "@tanstack/react-query";
import type { AgentListAnswer, SectionAnswer, SectionListAnswer } from "charter/answers";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useConnection } from "../../api/event-feed.ts";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { count, plural } from "../../kit/words.ts";

/**
 * A charter drawn layer by layer, in its own order, which is not that of a request: the first on top, each section a room. One tab stop; the
 * arrows walk through it. What is said of a room under the pointer stands below.
 */
export function Floors({ agent, building }: { readonly agent: string; readonly building: Building }) {
  const [at, setAt] = useState({ floor: 0, room: 0 });
  const [looked, setLooked] = useState<Room>();
  const { floors, hidden } = building;
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const next = step(
      floors.map(({ rooms }) => rooms.length),
      at,
      event.key,
    );
    if (!next) return;
    event.preventDefault();
    setAt(next);
    const room = event.currentTarget.querySelector<HTMLElement>(`[data-at="${next.floor}/${next.room}"]`);
    room?.focus();
  };
  return (
    <div>
      <div className="mx-auto h-3 w-full bg-line [clip-path:polygon(4%_0,96%_0,100%_100%,0_100%)]" aria-hidden="true" />
      <ol
        aria-label={`The charter of ${agent}, layer by layer`}
        onKeyDown={walk}
        className="flex flex-col border-line border-x-4"
      >
        {floors.map((floor, index) => (
          <li key={floor.layer} className="border-line border-t bg-paper px-2 pt-1 pb-2">
            <Caption floor={floor} />
            <div className="flex flex-wrap gap-1">
              {floor.rooms.map((room, place) => (
                <Door
                  key={room.name}
                  room={room}
                  href={placeOf(agent, "sections", room.name)}
                  at={`${index}/${place}`}
                  stop={at.floor === index && at.room === place}
                  onLook={(seen) => {
                    setLooked(seen);
                    if (seen) setAt({ floor: index, room: place });
                  }}
                />
              ))}
              {floor.more > 0 && (
                <Link
                  href={placeOf(agent, "sections")}
                  className="flex h-7 items-center rounded-sm px-2 text-accent text-xs underline"
                >
                  and {count(floor.more)} more
                </Link>
              )}
            </div>
            {hidden?.after === index + 1 && (
              <p className="-mx-2 mt-2 -mb-2 border-line border-t border-dashed bg-raised px-2 py-1 text-soft text-xs">
                {plural(hidden.floors, "more layer")} here
              </p>
            )}
          </li>
        ))}
      </ol>
      <div
        className="-mx-1 h-1.5 rounded-b-sm border-soft border-t-2 bg-[repeating-linear-gradient(135deg,var(--color-soft)_0_1px,transparent_1px_5px)]"
        aria-hidden="true"
      />
      <p className="mt-1.5 line-clamp-2 min-h-8 text-soft text-xs [overflow-wrap:anywhere]" dir="auto">
        {looked ? looked.says : `${plural(building.sections, "section")} in ${plural(floorCount(building), "layer")}`}
      </p>
    </div>
  );
}

const floorCount = ({ floors, hidden }: Building) => floors.length + (hidden?.floors ?? 0);

function Caption({ floor: { layer, may } }: { readonly floor: Floor }) {
  return (
    <p className="mb-0.5 flex flex-wrap justify-between gap-x-3 text-xs">
      <span className="font-medium [overflow-wrap:anywhere]" dir="auto">
        {layer}
      </span>
      <span className="text-soft">{may}</span>
    </p>
  );
}

const looks = {
  fixed: "bg-fixed-tint text-fixed-ink border-fixed",
  amendable: "bg-amendable-tint text-amendable-ink border-amendable",
  live: "bg-live-tint text-live-ink border-live",
} as const;

function Door({
  room,
  href,
  at,
  stop,
  onLook,
}: {
  readonly room: Room;
  readonly href: string;
  readonly at: string;
  readonly stop: boolean;
  readonly onLook: (room: Room | undefined) => void;
}) {
  return (
    <Link
      href={href}
      aria-label={room.says}
      data-at={at}
      tabIndex={stop ? 0 : -1}
      onFocus={() => onLook(room)}
      onMouseEnter={() => onLook(room)}
      onMouseLeave={() => onLook(undefined)}
      className={`flex h-7 min-w-14 max-w-full flex-1 items-center gap-1 rounded-sm border-b-[3px] px-1.5 text-xs hover:underline ${looks[room.mutability]}`}
    >
      <Icon of={mutabilityIcons[room.mutability]} className="size-3" />
      <span className="truncate" dir="auto">
        {room.name}
      </span>
      {room.amended && <span className="ml-auto size-1.5 shrink-0 rounded-full bg-current" />}
    </Link>
  );
}

/** A room of the drawn charter: one section. */
export type Room = {
  readonly name: string;
  readonly mutability: SectionAnswer["mutability"];
  /** Everything there is to say of it in one line. */
  readonly says: string;
  readonly amended: boolean;
};

/** A layer: its rooms, how many more it has than are drawn, and who may change what is in them. */
export type Floor = {
  readonly layer: string;
  readonly rooms: readonly Room[];
  readonly more: number;
  readonly may: string;
};

/** A charter layer by layer, the first on top. `hidden`: layers that are not drawn, and after how many they would stand. */
export type Building = {
  readonly floors: readonly Floor[];
  readonly hidden: { readonly floors: number; readonly after: number } | undefined;
  readonly sections: number;
};

export type Drawn = { readonly floors: number; readonly rooms: number };

type Section = Pick<SectionAnswer, "name" | "layer" | "heading" | "mutability" | "amendableBy" | "scope" | "revision">;

/** Of very many layers the first and the last are drawn; of a very long layer its first sections. */
export function buildingOf(sections: readonly Section[], most: Drawn = { floors: 16, rooms: 8 }): Building {
  const layers = new Map<string, Section[]>();
  for (const section of sections) {
    const layer = layers.get(section.layer);
    if (layer) layer.push(section);
    else layers.set(section.layer, [section]);
  }
  const all = [...layers.entries()];
  const below = Math.ceil(most.floors / 2);
  const hidden = all.length - most.floors;
  const drawn = hidden > 0 ? [...all.slice(0, below), ...all.slice(below + hidden)] : all;
  return {
    floors: drawn.map(([layer, its]) => floorOf(layer, its, most.rooms)),
    hidden: hidden > 0 ? { floors: hidden, after: below } : undefined,
    sections: sections.length,
  };
}

function floorOf(layer: string, sections: readonly Section[], most: number): Floor {
  return {
    layer,
    rooms: sections.slice(0, most).map(roomOf),
    more: Math.max(0, sections.length - most),
    may: [...new Set(sections.map(mayChange))].join(" · "),
  };
}

function roomOf(section: Section): Room {
  const { name, heading, mutability, scope, revision } = section;
  const amended = (revision ?? 0) > 0;
  const says = [
    name,
    ...(heading === null ? [] : [`“${heading}”`]),
    mayChange(section),
    ...(scope === "user" ? ["each user’s own copy"] : []),
    ...(amended ? [`revision ${revision}`] : []),
  ];
  return { name, mutability, says: says.join(" · "), amended };
}

/** Who may change a section's words, as it is written on its floor. */
export function mayChange({ mutability, amendableBy }: Pick<Section, "mutability" | "amendableBy">): string {
  if (mutability === "fixed") return "fixed";
  if (mutability === "live") return "live, generated per turn";
  return amendableBy.length === 0 ? "amendable by nobody" : `amendable by ${hands(amendableBy)}`;
}

function hands(actors: readonly string[]): string {
  return actors.length < 2 ? actors.join("") : `${actors.slice(0, -1).join(", ")} and ${actors.at(-1)}`;
}

const stretch = 1_000;

/**
 * A charter's sections, all of them, as a building. A charter changes when its agent is set up anew or amended, and only
 * then is it read again: it may be large, and much else happens meanwhile.
 */
export function useBuilding(agent: AgentListAnswer["agents"][number]) {
  const query = useQuery<Building, ApiProblem>({
    queryKey: ["building", agent.name, agent.updatedAt, agent.amended],
    queryFn: ({ signal }) => readBuilding(agent.name, signal),
    placeholderData: (before) => before,
  });
  const connection = useConnection();
  const reading = useRef(query);
  useEffect(() => {
    reading.current = query;
  });
  // What could not be read while the server was away is read when it is back: then, and not whenever it fails.
  useEffect(() => {
    if (connection === "live" && reading.current.isError) void reading.current.refetch();
  }, [connection]);
  return query;
}

async function readBuilding(agent: string, signal: AbortSignal): Promise<Building> {
  const sections: SectionListAnswer["sections"][number][] = [];
  for (let more = true; more; ) {
    const path = withQuery(`/agents/${encodeName(agent)}/sections`, { limit: stretch, offset: sections.length });
    const answer = await getJson<SectionListAnswer>(path, signal);
    for (const section of answer.sections) sections.push(section);
    more = answer.more && answer.sections.length > 0;
  }
  return buildingOf(sections);
}

/** Where someone stands in a building: which layer, counted from the first on top, and which room on it. */
export type Spot = { readonly floor: number; readonly room: number };

/** Where an arrow leads from there. `rooms` says how many each floor has; nothing: it is no way to go. */
export function step(rooms: readonly number[], { floor, room }: Spot, key: string): Spot | undefined {
  const on = (wanted: number): Spot | undefined => {
    const there = rooms[wanted];
    return there ? { floor: wanted, room: Math.min(room, there - 1) } : undefined;
  };
  if (key === "ArrowDown") return on(floor + 1);
  if (key === "ArrowUp") return on(floor - 1);
  const last = (rooms[floor] ?? 1) - 1;
  if (key === "Home") return { floor, room: 0 };
  if (key === "End") return { floor, room: last };
  if (key === "ArrowLeft" && room > 0) return { floor, room: room - 1 };
  if (key === "ArrowRight" && room < last) return { floor, room: room + 1 };
  return undefined;
}
