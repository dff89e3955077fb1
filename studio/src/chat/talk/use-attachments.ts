import { useCallback, useState } from "react";
import type { FileLimits } from "../api/page-facts.ts";
import { type Attachment, objection, readAttachment } from "./attachment.ts";

/** The pictures and files of the next message, and why some were left out. */
export function useAttachments(limits: FileLimits | null) {
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [objections, setObjections] = useState<readonly string[]>([]);
  const add = useCallback(
    async (chosen: readonly File[]) => {
      if (!limits || chosen.length === 0) return;
      const taken: File[] = [];
      const against: string[] = [];
      for (const file of chosen) {
        const why = objection(file, limits, [...files.map(({ bytes }) => ({ size: bytes })), ...taken]);
        if (why === undefined) taken.push(file);
        else against.push(why);
      }
      setObjections(against);
      const read = await Promise.all(taken.map(readAttachment));
      setFiles((before) => [...before, ...read].slice(0, limits.maxCount));
    },
    [limits, files],
  );
  const remove = useCallback((id: string) => setFiles((before) => before.filter((one) => one.id !== id)), []);
  const clear = useCallback(() => {
    setFiles([]);
    setObjections([]);
  }, []);
  return { files, objections, add, remove, clear };
}
