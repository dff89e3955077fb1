import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { Badge, Spark } from "../../kit/icon.tsx";
import { Menu, MenuItem } from "../../kit/menu.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dayText, dollars } from "../../kit/words.ts";
import type { Agent } from "./agent.ts";
import { type KnownModel, modelState } from "./models/model-state.ts";

export type AgentAct = "freeze" | "duplicate" | "remove";

/** One agent in a line: what it is, whether its model works, its last seven days, and what waits. */
export function AgentRow({
  agent,
  model,
  known,
  onAct,
}: {
  readonly agent: Agent;
  /** The model it has, its own or the server's. */
  readonly model: string;
  readonly known: KnownModel | undefined;
  readonly onAct: (act: AgentAct) => void;
}) {
  const { name, label, charter, frozen, removedAt, served, week, waiting, fallbacks = [] } = agent;
  const { short, tone, says } = modelState(known);
  const gone = removedAt !== undefined;
  const [, go] = useLocation();
  return (
    <tr className="block border-line border-t py-2 md:table-row md:py-0">
      <th scope="row" className="block px-2 text-left font-normal md:table-cell md:py-2 md:align-top">
        <span className="font-medium [overflow-wrap:anywhere]" dir="auto">
          {gone ? (
            (label ?? name)
          ) : (
            <Link href={placeOf(name, "prompt")} className="text-accent underline">
              {label ?? name}
            </Link>
          )}
        </span>
        <span className="block text-soft text-xs [overflow-wrap:anywhere]">
          {label !== undefined && <>{name} · </>}
          {gone ? charter : <TextLink href={placeOf(name, "sections")}>{charter}</TextLink>}
          {served === false && " · runs at a terminal"}
        </span>
        <span className="flex flex-wrap gap-1">
          {frozen && <Badge tone="wait">{frozen === "agent" ? "frozen" : "texts frozen"}</Badge>}
          {gone && <Badge tone="bad">removed {dayText(removedAt)}</Badge>}
        </span>
      </th>
      <Cell title="Model">
        <span className="[overflow-wrap:anywhere]" dir="auto">
          {gone ? model : <TextLink href={placeOf(name, "settings")}>{model}</TextLink>}
        </span>{" "}
        <Badge tone={tone} title={says}>
          {short}
        </Badge>
        <span className="block text-soft text-xs">
          {agent.model === null && "server default"}
          {fallbacks.length > 0 && `then ${fallbacks.join(", ")}`}
        </span>
      </Cell>
      <Cell title="Turns" number>
        <Spark values={week.days} label="Turns a day" />{" "}
        {gone ? count(week.turns) : <TextLink href={placeOf(name, "turns")}>{count(week.turns)}</TextLink>}
      </Cell>
      <Cell title="Users" number>
        {count(week.users)}
      </Cell>
      <Cell title="Cost" number>
        {week.cost === null ? "–" : dollars(week.cost)}
      </Cell>
      <Cell title="Errors" number>
        {week.failed === 0 || gone ? (
          count(week.failed)
        ) : (
          <TextLink href={placeOf(name, "turns", undefined, { when: "week", event: "failed" })}>
            {count(week.failed)}
          </TextLink>
        )}
      </Cell>
      <Cell title="Waiting" number>
        {waiting === 0 || gone ? (
          count(waiting)
        ) : (
          <TextLink href={housePlaceOf("approvals", undefined, { agent: name })}>{count(waiting)}</TextLink>
        )}
      </Cell>
      <td className="block px-2 md:table-cell md:py-1 md:text-right md:align-top">
        {!gone && (
          <Menu label={`More about ${name}`}>
            <MenuItem onChoose={() => go(placeOf(name, "settings"))}>Settings</MenuItem>
            <MenuItem onChoose={() => onAct("duplicate")}>Duplicate</MenuItem>
            <MenuItem onChoose={() => onAct("freeze")}>{frozen ? "Unfreeze" : "Freeze"}</MenuItem>
            <MenuItem onChoose={() => onAct("remove")}>Remove</MenuItem>
          </Menu>
        )}
      </td>
    </tr>
  );
}

/** A value; on a narrow page, where there is no head above it, with its name. */
function Cell({
  title,
  number = false,
  children,
}: {
  readonly title: string;
  readonly number?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <td
      className={`px-2 text-sm md:table-cell md:py-2 md:align-top ${number ? "inline-block tabular-nums md:text-right" : "block"}`}
    >
      <span className="mr-1 text-soft text-xs md:hidden">{title}</span>
      {children}
    </td>
  );
}
