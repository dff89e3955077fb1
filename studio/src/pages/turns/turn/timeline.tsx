import { isFenced } from "charter";
import type { TurnAnswer } from "charter/answers";
import { ChevronRight } from "lucide-react";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { onEscape } from "../../../app/form-dialog.tsx";
import { useAsked } from "../../../app/place.ts";
import { type Billing, billOf } from "../../../billing/bill.ts";
import { Broke, ToUser } from "../../../billing/links.tsx";
import { tookText } from "../../../billing/listed-turn.tsx";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import { changesBetween, type SampleStep, type WholeSample } from "../../../billing/sample.ts";
import { type HandName, handFill } from "../../../kit/hand.tsx";
import { Badge, Icon } from "../../../kit/icon.tsx";
import { OwnToolLine, unknownReads } from "../../../kit/own-tool.tsx";
import { Fence, LongText } from "../../../kit/text/long-text.tsx";
import { count, dollars, isCounterpart, plural } from "../../../kit/words.ts";
import { Happened, isTold } from "./happened.tsx";
import { type Called, callsOf, type Notice, readable, type StepRecord, type ToldStep, toldSteps } from "./record.ts";
import { OpenRequest } from "./request.tsx";

type About = { readonly agent: string; readonly facts: TurnAnswer };
const AboutTurn = createContext<About>({} as About);

/** Everything of a turn in the order in which it happened: what was said, sent, answered, called, refused, and the reply. */
export function TurnTimeline(props: {
  readonly agent: string;
  readonly facts: TurnAnswer;
  readonly whole: WholeSample;
  readonly records: readonly StepRecord[];
}) {
  const { agent, facts, whole, records } = props;
  const before = useApi<TurnAnswer<"sample">>(
    whole.since ? withQuery(`/turns/${encodeName(whole.since.turn)}`, { parts: "sample" }) : undefined,
  ).data?.sample.steps.at(-1);
  const { first, steps } = useMemo(() => toldSteps(whole, records, before), [whole, records, before]);
  const about = useMemo(() => ({ agent, facts }), [agent, facts]);
  return (
    <AboutTurn value={about}>
      <ol aria-label="What happened, in order" className="min-w-0">
        {facts.state !== "erased" && <Input facts={facts} />}
        {first.filter(isTold).map((event) => (
          <Event key={event.id} event={event} />
        ))}
        {steps.map((step) => (
          <Step key={step.sent.step} step={step} since={whole.since?.turn} isLast={step === steps.at(-1)} />
        ))}
        {facts.state !== "erased" && <End facts={facts} steps={steps.length} />}
      </ol>
    </AboutTurn>
  );
}

type MomentProps = {
  /** Whose doing it is. */
  readonly hand: HandName;
  readonly title: ReactNode;
  readonly figures?: ReactNode;
  readonly at?: string;
  readonly isBad?: boolean;
  readonly children?: ReactNode;
};

/** One thing that happened: on the line whose doing it was, what it was, its figures, and when after the beginning. */
function Moment({ hand, title, figures, at, isBad = false, children }: MomentProps) {
  const { startedAt } = useContext(AboutTurn).facts;
  return (
    <li className="relative grid grid-cols-[0.75rem_minmax(0,1fr)] gap-x-3 pb-5 before:absolute before:inset-y-0 before:left-[0.3125rem] before:border-line before:border-l before:content-[''] first:before:top-3 last:pb-0 last:before:bottom-[calc(100%-0.75rem)]">
      <span
        title={hand}
        className={`relative mt-1.5 size-3 rounded-full border-2 border-paper ${isBad ? "bg-bad" : handFill[hand]}`}
      />
      <div className="min-w-0 space-y-1.5">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <h2 className="font-medium text-sm [overflow-wrap:anywhere]">{title}</h2>
          {figures !== undefined && <span className="text-soft text-xs tabular-nums">{figures}</span>}
          {at !== undefined && (
            <span className="ml-auto text-soft text-xs tabular-nums" title={at}>
              +{tookText(startedAt, at)}
            </span>
          )}
        </div>
        {children}
      </div>
    </li>
  );
}

function Input({ facts: { scope, input, attachments = [], channel } }: { readonly facts: TurnAnswer }) {
  const { agent } = useContext(AboutTurn);
  const isStranger = scope.user !== undefined && isCounterpart(scope.user);
  const who =
    scope.user === undefined && channel !== null ? `Asked on ${channel}` : <ToUser agent={agent} user={scope.user} />;
  return (
    <Moment hand={isStranger ? "stranger" : "user"} title={who}>
      {input === "" ? <p className="text-soft text-sm">No text.</p> : <Words text={input} />}
      {attachments.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {attachments.map(({ digest, name, mediaType, bytes, width, height, pages }) => (
            <li key={digest}>
              <Badge title={`SHA-256 ${digest}`}>
                <bdi>{name ?? "No name"}</bdi>
                <span className="text-soft">
                  {[
                    mediaType,
                    plural(bytes, "byte"),
                    ...(width !== undefined && height !== undefined
                      ? [`${count(width)} × ${count(height)} pixels`]
                      : []),
                    ...(pages === undefined ? [] : [plural(pages, "page")]),
                  ].join(", ")}
                </span>
              </Badge>
            </li>
          ))}
        </ul>
      )}
    </Moment>
  );
}

const words = "max-w-[46rem] rounded-lg border border-line bg-card px-3 py-2 text-[0.9375rem]";

function Words({ text }: { readonly text: string }) {
  return <LongText text={text} max={2_000} className={words} />;
}

const noReply: Readonly<Record<TurnAnswer["state"], string>> = {
  answered: "The reply has no text.",
  running: "It is running. This page updates by itself.",
  failed: "There was no reply.",
  interrupted: "There was no reply: the process that ran it stopped.",
  erased: "It was erased.",
};

function End({
  facts: { scope, reply, state, endedAt },
  steps,
}: {
  readonly facts: TurnAnswer;
  readonly steps: number;
}) {
  const said = reply === null || reply === "" ? undefined : reply;
  return (
    <>
      {steps === 0 && (
        <Moment hand="program" title={state === "running" ? "Nothing was sent yet." : "Nothing was sent in this turn."}>
          {state !== "running" && <p className="text-soft text-sm">It ended before the model was asked.</p>}
        </Moment>
      )}
      <Moment
        hand="agent"
        isBad={state === "failed" || state === "interrupted"}
        title={<bdi>{scope.agent}</bdi>}
        {...(endedAt === null ? {} : { at: endedAt })}
      >
        {said === undefined ? <p className="text-soft text-sm">{noReply[state]}</p> : <Words text={said} />}
      </Moment>
    </>
  );
}

const erasedText = "What this step sent, and what came back, was erased with its user.";
const deletedText =
  "What this step sent was deleted: receipts are kept only for a time (`charter retain`). The record shows that it took place, but not its text.";

type StepProps = { readonly step: ToldStep; readonly since: string | undefined; readonly isLast: boolean };

/** One model call: its request, the answer, the calls it made, and what came of them. */
function Step({ step: { sent, record, before, events }, since, isLast }: StepProps) {
  const { facts } = useContext(AboutTurn);
  const { result } = record ?? {};
  const notices = [...(record?.receipt?.notices ?? []), ...(result?.notices ?? [])];
  if (sent.erased)
    return (
      <Moment hand="program" title={`Request ${count(sent.step)}`} at={sent.at}>
        <p className="text-soft text-sm">{facts.state === "erased" ? erasedText : deletedText}</p>
      </Moment>
    );
  return (
    <>
      <Sent sent={sent} before={before} since={since} notices={notices} />
      <Answer sent={sent} record={record} isLast={isLast} />
      {record && record.ownTools.length > 0 && (
        <Moment hand="agent" title="The agent’s own tools" figures={plural(record.ownTools.length, "use")}>
          <ul className="divide-y divide-line rounded-md border border-line bg-card text-sm">
            {record.ownTools.map((tool) => (
              <li key={tool.id}>
                <OwnToolLine of={tool} />
              </li>
            ))}
          </ul>
          <p className="text-soft text-xs">{unknownReads}</p>
        </Moment>
      )}
      {result && callsOf(result).map((called) => <ToolCall key={called.call.id} called={called} />)}
      {events.filter(isTold).map((event) => (
        <Event key={event.id} event={event} />
      ))}
      {result?.steering?.map((text) => (
        <Moment key={text} hand="user" title="Said while it ran">
          <Words text={text} />
        </Moment>
      ))}
      {result?.correction !== undefined && (
        <Moment hand="program" title="The model was told what was wrong with its answer">
          <Words text={result.correction} />
        </Moment>
      )}
    </>
  );
}

function Event({ event }: { readonly event: WholeSample["events"][number] }) {
  const { agent } = useContext(AboutTurn);
  const { actor = "agent" } = event.detail as { readonly actor?: HandName };
  return (
    <Happened agent={agent} event={event}>
      {(title, body) => (
        <Moment hand={actor} title={title} at={event.at} isBad={event.kind === "amendment-refused"}>
          {body}
        </Moment>
      )}
    </Happened>
  );
}

type SentProps = Pick<StepProps, "since"> & {
  readonly sent: SampleStep;
  readonly before: SampleStep | undefined;
  readonly notices: readonly Notice[];
};

const maxChanges = 4;

/** What was sent: folded to its size and how it differs from the request before; opened in place, all of it. */
function Sent({ sent, before, since, notices }: SentProps) {
  const { agent, facts } = useContext(AboutTurn);
  const [asked, setAsked] = useAsked();
  const { step, total, sections, at } = sent;
  const isOpen = asked("step") === String(step);
  const more = total !== null && before?.total != null ? total - before.total : undefined;
  const changes = before && !before.erased ? changesBetween(before.sections, sections) : [];
  const cut = sections.filter((one) => one.cut).length;
  const turnBefore = step > 1 ? `${facts.id}/${step - 1}` : since;
  return (
    <Moment
      hand="program"
      title={
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setAsked({ step: isOpen ? undefined : String(step), view: undefined })}
          onKeyDown={isOpen ? onEscape(() => setAsked({ step: undefined, view: undefined })) : undefined}
          className="text-start hover:underline"
        >
          <Icon of={ChevronRight} className={`me-1 inline size-4 text-soft ${isOpen ? "rotate-90" : ""}`} />
          Request {count(step)}
        </button>
      }
      figures={
        <>
          {total !== null && plural(total, "token")}
          {more !== undefined && `, ${more < 0 ? "−" : "+"}${count(Math.abs(more))} since the last`}
        </>
      }
      at={at}
    >
      {changes.length + cut > 0 && (
        <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-soft text-xs tabular-nums">
          {changes.slice(0, maxChanges).map(({ name, slot, before, after }) => (
            <span key={slot + name} className="[overflow-wrap:anywhere]">
              <bdi className="font-medium">{name}</bdi>
              {slot === "update" && " (update)"} {before === undefined ? "new, " : `${count(before)} → `}
              {after === undefined ? "gone" : count(after)}
            </span>
          ))}
          {changes.length > maxChanges && <span>and {count(changes.length - maxChanges)} more</span>}
          {cut > 0 && <span className="text-wait">{plural(cut, "section")} trimmed to fit</span>}
        </p>
      )}
      {notices.length > 0 && <Notices notices={notices} />}
      {isOpen && <OpenRequest agent={agent} user={facts.scope.user} turn={facts.id} step={sent} before={turnBefore} />}
    </Moment>
  );
}

/** The cause has a line of its own, with links. */
const withoutCause = (says: string, cause: string | undefined) =>
  cause !== undefined && says.endsWith(cause) ? says.slice(0, -cause.length).trimEnd() : says;

type AnswerProps = Pick<StepProps, "isLast"> & {
  readonly sent: SampleStep;
  readonly record: StepRecord | undefined;
};

/** What the model made of it: what it was billed, how it met the cache and why not better, and what it said. */
function Answer({ sent, record, isLast }: AnswerProps) {
  const { agent, facts } = useContext(AboutTurn);
  const { result = null, receipt, identity } = record ?? {};
  const { answer, faults = [], because, summary, finish, partial } = result ?? {};
  const text = answer?.text ?? "";
  // The reply has a place of its own, at the end.
  const isReply = isLast && text !== "" && text === facts.reply;
  return (
    <Moment
      hand="agent"
      isBad={faults.length > 0 || because !== undefined}
      title={<bdi>{receipt?.receiver ?? "The model"}</bdi>}
      figures={billedWords(sent)}
    >
      {identity && (
        <p className="text-sm [overflow-wrap:anywhere]">
          The system prompt went <strong className="font-medium">{identity.says}</strong>. This agent keeps the
          conversation itself, and is sent only what is new to it.
        </p>
      )}
      {(sent.missed || sent.broke) && (
        <p className="flex items-center gap-2 text-sm">
          {sent.missed && <MarkIcon kind="broken" />}
          <span>
            {sent.missed && <span className="font-medium">Cache miss: </span>}
            {sent.broke ? (
              <Broke broke={sent.broke} agent={agent} user={facts.scope.user} here={facts.id} />
            ) : (
              "Why is not known."
            )}
          </span>
        </p>
      )}
      {sent.cache && <p className="text-soft text-xs">{withoutCause(sent.cache.says, sent.broke?.says)}</p>}
      {sent.usage === null && sent.count.says !== null && <p className="text-soft text-xs">{sent.count.says}</p>}
      {faults.map(({ code, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they came in this order.
        <p key={index} className="text-bad text-sm [overflow-wrap:anywhere]">
          <code>{code}</code> {message}
        </p>
      ))}
      {because && (
        <p className="text-bad text-sm [overflow-wrap:anywhere]">
          It ended here: <code>{because.code}</code> {because.message}
        </p>
      )}
      {summary !== undefined && (
        <>
          <p className="text-soft text-xs">The history was summarised</p>
          <Words text={summary} />
        </>
      )}
      {finish !== undefined && finish !== "stop" && finish !== "tool-calls" && <Badge tone="wait">{finish}</Badge>}
      {text !== "" && !isReply && <Words text={text} />}
      {partial !== undefined && (
        <>
          <p className="text-soft text-xs">Said before it broke off</p>
          <Words text={partial} />
        </>
      )}
      {result === null && <p className="text-soft text-sm">No answer yet.</p>}
    </Moment>
  );
}

/** “1,900 cached · 380 fresh · 24 out · $0.0012”, as it was billed; else as it was predicted. */
function billedWords(step: SampleStep): string {
  const bill = billOf(step);
  const said = (kind: keyof Billing, word: string) => (bill && bill[kind] > 0 ? [`${count(bill[kind])} ${word}`] : []);
  const output = step.usage?.output ?? null;
  return [
    ...(bill?.by === "prediction" ? ["predicted"] : []),
    ...said("read", "cached"),
    ...said("written", "written"),
    ...said("fresh", "fresh"),
    ...(output === null ? [] : [`${count(output)} out`]),
    ...(step.cost === null ? [] : [dollars(step.cost)]),
  ].join(" · ");
}

function ToolCall({ called: { call, result } }: { readonly called: Called }) {
  const brought = result !== undefined && isFenced(result.output);
  return (
    <Moment
      hand={brought ? "stranger" : "program"}
      isBad={result?.failed ?? false}
      title={
        <>
          Called <code>{call.name}</code>
        </>
      }
      figures={
        <>
          {result?.failed && <Badge tone="bad">failed</Badge>}{" "}
          {brought && (
            <Badge tone="wait" title="From here on the turn is tainted: calls that act need a person’s approval.">
              brought untrusted text
            </Badge>
          )}
        </>
      }
    >
      <div className="overflow-hidden rounded-md border border-line bg-card text-sm">
        <Side title="with" text={call.input} />
        {brought && result ? (
          <div className="border-line border-t p-2">
            <Fence from="What it gave is untrusted">
              <LongText text={result.output} max={400} className="font-mono text-[0.8rem]" />
            </Fence>
          </div>
        ) : (
          <Side title="gave" text={result?.output} />
        )}
      </div>
    </Moment>
  );
}

function Side({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  return (
    <div className="grid grid-cols-[3rem_minmax(0,1fr)] border-line border-t px-3 py-1.5 first:border-t-0">
      <p className="text-soft text-xs leading-5">{title}</p>
      {text === undefined ? (
        <p className="text-soft">nothing yet</p>
      ) : (
        <LongText text={readable(text)} max={400} className="font-mono text-[0.8rem]" />
      )}
    </div>
  );
}

/** What an operator should know of a prompt that was built all the same. */
function Notices({ notices }: { readonly notices: readonly Notice[] }) {
  return (
    <details className="text-sm" open={notices.length <= 5}>
      <summary className="text-wait">{plural(notices.length, "notice")}</summary>
      <ul className="mt-1 space-y-0.5">
        {notices.slice(0, 200).map(({ code, section, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they came in this order.
          <li key={index} className="[overflow-wrap:anywhere]">
            <code className="text-wait">{code}</code> {section !== undefined && <bdi>{section}:</bdi>} {message}
          </li>
        ))}
        {notices.length > 200 && <li className="text-soft">and {plural(notices.length - 200, "more notice")}</li>}
      </ul>
    </details>
  );
}
