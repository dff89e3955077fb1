import { badArgument, isObject, kindOf } from "../prompt/argument.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings } from "../prompt/source.ts";
import type { Guard } from "./guard.ts";
import { allowedHand } from "./guards/allowed-hand.ts";
import { needsApproval } from "./guards/needs-approval.ts";
import { noForgery } from "./guards/no-forgery.ts";
import { noOverride } from "./guards/no-override.ts";
import { room } from "./guards/room.ts";
import { staleRevision } from "./guards/stale-revision.ts";
import { wellFormed } from "./guards/well-formed.ts";

/**
 * The guards that every amendable section should have, in the order they are asked. Add your own: sizes, openings,
 * quotas.
 */
export function usualGuards(charter: Charter, readings: Readings, limits: Room = {}): Guard[] {
  if (!isObject(readings))
    throw badArgument(
      `The readings that usualGuards was given are ${kindOf(readings)}.`,
      "Give usualGuards(charter, await gather(charter, turn)).",
    );
  return [
    allowedHand,
    staleRevision,
    wellFormed,
    noForgery(charter),
    noOverride(charter),
    room(charter, readings, limits),
    needsApproval,
  ];
}
