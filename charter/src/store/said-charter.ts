import { isRecord } from "../prompt/argument.ts";
import type { Value } from "./home/sql.ts";

/** Rows from before a charter had to say whose copy is changed and whose words its sources bring: what held unsaid is written. */
type Row = Readonly<Record<string, Value>>;

type Said = Readonly<Record<string, unknown>>;

/** The charter that is stored with an agent. */
export function charterSaid({ declared }: Row): Row {
  const record = read(declared);
  if (!isRecord(record.charter) || !Array.isArray(record.charter.layers)) return {};
  const layers = record.charter.layers.map(layerSaid);
  return { declared: JSON.stringify({ ...record, charter: { ...record.charter, layers } }) };
}

/** An agent with the ready-made charter that edits its own prompt: all its users share one. */
export function agentSaid({ charter, settings }: Row): Row {
  const given = read(settings);
  if (charter !== "artifact") return {};
  return { settings: JSON.stringify({ ...given, settings: { scope: "agent", ...Object(given.settings) } }) };
}

function read(value: Value | undefined): Said {
  try {
    const made: unknown = JSON.parse(String(value));
    return isRecord(made) ? made : {};
  } catch {
    return {};
  }
}

function layerSaid(layer: Said): Said {
  const sections = (all: unknown) => (all as Said[]).map((section) => sectionSaid(section, layer.mutability));
  return {
    ...layer,
    mutability: mutabilitySaid(layer.mutability, "agent"),
    sections: sections(layer.sections),
    ...(layer.fallback === undefined ? {} : { fallback: sections(layer.fallback) }),
  };
}

function sectionSaid({ scope, ...section }: Said, ofLayer: unknown): Said {
  const mutability = section.mutability ?? ofLayer;
  const isOwn = scope === "user" || section.mutability !== undefined;
  const trust = isOthers(mutability) ? "user" : "own";
  return {
    ...(section.sources === undefined ? {} : { trust }),
    ...section,
    ...(isOwn ? { mutability: mutabilitySaid(mutability, scope === "user" ? scope : "agent") } : {}),
  };
}

function mutabilitySaid(mutability: unknown, scope: "user" | "agent"): unknown {
  if (!isRecord(mutability)) return mutability;
  if (isOthers(mutability)) return { ...mutability, scope };
  if (scope === "agent") return mutability;
  // Each user's own, and only the operator changed it: so that it stays theirs, their wishes wait for the operator.
  return { amendableBy: [...(mutability.amendableBy as unknown[]), "user"], scope, approvedBy: "operator" };
}

function isOthers(mutability: unknown): boolean {
  if (!isRecord(mutability) || !Array.isArray(mutability.amendableBy)) return false;
  return mutability.amendableBy.some((actor) => actor !== "operator");
}
