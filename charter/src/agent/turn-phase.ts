/** Where a turn is: its prompt is made, the model is asked, tools run, or what came of it is recorded. */
export type TurnPhase = "LoadingContext" | "Inferring" | "ExecutingActions" | "Persisting";
