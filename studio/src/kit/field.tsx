import type { ComponentProps, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";

const box = "min-h-9 w-full rounded-md border border-line bg-card px-2.5 py-1 text-sm text-ink placeholder:text-soft";

/** A control under its name. Without `hint` nothing stands under it. */
export function Field({
  label,
  hint,
  className = "",
  children,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className={`block min-w-0 ${className}`}>
      <span className="mb-1 block text-soft text-xs">{label}</span>
      {children}
      {hint && <span className="mt-1 block text-soft text-xs">{hint}</span>}
    </label>
  );
}

export function Input({ className = "", ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={`${box} ${className}`} />;
}

export function Textarea({ className = "", ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea {...rest} className={`${box} ${className}`} />;
}

export function Select({ className = "", ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return <select {...rest} className={`${box} ${className}`} />;
}
