import type { CharterListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { Trouble } from "../../app/page.tsx";
import { Field, Select } from "../../kit/field.tsx";

type Choosing = { readonly charter: string; readonly onCharter: (charter: string) => void };

/** The charters the server brings along, each with its sentence; and the file an agent has already. */
export function useCharters(charter: string) {
  const { data, error } = useApi<CharterListAnswer>("/charters");
  const known = data?.charters ?? [];
  const own = charter === "" || known.some(({ name }) => name === charter);
  return {
    error,
    usual: data?.usual ?? "",
    charters: own
      ? known
      : [{ name: charter, says: "A charter of your own, from a file.", template: {}, reads: [] }, ...known],
  };
}

/** All of them to choose from, for whoever does not know them yet. */
export function CharterChoice({ charter, onCharter }: Choosing) {
  const { charters, error } = useCharters(charter);
  return (
    <fieldset>
      <legend className="mb-0.5 text-soft text-xs">Template</legend>
      {error && <Trouble problem={error} />}
      <div className="grid gap-1.5">
        {charters.map(({ name, says }) => (
          <label
            key={name}
            className="flex cursor-pointer gap-2.5 rounded-md border border-line bg-card px-3 py-2 has-checked:border-accent has-checked:bg-raised"
          >
            <input
              type="radio"
              name="charter"
              value={name}
              checked={charter === name}
              onChange={() => onCharter(name)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="font-medium text-sm [overflow-wrap:anywhere]">{name}</span>
              <span className="block text-soft text-xs">{says}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The same on one line, for whoever has chosen. */
export function CharterSelect({ charter, onCharter }: Choosing) {
  const { charters, error } = useCharters(charter);
  return (
    <>
      <Field label="Charter" hint={charters.find(({ name }) => name === charter)?.says}>
        <Select value={charter} onChange={({ target }) => onCharter(target.value)}>
          {charters.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      {error && <Trouble problem={error} />}
    </>
  );
}
