import { DiffView } from "../../kit/text/diff.tsx";

/** What changed in a text of people's, in letters of people's. */
export function Diff(props: { readonly before: string; readonly after: string; readonly max?: number }) {
  return <DiffView {...props} className="rounded-lg! bg-card font-sans! text-sm! leading-6!" />;
}
