import type { ButtonHTMLAttributes } from "react";

type Kind = "plain" | "primary" | "quiet" | "danger";

const looks: Readonly<Record<Kind, string>> = {
  plain: "border border-line bg-card hover:bg-raised",
  primary: "border border-transparent bg-accent text-on-accent hover:opacity-90",
  quiet: "border border-transparent text-soft hover:bg-raised hover:text-ink",
  danger: "border border-line bg-card text-bad hover:bg-raised",
};

/** A button. On a telephone it is tall enough for a thumb. */
export function Button({
  kind = "plain",
  className = "",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: Kind }) {
  return (
    <button
      type="button"
      {...rest}
      className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-md px-3 py-1 font-medium text-sm whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50 ${looks[kind]} ${className}`}
    />
  );
}
