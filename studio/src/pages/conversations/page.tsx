import { usePlace } from "../../app/place.ts";
import { Counterparts } from "./counterpart-list.tsx";
import { Dialogue } from "./dialogue.tsx";

/** With whom an agent has spoken; with a counterpart in the address, what was said. */
export default function ConversationsPage() {
  const { agent, one } = usePlace();
  return one === undefined ? <Counterparts agent={agent} /> : <Dialogue key={one} agent={agent} one={one} />;
}
