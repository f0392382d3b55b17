import { UserError } from "../base/exit.ts";
import { learnCredential, ownNames } from "../base/known-secrets.ts";
import type { ClientOptions } from "./options.ts";

/** The token of a connection, which is read again when the server no longer accepts it. */
export class AccessToken {
  readonly #renew: ClientOptions["renewToken"];
  readonly #warn: ClientOptions["onPause"];
  #current: string;
  /** True once the server has accepted the current token, or it is the first one. */
  #mayRenew = true;

  constructor({ token, renewToken, onPause }: Pick<ClientOptions, "token" | "renewToken" | "onPause">) {
    this.#current = token;
    this.#warn = onPause;
    this.#renew = renewToken;
  }

  get current(): string {
    return this.#current;
  }

  accepted(token: string): void {
    if (token === this.#current) this.#mayRenew = true;
  }

  /** True if there is another token than the rejected one; it is read at most once for each rejection. */
  isReplaced(rejected: string): boolean {
    if (rejected !== this.#current) return true;
    if (!this.#mayRenew || !this.#renew) return false;
    this.#mayRenew = false;
    try {
      this.#current = this.#renew();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#warn?.(error.message);
      return false;
    }
    learnCredential(this.#current, ownNames.EVENKEEL_TOKEN);
    return rejected !== this.#current;
  }
}
