# `legwork serve`, from a clone: docker build --tag legwork . (docs/operators/containers.md)
ARG NODE=node:24-bookworm-slim

# hadolint ignore=DL3006
FROM ${NODE} AS build
WORKDIR /app
COPY . .
# Of what only the embedded database and ledger need, nothing is kept.
RUN npm ci --ignore-scripts \
  && npx tsc -b \
  && npx vite build packages/dashboard \
  && npm ci --omit=dev --omit=optional --ignore-scripts --workspace packages/cli

# hadolint ignore=DL3006
FROM ${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
# Volumes that are mounted here for the first time belong to the user too.
RUN install --directory --owner=1000 --group=1000 /data/artifacts /data/keys
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/bin/legwork.mjs"]
CMD ["serve"]
