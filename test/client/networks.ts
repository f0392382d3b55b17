import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import net from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { atEnd } from "../support/ending.ts";

/** The path of one of the certificates and keys that make.sh made. */
export const pathOf = (name: string) => join(import.meta.dirname, "certificates", name);
export const pem = (name: string) => readFileSync(pathOf(name), "utf8");

/** Listens on loopback until the test ends. The port. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => void sockets.add(socket.on("error", () => {}));
  server.on("connection", keep).on("connect", (_, socket: Socket) => keep(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

export interface Secure {
  readonly port: number;
  /** Request lines, and the name on the client's certificate. */
  readonly seen: { readonly line: string; readonly client: string | string[] | undefined }[];
}

/** A server that speaks TLS and answers every request, or hands it on. */
export async function serveTls(options: https.ServerOptions, answer: http.RequestListener = ok): Promise<Secure> {
  const seen: Secure["seen"] = [];
  const standard = { cert: pem("server.pem"), key: pem("server.key"), ca: pem("authority.pem") };
  const server = https.createServer({ ...standard, ...options }, (request, response) => {
    const client = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().subject?.CN : undefined;
    seen.push({ line: `${request.method} ${request.url}`, client });
    answer(request, response);
  });
  return { port: await listen(server), seen };
}

const ok: http.RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":1}');
};

export interface TestProxy {
  readonly port: number;
  /** What it was asked to connect to, with which credentials. */
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[];
  /** All bytes that clients sent into tunnels. */
  readonly sent: () => string;
}

export interface ProxySetting {
  /** Where every tunnel leads, whatever its target. */
  readonly to?: number;
  /** What it says in place of opening a tunnel; 0: nothing. */
  readonly status?: number;
  /** It wants this value of Proxy-Authorization. */
  readonly authorization?: string;
  /** It is spoken to in TLS. */
  readonly tls?: boolean;
}

/** A proxy that knows CONNECT and nothing else. */
export async function serveProxy({ to = 0, status = 200, authorization, tls }: ProxySetting): Promise<TestProxy> {
  const asked: TestProxy["asked"] = [];
  const bytes: Buffer[] = [];
  const server = tls
    ? https.createServer({ cert: pem("server.pem"), key: pem("server.key") })
    : http.createServer((_, response) => response.writeHead(405).end());
  server.on("connect", ({ url = "", headers }, socket: Socket) => {
    const given = headers["proxy-authorization"];
    asked.push({ target: url, authorization: given });
    if (status === 0) return;
    const said = authorization !== undefined && given !== authorization ? 407 : status;
    socket.write(`HTTP/1.1 ${said} ${http.STATUS_CODES[said]}\r\n\r\n`);
    if (said !== 200) socket.end();
    else tie(socket, net.connect(to, "127.0.0.1"), bytes);
  });
  return { port: await listen(server), asked, sent: () => Buffer.concat(bytes).toString("latin1") };
}

function tie(client: Socket, server: Socket, bytes: Buffer[]): void {
  client.on("data", (chunk) => void bytes.push(chunk));
  client.on("close", () => server.destroy());
  server.on("error", () => client.destroy());
  client.pipe(server).pipe(client);
}
