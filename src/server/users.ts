import { factHolds } from "../model/catalogue.ts";
import { paged } from "./pages.ts";
import { json, unknownRoute } from "./reply.ts";
import type { Handler } from "./server-context.ts";
import type { User } from "./state.ts";

/** GET /user, on deployed servers only. `is_admin` is returned to administrators only. */
export const getUser: Handler = (_, { caller }) =>
  json(200, {
    ...caller.user,
    email: `${caller.user.username}@example.com`,
    ...(caller.role === "admin" && { is_admin: true }),
  });

/** GET /users by username, in any case: users of tokens and of the seed. Without a username, all. */
export const listUsers: Handler = (context, call) => {
  const { username } = call.given;
  const { user: users, token: tokens } = context.state;
  const withToken = Array.from(tokens.values(), ({ user }) => user);
  const all = new Map([...users.values(), ...withToken].map((user) => [user.id, user]));
  const isAsked = (user: User) =>
    username === undefined || user.username.toLowerCase() === String(username).toLowerCase();
  const found = [...all.values()].filter(isAsked).toSorted((a, b) => a.id - b.id);
  return paged(context, call, found, (user) => user);
};

/** GET /personal_access_tokens/self, on deployed servers only: the scopes of the token. */
export const getToken: Handler = (_, { caller: { role, user, scopes = ["api"], expires_at = null } }) =>
  json(200, {
    id: user.id,
    name: `${role} token`,
    user_id: user.id,
    scopes,
    active: true,
    revoked: false,
    expires_at,
  });

/** GET /version, on deployed servers only. */
export const getVersion: Handler = ({ release }) => json(200, createVersion(release));

/** GET /metadata, in dialects and releases that have it. */
export const getMetadata: Handler = ({ catalogue, release }) =>
  factHolds(catalogue, "metadata-route", release)
    ? json(200, { ...createVersion(release), enterprise: true })
    : unknownRoute;

/** A release without a patch version has patch version 0. */
function createVersion(release: string): object {
  return { version: `${release.split(".").length === 2 ? `${release}.0` : release}-ee`, revision: "0000000000a" };
}
