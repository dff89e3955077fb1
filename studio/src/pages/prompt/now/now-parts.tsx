import type { NextRequestAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { placeOf } from "../../../app/place.ts";
import type { Wanted } from "../../../assembly/assembled.ts";
import { LongText } from "../../../kit/text/long-text.tsx";
import { count, plural } from "../../../kit/words.ts";
import type { NowItem } from "./now-items.ts";

type PartProps = {
  readonly title: string;
  readonly about?: string;
  readonly tokens: number;
  /** What is said where there is nothing. */
  readonly none?: string | false;
  readonly children: ReactNode;
};

/** A part of the request, with how long it is. */
export function Part({ title, about, tokens, none, children }: PartProps) {
  return (
    <section aria-label={title} className="space-y-2">
      <h2 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
        {title}
        {about && <span className="font-normal text-sm text-soft">{about}</span>}
        <span className="ml-auto font-normal text-sm text-soft tabular-nums">{plural(tokens, "token")}</span>
      </h2>
      {none ? <p className="text-sm text-soft">{none}</p> : children}
    </section>
  );
}

export function Tools({ tools }: { readonly tools: NextRequestAnswer["request"]["tools"] }) {
  return (
    <details className="text-sm">
      <summary className="min-h-9 cursor-pointer py-1.5 [overflow-wrap:anywhere]">
        {plural(tools.length, "tool")}: <bdi>{tools.map(({ name }) => name).join(", ")}</bdi>
      </summary>
      <LongText text={JSON.stringify(tools, null, 2)} className={mono} />
    </details>
  );
}

const mono = "font-mono text-[0.8125rem] leading-relaxed";
const edges = { fixed: "border-fixed", amendable: "border-amendable", live: "border-live" } as const;
const tints = { fixed: "bg-fixed-tint", amendable: "bg-amendable-tint", live: "bg-live-tint" } as const;
function roleName({ role }: { readonly role: string }): string {
  if (role === "user" || role === "system") return role === "user" ? "User" : "System";
  return role === "tool" ? "Tool results" : "Agent";
}

type ItemProps = { readonly item: NowItem; readonly wanted: Wanted; readonly selected: string | undefined };

/** A section, a message, an update, or the place where the user's message will be. */
export function Item({ item, wanted, selected }: ItemProps) {
  if (item.kind === "input")
    return <p className="rounded-md border border-line border-dashed px-3 py-2 text-sm text-soft">Your message</p>;
  if (item.kind === "message") return <Message message={item.message} />;
  const sections = item.kind === "section" ? [item.section] : item.sections;
  const [first] = sections;
  if (!first) return null;
  const { name, layer, revision, tokens, mutability, trust } = first;
  const lit = selected === name ? "outline-2 outline-ink/50" : "";
  return (
    <div
      data-section={name}
      className={`rounded-r-md border-l-4 px-3 py-2 ${edges[mutability]} ${tints[mutability]} ${lit}`}
    >
      <p className="mb-1 flex flex-wrap gap-x-2 text-soft text-xs [overflow-wrap:anywhere]">
        {item.kind === "update" && <span className="font-medium text-accent">Update of</span>}
        {layer === "delivery" ? (
          <bdi className="font-medium text-ink">{name}</bdi>
        ) : (
          <Link
            href={placeOf(wanted.agent, "sections", name, { user: wanted.user })}
            className="font-medium text-ink hover:underline"
          >
            <bdi>{name}</bdi>
          </Link>
        )}
        <span>
          layer <bdi>{layer}</bdi>
        </span>
        {revision !== null && <span>revision {count(revision)}</span>}
        {trust === "foreign" && <span className="text-bad">untrusted text, fenced</span>}
        <span className="ml-auto tabular-nums">{plural(tokens, "token")}</span>
      </p>
      <LongText text={item.kind === "update" ? item.text : first.text.trimEnd()} className={mono} />
    </div>
  );
}

function Message({ message }: { readonly message: NextRequestAnswer["request"]["messages"][number] }) {
  return (
    <div className="rounded-md border border-line px-3 py-2">
      <p className="mb-1 text-soft text-xs">{roleName(message)}</p>
      {message.role === "tool" ? (
        message.results.map(({ call, name, output }) => (
          <Piece key={call} title={name}>
            {output}
          </Piece>
        ))
      ) : (
        <>
          {message.text !== "" && <LongText text={message.text} className={mono} />}
          {message.role === "assistant" &&
            message.calls.map(({ id, name, input }) => (
              <Piece key={id} title={`calls ${name}`}>
                {input}
              </Piece>
            ))}
        </>
      )}
    </div>
  );
}

function Piece({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <div className="mt-1">
      <p className="text-soft text-xs [overflow-wrap:anywhere]">
        <bdi>{title}</bdi>
      </p>
      <LongText text={children} className={mono} />
    </div>
  );
}
