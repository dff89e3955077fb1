import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

/** Which of the options below a field is marked: the arrow keys move it, and go round. */
export function useMarked(size: number) {
  const [at, setAt] = useState(0);
  const marked = Math.min(at, size - 1);
  return {
    marked,
    restart: () => setAt(0),
    /** Whether the key was one that moves. */
    move: (event: KeyboardEvent): boolean => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return false;
      event.preventDefault();
      setAt((marked + step + size) % Math.max(1, size));
      return true;
    },
  };
}

type OptionProps = {
  readonly id: string;
  readonly marked: boolean;
  readonly onChoose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
};

/** An option of a combobox. The keys are the field's, which keeps the focus. */
export function Option({ id, marked, onChoose, className = "", children }: OptionProps) {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked) option.current?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  return (
    <div
      ref={option}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={marked}
      className={`cursor-pointer px-2.5 py-1.5 text-sm [overflow-wrap:anywhere] ${marked ? "bg-raised" : ""} ${className}`}
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose();
      }}
    >
      {children}
    </div>
  );
}
