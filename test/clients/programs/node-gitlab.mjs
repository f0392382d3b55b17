import { promisify } from "node:util";
import gitlab from "node-gitlab";

const [host, token] = process.argv.slice(2);
export const gl = gitlab.create({ api: `${host}/api/v4`, privateToken: token });
export const promised = (call) => promisify(call.bind(gl.projects));

export async function tell(what, ask) {
  const answer = await ask().catch((error) => `error: ${error.message}`);
  console.log(JSON.stringify([what, answer]));
}

// calls
