import type { TurnParts } from "charter/answers";
import { Button } from "../../../../kit/field.tsx";
import { LongText } from "../../../../kit/text/long-text.tsx";
import { Copy } from "../../../../kit/text-link.tsx";
import { plural } from "../../../../kit/words.ts";
import type { Folds } from "./folds.ts";
import { download } from "./slot-view.tsx";

/** The body of a request as it was posted, or the command that posts it again; both as text. */
export function BodyView(props: {
  readonly data: TurnParts["request"];
  readonly view: "raw" | "curl";
  readonly folds: Folds;
}) {
  const { data, view, folds } = props;
  const { body, request, receiver, turn, step } = data;
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
    <section
      aria-label={view === "raw" ? "Raw request" : "Request as curl"}
      className="min-w-0 rounded-md border border-line"
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
          <Button kind="quiet" onClick={() => download(text, file)}>
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
          open={folds.isOpen(view)}
          onOpen={(open) => folds.setOpen(view, open)}
        />
      </div>
    </section>
  );
}

/** The variables that hold keys, as a shell writes them. */
export function variables(headers: Readonly<Record<string, string>>): string {
  const named = Object.values(headers).flatMap((value) => /\$[A-Z_]+/.exec(value)?.[0] ?? []);
  return named.length === 0 ? "no variable: this server needs no key" : [...new Set(named)].join(" and ");
}
