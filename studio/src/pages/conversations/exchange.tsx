import type { ReactNode } from "react";
import { Fence } from "../../kit/text/fence.tsx";

/** One message and its reply: theirs to the left, the agent's set in. */
export function Exchange({
  about,
  from,
  agent,
  message,
  foreign = false,
  reply,
}: {
  readonly about: ReactNode;
  readonly from: string;
  readonly agent: string;
  readonly message: ReactNode;
  /** Anyone's words but those of the turn's own user. */
  readonly foreign?: boolean;
  readonly reply: ReactNode;
}) {
  return (
    <li>
      <p className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft text-xs">{about}</p>
      <div className="mr-6 sm:mr-24">
        {foreign ? (
          <Fence
            from={
              <>
                <bdi>{from}</bdi> wrote
              </>
            }
          >
            {message}
          </Fence>
        ) : (
          <div className="rounded-lg rounded-tl-sm border border-line bg-card px-3 py-2">
            <Who name={from} />
            {message}
          </div>
        )}
      </div>
      <div className="mt-1.5 ml-6 rounded-lg rounded-tr-sm border border-line bg-raised px-3 py-2 sm:ml-24">
        <Who name={agent} />
        {reply}
      </div>
    </li>
  );
}

function Who({ name }: { readonly name: string }) {
  return (
    <p className="truncate font-medium text-soft text-xs" dir="auto">
      {name}
    </p>
  );
}
