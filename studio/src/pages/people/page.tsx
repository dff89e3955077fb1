import type { UserListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";

export default function PeoplePage() {
  const { data, error } = useApi<UserListAnswer>(withQuery("/users", {}));
  return (
    <Page title="People">
      {error && <Trouble problem={error} />}
      {!data && !error && <Loading />}
      {data?.users.length === 0 && <Empty title="Nobody yet" />}
    </Page>
  );
}
