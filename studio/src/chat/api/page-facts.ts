import { createContext, useContext } from "react";

/** What a picture or a file may be: how large, how many, of which kind. */
export type FileLimits = {
  readonly kinds: readonly string[];
  readonly maxBytes: number;
  readonly maxCount: number;
};

/** What the page knows of whom it is for: the answer of `GET /chat/api/page`. */
export type PageFacts = {
  readonly agent: { readonly name: string; readonly label: string | null };
  readonly user: string;
  readonly zone: string | null;
  readonly session: { readonly id: string } | null;
  readonly telegram: { readonly possible: boolean; readonly linked: number };
  readonly files: FileLimits | null;
  readonly waiting: number;
  /** A script stands in for a model. */
  readonly standIn: boolean;
  readonly sections: readonly { readonly name: string; readonly heading: string | null; readonly revision: number }[];
};

const Facts = createContext<PageFacts | undefined>(undefined);

export const FactsProvider = Facts.Provider;

export function useFacts(): PageFacts {
  const facts = useContext(Facts);
  if (!facts) throw new Error("Nobody is signed in.");
  return facts;
}

/** What the agent is called for people. */
export function agentLabel({ agent }: Pick<PageFacts, "agent">): string {
  return agent.label ?? agent.name;
}
