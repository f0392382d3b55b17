import type { Context } from "hono";
import { formIn } from "./markup.ts";

/** The statuses of what is not shown. */
type RefusalStatus = 401 | 404 | 500 | 503;

/** Says why nothing is shown, in the form that the request asks for. `html` makes the page. */
export function refusal(
  context: Context,
  status: RefusalStatus,
  error: string,
  html: () => Response | Promise<Response>,
): Response | Promise<Response> {
  context.status(status);
  const { form } = formIn(context.req.path);
  if (form === "json") return context.json({ error });
  return form === "csv" ? context.text(`${error}\n`) : html();
}
