import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Badge } from "../../kit/icon.tsx";

type Links = { readonly links: readonly { readonly channel: string; readonly address: string }[] };

/** The chats elsewhere that are this user's: what comes by itself is sent there. */
export function LinkedChats({ agent, user }: { readonly agent: string; readonly user: string }) {
  const { data } = useApi<Links>(withQuery(`/agents/${encodeName(agent)}/links`, { user }));
  if (!data || data.links.length === 0) return null;
  return (
    <p className="mb-4 flex flex-wrap items-center gap-1.5 text-sm text-soft">
      Linked:
      {data.links.map((link) => (
        <Badge key={link.channel + link.address}>
          {link.channel} <bdi>{link.address}</bdi>
        </Badge>
      ))}
    </p>
  );
}
