import type { Receipt } from "charter";
import type { TurnAnswer } from "charter/answers";
import { useApi } from "../../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../../api/request.ts";
import { Loading, Trouble } from "../../../../app/page.tsx";
import { useFolds } from "./folds.ts";
import { placeText, SlotView } from "./slot-view.tsx";

const titles: Readonly<Record<string, string>> = {
  system: "System prompt",
  update: "Update",
  state: "Dynamic state",
};

/** What a step sent of the prompt, where the rest of its request cannot be rebuilt. */
export function Slots(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly turn: string;
  readonly step: number;
}) {
  const { agent, user, turn, step } = props;
  const path = withQuery(`/turns/${encodeName(turn)}`, { parts: "bytes", step });
  const { data: answer, error, refetch } = useApi<TurnAnswer<"bytes">>(path);
  const folds = useFolds();
  if (error) return error.error.code === "erased" ? null : <Trouble problem={error} again={() => refetch()} />;
  const data = answer?.bytes;
  if (!data || data.turn !== turn || data.step !== step) return <Loading what="Rebuilding the prompt…" />;
  const { slots } = data.receipt as Receipt;
  return (
    <div className="space-y-4">
      {data.slots.map((sent, index) => {
        const slot = slots[index] ?? { ...sent, sections: [], breakpoints: [] };
        return (
          <SlotView
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place.
            key={index}
            agent={agent}
            user={user}
            title={titles[sent.slot] ?? sent.slot}
            place={placeText(slot.message)}
            part={`p${index + 1}`}
            text={sent.text}
            slot={slot}
            file={`${turn}-step-${step}-${index + 1}-${sent.slot}.txt`}
            folds={folds}
          />
        );
      })}
    </div>
  );
}
