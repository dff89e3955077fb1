import { Lock, type LucideIcon, Pencil, Radio } from "lucide-react";

/** A picture beside words that say the same; alone only in a button that has a name. All of them are of one set, Lucide. */
export function Icon({ of: Shape, className = "size-4" }: { readonly of: LucideIcon; readonly className?: string }) {
  return <Shape aria-hidden="true" strokeWidth={1.75} className={`shrink-0 ${className}`} />;
}

/** Who may change a section: nobody, the actors of its layer, or code in each turn. */
export const mutabilityIcons: Readonly<Record<"fixed" | "amendable" | "live", LucideIcon>> = {
  fixed: Lock,
  amendable: Pencil,
  live: Radio,
};

/** A lock, a pencil or a signal, with the word. */
export function Mutability({ of }: { readonly of: keyof typeof mutabilityIcons }) {
  return (
    <span className="inline-flex items-center gap-1 text-sm text-soft">
      <Icon of={mutabilityIcons[of]} className="size-3.5" />
      {of}
    </span>
  );
}
