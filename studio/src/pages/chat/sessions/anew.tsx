import { SessionLine } from "../../../kit/text/long-text.tsx";

/** Where another conversation begins among the turns of all. */
export function Anew({ back = false }: { readonly back?: boolean }) {
  return (
    <SessionLine>
      {back
        ? "Back in an earlier conversation: the model is not told what was said since"
        : "A new conversation: the model is not told what was said before"}
    </SessionLine>
  );
}
