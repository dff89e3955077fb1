import { usePlace } from "../../place.ts";
import { AllTurns } from "./all-turns.tsx";
import { OneTurn } from "./one-turn.tsx";

export default function TurnsPage() {
  const { agent, one } = usePlace();
  return one === undefined ? <AllTurns key={agent} agent={agent} /> : <OneTurn key={one} agent={agent} id={one} />;
}
