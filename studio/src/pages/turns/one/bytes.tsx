import type { Receipt, SentSlot } from "charter";
import type { SentBytesAnswer } from "charter/answers";
import { useMemo, useState } from "react";
import { useApi } from "../../../api/query-client.ts";
import { encodeName } from "../../../api/request.ts";
import { Loading, Trouble } from "../../../app/page.tsx";
import { Button } from "../../../kit/button.tsx";
import { count, plural } from "../../../kit/words.ts";
import { Copy } from "./copy.tsx";
import { Proof } from "./proof.tsx";
import { SlotText } from "./slot-text.tsx";
import { type Stretch, stretchesOf } from "./stretches.ts";
import { WhoWrote } from "./who-wrote.tsx";

/** The very bytes a step sent, slot by slot; whose each stretch of them is. */
export function Bytes(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly turn: string;
  readonly step: number;
}) {
  const { agent, user, turn, step } = props;
  const { data, error, refetch } = useApi<SentBytesAnswer>(`/turns/${encodeName(turn)}/steps/${step}/bytes`);
  if (error) return <Trouble problem={error} again={() => refetch()} />;
  if (!data || data.turn !== turn || data.step !== step) return <Loading what="Rebuilding the bytes…" />;
  const { slots } = data.receipt as Receipt;
  return (
    <div className="space-y-4">
      {data.slots.map((sent, index) => (
        <Slot
          // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place.
          key={index}
          agent={agent}
          user={user}
          text={sent.text}
          digest={sent.digest}
          slot={slots[index] ?? { ...sent, sections: [], breakpoints: [] }}
          file={`${turn}-step-${step}-${index + 1}-${sent.slot}.txt`}
        />
      ))}
    </div>
  );
}

const titles: Readonly<Record<string, string>> = {
  system: "The prefix",
  update: "Told in the history",
  state: "The tail",
};

type SlotProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly text: string;
  readonly digest: string;
  readonly slot: SentSlot;
  readonly file: string;
};

function Slot({ agent, user, text, digest, slot, file }: SlotProps) {
  const stretches = useMemo(() => stretchesOf(slot), [slot]);
  const [chosen, setChosen] = useState<Stretch>();
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const label = `Slot ${slot.slot}${slot.message === undefined ? "" : `, message ${slot.message + 1}`}`;
  return (
    <section aria-label={label} className="min-w-0 rounded-md border border-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5 text-sm">
        <h4 className="font-medium">
          {titles[slot.slot] ?? slot.slot} <code className="text-soft">{slot.slot}</code>
          {slot.message !== undefined && <span className="font-normal text-soft"> message {slot.message + 1}</span>}
        </h4>
        <span className="text-soft tabular-nums">
          {plural(text.length, "character")}, {count(bytes)} bytes
        </span>
        <Proof text={text} digest={digest} />
        <span className="ml-auto flex gap-1">
          <Copy text={text} />
          <Button kind="quiet" onClick={() => download(text, file)}>
            Download
          </Button>
        </span>
      </header>
      <SlotText
        label={`The words of ${label}`}
        text={text}
        stretches={stretches}
        chosen={chosen}
        onChoose={setChosen}
      />
      <WhoWrote agent={agent} user={user} stretches={stretches} chosen={chosen} onChoose={setChosen} />
    </section>
  );
}

function download(text: string, file: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}
