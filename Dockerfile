FROM node:22.20.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY src src
COPY schemas schemas
RUN npm run --silent build:js && npm prune --omit=dev --ignore-scripts \
 && npm install --no-save --omit=dev --ignore-scripts $(node -p 'Object.entries(require("./package.json").peerDependencies).map((each) => each.join("@")).join(" ")')

FROM node:22.20.0-bookworm-slim
# git is what `diff`, `--since` and `blame` ask, and ssh-keygen what `approve` does. A runner checks out as another user than ours.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory '*'
COPY --from=build /build/package.json /opt/evenkeel/
COPY --from=build /build/node_modules /opt/evenkeel/node_modules
COPY --from=build /build/dist /opt/evenkeel/dist
RUN ln -s /opt/evenkeel/dist/cli.js /usr/local/bin/evenkeel && chmod +x /opt/evenkeel/dist/cli.js
USER node
WORKDIR /workspace
CMD ["evenkeel", "--help"]
