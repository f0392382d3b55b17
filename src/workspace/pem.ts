import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { describeSystemError } from "../base/system-errors.ts";

/** A text, or why there is none: it completes "FILE …". */
export type Pem = { readonly text: string } | { readonly why: string };

const mostBytes = 4 * 1024 * 1024;

/** Reads a PEM file; what is no regular file is not even opened. */
export function readPem(path: string): Pem {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { why: "is not a file" };
    if (stat.size > mostBytes) return { why: "is larger than 4 MiB" };
    return { text: readFileSync(path, "latin1") };
  } catch (error) {
    return { why: `cannot be read (${describeSystemError(error)})` };
  }
}

/** Reads a PEM file of one certificate or more, and of nothing that is not one. */
export function readCertificates(path: string): Pem {
  const read = readPem(path);
  if ("why" in read) return read;
  const blocks = read.text.match(certificate) ?? [];
  if (blocks.length === 0) return { why: "contains no certificate; expected PEM, with -----BEGIN CERTIFICATE-----" };
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  if (damaged >= 0) return { why: `cannot be used: certificate ${damaged + 1} in it is damaged` };
  return { text: `${blocks.join("\n")}\n` };
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
