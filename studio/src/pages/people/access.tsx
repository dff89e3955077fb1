import type { InvitationListAnswer, TokenListAnswer } from "charter/answers";
import { type ReactNode, useId } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, request, withQuery } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Card, Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { shortTime } from "../../kit/words.ts";

/** How they come in, with whichever agent: what signs them in or opens the API for them, each to be taken back. */
export function Access({ user }: { readonly user: string }) {
  const tokens = useApi<TokenListAnswer>(withQuery("/tokens", { user, limit: 1000 }));
  const invitations = useApi<InvitationListAnswer>(withQuery("/invitations", { user, limit: 100 }));
  const act = useAct();
  const remove = (path: string) => act.run(() => request(path, { method: "DELETE" }));
  const now = new Date().toISOString();
  const valid = tokens.data?.tokens.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
  );
  const open = invitations.data?.invitations.filter(({ state }) => state === "open");
  return (
    <div className="mt-4 grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <Trouble problem={act.problem} />
      <Part title="Tokens and sign-ins">
        {valid?.length === 0 && "None."}
        <ul className="space-y-1">
          {valid?.map(({ id, name, kind, agent, expiresAt, lastUsedAt }) => (
            <Removable key={id} does={`Revoke ${name}`} onRemove={() => remove(`/tokens/${encodeName(id)}`)}>
              <bdi>{name}</bdi>{" "}
              <span className="text-soft">
                {[
                  kind,
                  ...(agent === null ? [] : [`with ${agent}`]),
                  lastUsedAt === null ? "not used yet" : `used ${shortTime(lastUsedAt)}`,
                  ...(expiresAt === null ? [] : [`until ${shortTime(expiresAt)}`]),
                ].join(", ")}
              </span>
            </Removable>
          ))}
        </ul>
      </Part>
      <Part title="Open invitations">
        {open?.length === 0 && "None."}
        <ul className="space-y-1">
          {open?.map(({ id, agent, expiresAt }) => (
            <Removable
              key={id}
              does={`Revoke the invitation to ${agent}`}
              onRemove={() => remove(`/invitations/${encodeName(id)}`)}
            >
              to {agent} <span className="text-soft">until {shortTime(expiresAt)}</span>
            </Removable>
          ))}
        </ul>
      </Part>
    </div>
  );
}

type PartProps = {
  readonly title: string;
  readonly to?: string;
  readonly words?: string;
  readonly children: ReactNode;
};

export function Part({ title, to, words, children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <Card className="space-y-2 text-sm">
        <div className="flex items-baseline justify-between gap-2">
          <h2 id={id} className="font-medium">
            {title}
          </h2>
          {to && <TextLink href={to}>{words}</TextLink>}
        </div>
        {children}
      </Card>
    </section>
  );
}

type RemovableProps = { readonly does: string; readonly onRemove: () => void; readonly children: ReactNode };

export function Removable({ does, onRemove, children }: RemovableProps) {
  return (
    <li className="flex items-center justify-between gap-2 [overflow-wrap:anywhere]">
      <span>{children}</span>
      <Button kind="quiet" aria-label={does} onClick={onRemove}>
        {does.split(" ")[0]}
      </Button>
    </li>
  );
}
