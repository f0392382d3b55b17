import { UserError } from "./exit.ts";
import { describeSystemError } from "./system-errors.ts";

/** A host and a port as addresses write them: `127.0.0.1:8080`, `[::1]:8080`. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What is said where a server cannot listen: it is no wrong usage, because the same words work once the port is free. */
export function cannotListen(host: string, port: number, error: unknown): UserError {
  return new UserError(`cannot listen on ${hostAndPort(host, port)}: ${describeSystemError(error)}`);
}
