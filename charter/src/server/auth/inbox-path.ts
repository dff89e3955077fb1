/** An agent's inbox, or one message in it, as a request's path names them. */
type InboxPath = { readonly agent: string; readonly message?: string };

/** `/api/agents/ada/inbox` and `/api/agents/ada/inbox/0001`; nothing else. */
export function inboxPath(path: string): InboxPath | undefined {
  const [, agent, message] = /^\/api\/agents\/([^/]+)\/inbox(?:\/([^/]+))?$/.exec(path) ?? [];
  if (agent === undefined) return undefined;
  return { agent: decodeURIComponent(agent), ...(message !== undefined && { message: decodeURIComponent(message) }) };
}

const replies = /^\/api\/agents\/[^/]+\/outbox$/;

/** Whether a request is one of the three that a token of kind “inbox” is for: it opens no other, whatever is added. */
export function isForInbox(method: string, path: string): boolean {
  const asked = inboxPath(path);
  if (method === "POST") return asked !== undefined && asked.message === undefined;
  return (method === "GET" || method === "HEAD") && (asked?.message !== undefined || replies.test(path));
}
