# The service in a container, from the lockfile alone: Bun is one of its packages.
#
#   docker build -t millrace .
#   docker run -d --name millrace -p 3000:3000 -v millrace:/data --stop-timeout 10 millrace
#
# It answers nobody but /health until it has an admin key: docker exec millrace bun service/tool.ts admin key
# Options are environment variables (MILLRACE_…) or a file millrace.toml in /data.

FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund \
 && install -m 755 node_modules/bun/bin/bun.exe /usr/local/bin/bun \
 && npm prune --omit=dev --no-audit --no-fund

FROM debian:bookworm-slim
COPY --from=packages /usr/local/bin/bun /usr/local/bin/bun
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE tsconfig.json ./
COPY api ./api
COPY data ./data
COPY engine ./engine
COPY explain ./explain
COPY outside ./outside
COPY platform ./platform
COPY requests ./requests
COPY sandbox ./sandbox
COPY service ./service
COPY support ./support
COPY views ./views
COPY web ./web
COPY workers ./workers
COPY ws ./ws
RUN install -d -o 10001 -g 10001 /data
ENV MILLRACE_HOST=0.0.0.0 MILLRACE_PORT=3000 MILLRACE_DATA=/data MILLRACE_CWD=/data MILLRACE_LOG_FORMAT=json
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["bun", "service/tool.ts", "health"]
ENTRYPOINT ["bun", "service/main.ts"]
