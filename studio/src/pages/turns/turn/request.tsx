import type { NextRequestAnswer, PromptAnswer, TurnAnswer, TurnParts } from "charter/answers";
import { Check } from "lucide-react";
import { useMemo } from "react";
import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { Loading, Trouble } from "../../../app/page.tsx";
import { useAsked } from "../../../app/place.ts";
import { BillTable } from "../../../billing/bill-table.tsx";
import type { SampleStep } from "../../../billing/sample.ts";
import { Button, Choices } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { saveFile } from "../../../kit/save-file.ts";
import { LongText } from "../../../kit/text/long-text.tsx";
import { Copy } from "../../../kit/text-link.tsx";
import { plural } from "../../../kit/words.ts";
import { View } from "../../prompt/view.tsx";

const views = [
  ["document", "Document"],
  ["tokens", "Tokens"],
  ["raw", "Raw"],
  ["curl", "curl"],
] as const;

type RequestProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly turn: string;
  readonly step: SampleStep;
  /** The request that what is new in this one is told by: a turn, or a step of one. */
  readonly before: string | undefined;
};

/** Everything one step sent: as a document with its authors, by tokens, as it was posted, and as a command. */
export function OpenRequest({ agent, user, turn, step, before }: RequestProps) {
  const [asked, setAsked] = useAsked();
  const view = views.find(([value]) => value === asked("view"))?.[0] ?? "document";
  return (
    <section aria-label={`The whole request ${step.step}`} className="space-y-3 pt-1">
      <Choices
        label="Show the request as"
        of={views}
        chosen={view}
        onChoose={(next) => setAsked({ view: next === "document" ? undefined : next })}
      />
      {view === "document" && <Document agent={agent} named={`${turn}/${step.step}`} before={before} />}
      {view === "tokens" && (
        <div className="max-w-4xl">
          {step.count.says !== null && <p className="mb-2 text-sm text-soft">{step.count.says}</p>}
          <BillTable agent={agent} user={user} step={step} />
        </div>
      )}
      {(view === "raw" || view === "curl") && <Posted turn={turn} step={step.step} view={view} />}
    </section>
  );
}

function useRequest(agent: string, turn: string | undefined) {
  const path = turn && withQuery(`/agents/${encodeName(agent)}/prompt`, { parts: "request", turn });
  return useApi<Pick<PromptAnswer, "request">>(path);
}

type DocumentProps = { readonly agent: string; readonly named: string; readonly before: string | undefined };

/** The same document as on the Prompt page, and what is new in it. */
function Document({ agent, named, before }: DocumentProps) {
  const { data, error, isPlaceholderData } = useRequest(agent, named);
  const earlier = useRequest(agent, before);
  const wanted = useMemo(
    () => ({ agent, user: undefined, channel: undefined, at: undefined, edition: undefined, tokens: undefined }),
    [agent],
  );
  const request: NextRequestAnswer | undefined = isPlaceholderData ? undefined : data?.request;
  if (error) return <Trouble problem={error} />;
  if (!request) return <Loading what="Rebuilding the request…" />;
  const isWhole = request.request.messages.length > 0;
  return (
    <>
      <p className="text-sm [overflow-wrap:anywhere]">
        {isWhole ? (
          <span className="text-good" title={`SHA-256 of its receipt: ${request.sent?.digest}`}>
            <Icon of={Check} className="inline size-3.5" /> Rebuilt from the record, and proved by its digest{" "}
            <code className="text-soft">{request.sent?.digest.slice(0, 12)}…</code>
          </span>
        ) : (
          <span role="status">
            <strong className="font-medium">The whole request cannot be shown.</strong>{" "}
            {request.notices.map(({ message }) => message).join(" ")}
          </span>
        )}
      </p>
      <View key={named} request={request} before={earlier.data?.request} wanted={wanted} />
    </>
  );
}

type PostedProps = { readonly turn: string; readonly step: number; readonly view: "raw" | "curl" };

/** The body of a request as it was posted, or the command that posts it again; both as text. */
function Posted({ turn, step, view }: PostedProps) {
  const path = withQuery(`/turns/${encodeName(turn)}`, { parts: "request", step });
  const { data: answer, error } = useApi<TurnAnswer<"request">>(path);
  const [asked, setAsked] = useAsked();
  if (error) return <Trouble problem={error} />;
  const data = answer?.request;
  if (!data || data.turn !== turn || data.step !== step) return <Loading what="Rebuilding the request…" />;
  const { body, request, receiver } = data;
  if (body === null && view === "curl")
    return (
      <p className="text-sm text-soft">
        There is no command for this request: {receiver ?? "its model"} was not reached through a provider’s API, so
        nothing was posted.
      </p>
    );
  const text = body === null ? JSON.stringify(request, null, 2) : view === "raw" ? body.text : body.curl;
  const file = `${turn}-step-${step}.${view === "raw" ? "json" : "sh"}`;
  return (
    <>
      <section
        aria-label={view === "raw" ? "Raw request" : "Request as curl"}
        className="min-w-0 rounded-md border border-line bg-card"
      >
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-raised px-3 py-1.5 text-sm">
          {body && (
            <code className="min-w-0 [overflow-wrap:anywhere]">
              POST <bdi>{body.address}</bdi>
            </code>
          )}
          <span className="text-soft tabular-nums">{plural(text.length, "character")}</span>
          <span className="ml-auto flex gap-1">
            <Copy text={text} />
            <Button kind="quiet" onClick={() => saveFile(file, "text/plain;charset=utf-8", text)}>
              Download
            </Button>
          </span>
        </header>
        <p className="border-line border-b px-3 py-1.5 text-soft text-xs [overflow-wrap:anywhere]">
          {body === null
            ? `${receiver ?? "The model"} was not reached through a provider’s API: this is the request as it was handed over, as JSON.`
            : view === "raw"
              ? body.says
              : `The key is not in it: the shell puts in ${variables(body.headers)}.`}
        </p>
        <div className="px-3 py-2">
          <LongText
            text={text}
            max={4_000}
            className="font-mono text-[0.8rem]"
            open={asked("open") === view}
            onOpen={(open) => setAsked({ open: open ? view : undefined })}
          />
        </div>
      </section>
      <Opinions data={data} />
    </>
  );
}

/** The variables that hold keys, as a shell writes them. */
function variables(headers: Readonly<Record<string, string>>): string {
  const named = Object.values(headers).flatMap((value) => /\$[A-Z_]+/.exec(value)?.[0] ?? []);
  return named.length === 0 ? "no variable: this server needs no key" : [...new Set(named)].join(" and ");
}

/** Requests of their own, which a guard made while the tools ran. */
function Opinions({ data: { opinions } }: { readonly data: TurnParts["request"] }) {
  if (opinions.length === 0) return null;
  return (
    <section aria-label="Second opinions" className="space-y-2">
      <h3 className="font-medium text-sm">
        Second opinions{" "}
        <span className="font-normal text-soft">{plural(opinions.length, "request")} to another model</span>
      </h3>
      {opinions.map(({ model, request }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they were asked in this order.
        <details key={index} className="rounded-md border border-line px-3 py-2 text-sm">
          <summary className="[overflow-wrap:anywhere]">{model}</summary>
          <pre className="mt-2 whitespace-pre-wrap font-mono text-[0.8rem] [overflow-wrap:anywhere]">
            {JSON.stringify(request, null, 2)}
          </pre>
        </details>
      ))}
    </section>
  );
}
