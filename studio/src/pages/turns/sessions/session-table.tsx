import { useLocation } from "wouter";
import { ToUser } from "../../../billing/links.tsx";
import { type ListedSession, tokensSentence, tokensText } from "../../../billing/listed-turn.ts";
import { Badge } from "../../../kit/icon.tsx";
import { cell, figure, head, RowLink, useRowWalk } from "../../../kit/table.tsx";
import { useWide } from "../../../kit/window.ts";
import { count, dollars, plural, shortTime, timeText } from "../../../kit/words.ts";
import { opening } from "../list/opening.ts";
import { sessionPlace } from "../to-session.tsx";

type RowProps = {
  readonly agent: string;
  readonly session: ListedSession;
  readonly inTabOrder: boolean;
  readonly onFocus: () => void;
};

/** Sessions to be read, a row each; on a telephone as a list. The keys are those of the turns. */
export function SessionTable(props: { readonly agent: string; readonly sessions: readonly ListedSession[] }) {
  const { agent, sessions } = props;
  const wide = useWide(640);
  const walk = useRowWalk<HTMLDivElement>(sessions.map(({ id }) => id));
  const Shown = wide ? Row : Entry;
  const rows = sessions.map((session) => (
    <Shown
      key={session.id}
      agent={agent}
      session={session}
      inTabOrder={walk.at === session.id}
      onFocus={() => walk.arrived(session.id)}
    />
  ));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside.
    <div ref={walk.around} onKeyDown={walk.pressed}>
      {wide ? (
        <table className="w-full text-sm">
          <caption className="sr-only">Sessions</caption>
          <Head />
          <tbody>{rows}</tbody>
        </table>
      ) : (
        <ul className="divide-y divide-line text-sm" aria-label="Sessions">
          {rows}
        </ul>
      )}
    </div>
  );
}

function Head() {
  return (
    <thead>
      <tr className="border-line border-b">
        <th scope="col" className={head}>
          Last turn
        </th>
        <th scope="col" className={`${head} hidden lg:table-cell`}>
          Started
        </th>
        <th scope="col" className={head}>
          <span className="whitespace-nowrap">User, channel</span>
        </th>
        <th scope="col" className={head}>
          First message
        </th>
        <th scope="col" className={`${head} hidden xl:table-cell`}>
          Models
        </th>
        <th scope="col" className={`${head} text-right`}>
          Turns
        </th>
        <th scope="col" className={`${head} text-right`}>
          Failed
        </th>
        <th scope="col" className={`${head} hidden text-right md:table-cell`} title="As the provider counted them">
          Tokens
        </th>
        <th scope="col" className={`${head} text-right`}>
          Cost
        </th>
      </tr>
    </thead>
  );
}

function Row({ agent, session, inTabOrder, onFocus }: RowProps) {
  const [, go] = useLocation();
  const { id, scope, channel, startedAt, lastAt, turns, failed, models, firstInput, usage } = session;
  const here = sessionPlace(agent, id);
  const tokens = tokensText(usage);
  return (
    <tr
      className="cursor-pointer border-line/60 border-b last:border-0 focus-within:bg-raised hover:bg-raised"
      onClick={({ target }) => {
        if (!(target as Element).closest("a") && getSelection()?.isCollapsed !== false) go(here);
      }}
    >
      <td className={`${cell} whitespace-nowrap tabular-nums`}>
        <RowLink href={here} id={id} inTabOrder={inTabOrder} onFocus={onFocus} title={timeText(lastAt)}>
          {shortTime(lastAt)}
        </RowLink>
      </td>
      <td
        className={`${cell} hidden whitespace-nowrap text-soft tabular-nums lg:table-cell`}
        title={timeText(startedAt)}
      >
        {shortTime(startedAt)}
      </td>
      <td className={`${cell} max-w-36`}>
        <span className="block truncate">
          <ToUser agent={agent} user={scope.user} inTabOrder={inTabOrder} />
        </span>
        <span className="block truncate text-soft text-xs">{channel ?? "any channel"}</span>
      </td>
      <td className={`${cell} w-full max-w-0 truncate`} dir="auto">
        {opening(firstInput ?? "") || <span className="text-soft">no input</span>}
      </td>
      <td className={`${cell} hidden max-w-44 truncate text-soft xl:table-cell`} title={models.join(", ")}>
        {models.join(", ") || "–"}
      </td>
      <td className={figure}>{count(turns)}</td>
      <td className={figure}>{failed === 0 ? "0" : <Badge tone="bad">{count(failed)}</Badge>}</td>
      <td className={`${figure} hidden md:table-cell`} title={tokensSentence(usage)}>
        {tokens ? (
          <>
            <span className="block">{tokens.input} in</span>
            <span className="block text-soft">{tokens.output} out</span>
          </>
        ) : (
          "unknown"
        )}
      </td>
      <td className={figure}>{sessionCost(session)}</td>
    </tr>
  );
}

function Entry({ agent, session, inTabOrder, onFocus }: RowProps) {
  const { id, scope, channel, lastAt, turns, failed, models, firstInput, usage } = session;
  const tokens = tokensText(usage);
  return (
    <li className="space-y-0.5 px-4 py-2">
      <p className="flex flex-wrap items-center gap-2">
        <RowLink
          href={sessionPlace(agent, id)}
          id={id}
          inTabOrder={inTabOrder}
          onFocus={onFocus}
          title={timeText(lastAt)}
        >
          {shortTime(lastAt)}
        </RowLink>
        <span className="ml-auto">{plural(turns, "turn")}</span>
        {failed > 0 && <Badge tone="bad">{count(failed)} failed</Badge>}
      </p>
      <p dir="auto" className="truncate">
        {opening(firstInput ?? "") || <span className="text-soft">no input</span>}
      </p>
      <p className="flex flex-wrap gap-x-3 text-soft text-xs tabular-nums [overflow-wrap:anywhere]">
        <ToUser agent={agent} user={scope.user} inTabOrder={inTabOrder} />
        <span>{channel ?? "any channel"}</span>
        {models.length > 0 && <span>{models.join(", ")}</span>}
        {tokens && (
          <span>
            {tokens.input} tokens in, {tokens.output} out
          </span>
        )}
        <span>{sessionCost(session)}</span>
      </p>
    </li>
  );
}

function sessionCost({ cost, turns }: ListedSession): string {
  return cost !== null ? dollars(cost) : turns === 0 ? "–" : "unknown";
}
