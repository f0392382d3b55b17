# The program is the same on every architecture. Some packages are not, and so are installed on the image's own.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY src src
COPY schemas schemas
RUN npm run --silent build:js

# All versions are those of the lock file, also of the optional packages, which the image includes.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN node -e 'const { devDependencies, ...manifest } = require("./package.json"); \
    Object.assign(manifest.dependencies, manifest.peerDependencies); \
    fs.writeFileSync("package.json", JSON.stringify(manifest));' \
 && npm ci --ignore-scripts

FROM node:24.21.0-bookworm-slim
# git is for `diff`, `--since` and `blame`, ssh-keygen for `approve`. A runner checks out as another user than ours.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory '*'
COPY --from=build /build/dist /opt/evenkeel/dist
COPY templates /opt/evenkeel/templates
COPY --from=packages /build/package.json /opt/evenkeel/
COPY --from=packages /build/node_modules /opt/evenkeel/node_modules
RUN ln -s /opt/evenkeel/dist/cli.js /usr/local/bin/evenkeel && chmod +x /opt/evenkeel/dist/cli.js
USER node
WORKDIR /workspace
CMD ["evenkeel", "--help"]
