import { TextLink } from "../../../kit/text-link.tsx";
import type { Whom } from "../talk.ts";
import { useWays } from "../ways.ts";

/** Above a single conversation: that it is one, and the way to all of them. */
export function OneSessionNote({ whom }: { readonly whom: Whom }) {
  const { addressOf } = useWays(whom);
  return (
    <p className="flex flex-wrap gap-x-3 border-line border-b px-4 py-1.5 text-soft text-xs sm:px-6">
      <span>You see one conversation. What you say continues it.</span>
      <TextLink href={addressOf(undefined)}>Show all conversations</TextLink>
    </p>
  );
}

/** The address names a conversation that has no turns here. */
export function NoSession({ whom, session }: { readonly whom: Whom; readonly session: string }) {
  const { agent, user } = whom;
  const { addressOf } = useWays(whom);
  return (
    <p className="text-center text-sm text-soft [overflow-wrap:anywhere]">
      There is no conversation “<bdi>{session}</bdi>” of <bdi>{user}</bdi> with <bdi>{agent}</bdi>. It may have been
      erased, or belong to another user. <TextLink href={addressOf(undefined)}>Show all</TextLink>
    </p>
  );
}
