import { UserError } from "./exit.ts";
import { describeSystemError } from "./system-errors.ts";

/** `127.0.0.1:8080` or `[::1]:8080`. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The error of a server that cannot listen. It is no usage error, because the same command may work later. */
export function cannotListen(host: string, port: number, error: unknown): UserError {
  return new UserError(`cannot listen on ${hostAndPort(host, port)}: ${describeSystemError(error)}`);
}
