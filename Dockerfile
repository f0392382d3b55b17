FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY src src
COPY schemas schemas
RUN npm run --silent build:js && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
COPY --from=build /build/package.json /opt/evenkeel/
COPY --from=build /build/node_modules /opt/evenkeel/node_modules
COPY --from=build /build/dist /opt/evenkeel/dist
RUN ln -s /opt/evenkeel/dist/cli.js /usr/local/bin/evenkeel && chmod +x /opt/evenkeel/dist/cli.js
USER node
WORKDIR /workspace
CMD ["evenkeel", "--help"]
