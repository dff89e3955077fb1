import { Badge } from "../../../kit/icon.tsx";
import { LongText } from "../../../kit/text/long-text.tsx";
import { plural } from "../../../kit/words.ts";
import { type Called, callsOf, type Notice, readable, type StepResult } from "./record.ts";

/** What came of a step: what the model said, the tools it asked for and what they gave, what went wrong. */
export function StepResultView({ result }: { readonly result: StepResult | null }) {
  if (result === null) return <p className="text-sm text-soft">No reply yet.</p>;
  const { answer, faults = [], because, summary, finish } = result;
  const calls = callsOf(result);
  return (
    <div className="space-y-3 text-sm">
      {faults.map(({ code, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they came in this order.
        <p key={index} className="text-bad [overflow-wrap:anywhere]">
          <code>{code}</code> {message}
        </p>
      ))}
      {because && (
        <p className="text-bad [overflow-wrap:anywhere]">
          It ended here: <code>{because.code}</code> {because.message}
        </p>
      )}
      {summary !== undefined && (
        <Part title="The history was summarised">
          <LongText text={summary} />
        </Part>
      )}
      {answer && answer.text !== "" && (
        <Part title="Reply" aside={finish !== undefined && finish !== "stop" ? finish : undefined}>
          <LongText text={answer.text} />
        </Part>
      )}
      {answer && answer.text === "" && calls.length === 0 && <p className="text-soft">The reply has no text.</p>}
      {calls.map((called) => (
        <CallOf key={called.call.id} called={called} />
      ))}
      {!answer && faults.length === 0 && because === undefined && <p className="text-soft">No reply is on record.</p>}
    </div>
  );
}

function Part(props: {
  readonly title: string;
  readonly aside?: string | undefined;
  readonly children: React.ReactNode;
}) {
  const { title, aside, children } = props;
  return (
    <section>
      <h4 className="mb-0.5 flex items-center gap-2 text-soft text-xs">
        {title} {aside !== undefined && <Badge tone="wait">{aside}</Badge>}
      </h4>
      {children}
    </section>
  );
}

function CallOf({ called: { call, result } }: { readonly called: Called }) {
  return (
    <section className="overflow-hidden rounded-md border border-line">
      <h4 className="flex flex-wrap items-center gap-2 border-line border-b bg-raised px-3 py-1.5">
        Called <code className="font-medium [overflow-wrap:anywhere]">{call.name}</code>
        {result?.failed && <Badge tone="bad">failed</Badge>}
        {!result && <Badge tone="wait">no result</Badge>}
      </h4>
      <div className="grid grid-cols-1 divide-y divide-line lg:grid-cols-2 lg:divide-x lg:divide-y-0">
        <Side title="with" text={call.input} />
        <Side title="gave" text={result?.output} />
      </div>
    </section>
  );
}

function Side({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  return (
    <div className="min-w-0 px-3 py-2">
      <p className="text-soft text-xs">{title}</p>
      {text === undefined ? (
        <p className="text-soft">nothing yet</p>
      ) : (
        <LongText text={readable(text)} max={2_000} className="font-mono text-[0.8rem]" />
      )}
    </div>
  );
}

/** What an operator should know of a prompt that was built all the same. */
export function Notices({ notices }: { readonly notices: readonly Notice[] }) {
  if (notices.length === 0) return null;
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
