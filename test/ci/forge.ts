import { createServer, type IncomingMessage } from "node:http";
import { atEnd } from "../support/ending.ts";

export interface Comment {
  readonly id: number;
  readonly by: string;
  body: string;
}

/** A forge as far as comments go. `asked` is every request so far; `by` wrote what is created with its token. */
export interface Forge {
  readonly url: string;
  readonly comments: Comment[];
  readonly asked: string[];
}

type Owners = Readonly<Record<string, string>>;

/** Listed by 100 a page; changed by whoever wrote them. Answers in both forges' shapes. */
export async function commentForge(owners: Owners, comments: Comment[] = []): Promise<Forge> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push(`${method} ${url}`);
    const token = headers["private-token"] ?? headers.authorization?.replace("Bearer ", "");
    const me = owners[String(token)];
    const answer = me === undefined ? undefined : await answered({ method, url, me, comments, request });
    response.statusCode = answer === undefined ? 403 : 200;
    response.end(JSON.stringify(answer ?? { message: "403 Forbidden" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => void server.close());
  const address = server.address();
  return { asked, comments, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly me: string;
  readonly comments: Comment[];
  readonly request: IncomingMessage;
}

async function answered({ method, url, me, comments, request }: Asked): Promise<unknown> {
  if (url === "/graphql") return { data: { viewer: { login: me } } };
  if (url === "/user") return { id: numberOf(me), username: me };
  if (method === "GET") return pageOf(comments, new URL(url, "http://forge").searchParams);
  const { body } = JSON.parse(await textOf(request));
  if (method === "POST") return { id: comments.push({ id: 1000 + comments.length, by: me, body }) };
  const known = comments.find(({ id }) => url.endsWith(`/${id}`));
  if (known?.by !== me) return undefined;
  known.body = body;
  return {};
}

function pageOf(comments: readonly Comment[], query: URLSearchParams) {
  const [size, page] = [Number(query.get("per_page") ?? 20), Number(query.get("page") ?? 1)];
  const rows = comments.slice((page - 1) * size, page * size);
  return rows.map(({ id, by, body }) => ({
    id,
    body,
    author: { id: numberOf(by), username: by },
    user: { login: by },
  }));
}

/** An ID for a name, as one forge tells people by number. */
function numberOf(name: string): number {
  return [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_003;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
