// Traces the requests of a run: node --import ./instrumentation.mjs "$(command -v evenkeel)" plan
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import { NodeSDK } from "@opentelemetry/sdk-node";

const { origin: server } = new URL(process.env.EVENKEEL_URL);

const undici = new UndiciInstrumentation({
  // Other origins, such as the URL of a chat, may be secrets themselves.
  ignoreRequestHook: ({ origin }) => origin !== server,
  requestHook: (span, { origin, path }) =>
    span.setAttributes({ "url.full": `${origin}${path.split("?")[0]}`, "url.query": "" }),
});

const sdk = new NodeSDK({ serviceName: "evenkeel", instrumentations: [undici] });
sdk.start();
process.once("beforeExit", () => sdk.shutdown());
