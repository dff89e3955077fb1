import { allOperations } from "../../operations/operations.ts";
import type { Routes } from "../api.ts";
import { operationRoutes } from "../operation-routes.ts";
import { answerTurn } from "../turns/take-turn.ts";
import { answerAttachment } from "./attachments.ts";
import { answerEvents } from "./events.ts";

/** All routes under `/api`, for `createApi`. */
export const allRoutes: readonly Routes[] = [
  operationRoutes(allOperations, {
    "turns.take": answerTurn,
    "turns.attachment": answerAttachment,
    "events.follow": answerEvents(),
  }),
];
