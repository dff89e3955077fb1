import { usePlace } from "../../app/place.ts";
import { AllTurns } from "./list/all-turns.tsx";
import { OneTurn } from "./one/one-turn.tsx";

export default function TurnsPage() {
  const { agent, one } = usePlace();
  return one === undefined ? <AllTurns key={agent} agent={agent} /> : <OneTurn key={one} agent={agent} id={one} />;
}
