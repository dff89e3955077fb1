import { type KeyboardEvent, useState } from "react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { count, plural } from "../../kit/words.ts";
import type { Building, Floor, Room } from "./building.ts";
import { step } from "./walk.ts";

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
