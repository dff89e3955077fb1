import type { Receipt } from "charter";
import type { TurnAnswer, TurnParts } from "charter/answers";
import { type ReactNode, useMemo } from "react";
import { useApi } from "../../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../../api/request.ts";
import { Loading } from "../../../../app/page.tsx";
import { useAsked } from "../../../../app/place.ts";
import { Button, Choices } from "../../../../kit/field.tsx";
import { plural } from "../../../../kit/words.ts";
import { BodyView } from "./body.tsx";
import { type Folds, useFolds } from "./folds.ts";
import { MessageView, ToolView } from "./parts.tsx";
import { placeText, SlotView } from "./slot-view.tsx";
import { Slots } from "./slots.tsx";
import { sizeOf, type Transcript, transcriptOf } from "./transcript.ts";

const views = [
  ["transcript", "Transcript"],
  ["raw", "Raw"],
  ["curl", "curl"],
] as const;

type RequestProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly turn: string;
  readonly step: number;
  readonly receipt: Receipt | null;
};

/** Everything one step sent to the model, in the order it reads it; as it was posted; and as a command. */
export function WholeRequest({ agent, user, turn, step, receipt }: RequestProps) {
  const path = withQuery(`/turns/${encodeName(turn)}`, { parts: "request", step });
  const { data: answer, error } = useApi<TurnAnswer<"request">>(path);
  const [asked, setAsked] = useAsked();
  const folds = useFolds();
  const view = views.find(([value]) => value === asked("view"))?.[0] ?? "transcript";
  if (error)
    return (
      <>
        <div role="status" className="mb-3 rounded-md border border-wait/50 p-3 text-sm [overflow-wrap:anywhere]">
          <p className="font-medium">The whole request cannot be shown.</p>
          <p>{error.message}</p>
        </div>
        <Slots agent={agent} user={user} turn={turn} step={step} />
      </>
    );
  const data = answer?.request;
  if (!data || data.turn !== turn || data.step !== step || !receipt) return <Loading what="Rebuilding the request…" />;
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Choices
          label="Show the request as"
          of={views}
          chosen={view}
          onChoose={(next) => setAsked({ view: next === "transcript" ? undefined : next })}
        />
        <Button kind="quiet" onClick={() => folds.setAll(!folds.allOpen)}>
          {folds.allOpen ? "Fold long parts" : "Show everything"}
        </Button>
      </div>
      {view === "transcript" ? (
        <TranscriptView agent={agent} user={user} data={data} receipt={receipt} folds={folds} />
      ) : (
        <BodyView data={data} view={view} folds={folds} />
      )}
      <Opinions data={data} />
    </div>
  );
}

type TranscriptProps = Pick<RequestProps, "agent" | "user"> & {
  readonly data: TurnParts["request"];
  readonly receipt: Receipt;
  readonly folds: Folds;
};

function TranscriptView({ agent, user, data, receipt, folds }: TranscriptProps) {
  const { request, turn, step } = data;
  const transcript = useMemo(() => transcriptOf(request, receipt), [request, receipt]);
  const slotAt = (part: Transcript["system"][number], index: number | undefined) => (
    <SlotView
      key={part.key}
      agent={agent}
      user={user}
      title={part.title}
      place={index === undefined ? "" : `${placeText(index)}, in the role ${part.role}`}
      part={part.key}
      text={part.text}
      slot={part.slot}
      breakpoint={part.breakpoint}
      file={`${turn}-step-${step}-${index === undefined ? "system" : `message-${index + 1}`}.txt`}
      folds={folds}
    />
  );
  const { tools, system, messages, format } = transcript;
  return (
    <div className="space-y-4">
      <Group title="Tools" many={plural(tools.length, "tool")} parts={tools}>
        {tools.map((part) => (
          <ToolView key={part.key} part={part} folds={folds} />
        ))}
      </Group>
      <Group title="System" many={plural(receipt.slots[0]?.sections.length ?? 0, "section")} parts={system}>
        {system.map((part) => slotAt(part, undefined))}
      </Group>
      <Group title="Messages" many={plural(messages.length, "message")} parts={messages}>
        {messages.map((part, index) =>
          part.kind === "slot" ? (
            slotAt(part, index)
          ) : (
            <MessageView key={part.key} part={part} place={placeText(index)} folds={folds} />
          ),
        )}
      </Group>
      {format !== undefined && (
        <Group title="Answer format" many={plural(format.length, "character")} parts={[]}>
          <pre className="whitespace-pre-wrap rounded-md border border-line px-3 py-2 font-mono text-[0.8rem] [overflow-wrap:anywhere]">
            {format}
          </pre>
        </Group>
      )}
    </div>
  );
}

type GroupProps = {
  readonly title: string;
  readonly many: string;
  readonly parts: readonly Parameters<typeof sizeOf>[0][];
  readonly children: ReactNode;
};

function Group({ title, many, parts, children }: GroupProps) {
  const size = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  return (
    <section aria-label={`${title} of the request`} className="min-w-0 space-y-2">
      <h4 className="font-medium text-sm">
        {title}{" "}
        <span className="font-normal text-soft">
          {many}
          {parts.length > 0 && `, ${plural(size, "character")}`}
        </span>
      </h4>
      {children}
    </section>
  );
}

/** Requests of their own, which a guard made while the tools ran. */
function Opinions({ data: { opinions } }: { readonly data: TurnParts["request"] }) {
  if (opinions.length === 0) return null;
  return (
    <section aria-label="Second opinions" className="space-y-2">
      <h4 className="font-medium text-sm">
        Second opinions{" "}
        <span className="font-normal text-soft">{plural(opinions.length, "request")} to another model</span>
      </h4>
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
