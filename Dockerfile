# Two stages: the first builds and installs the wheel; the second has only Python and the result,
# with the extras for many workers: the driver for PostgreSQL, and OpenTelemetry.
FROM python:3.12-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY requirements.lock requirements-dev.lock ./
RUN python -m venv /opt/mordecai \
 && /opt/mordecai/bin/pip install --no-deps -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY memory memory
COPY tools tools
RUN /opt/mordecai/bin/pip wheel --no-deps --wheel-dir /wheel . \
 && /opt/mordecai/bin/pip install --constraint requirements-dev.lock \
    "mordecai-assistant[postgres,otel] @ file://$(echo /wheel/*.whl)"

FROM python:3.12-slim
# PYTHONSAFEPATH: a volume mounted at the working directory must not shadow `bot`, `memory`, `tools`.
ENV PATH=/opt/mordecai/bin:$PATH \
    PYTHONSAFEPATH=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MORDECAI_DATA_DIR=/data \
    MORDECAI_CONFIG=/etc/mordecai/config.json
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin mordecai \
 && install -d -o mordecai -g mordecai /data
COPY --from=build /opt/mordecai /opt/mordecai
COPY config.json /etc/mordecai/config.json
USER mordecai
WORKDIR /data
VOLUME /data
# On SIGTERM, replies under way finish. Give them time: docker run --stop-timeout 60
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=30s --retries=3 CMD ["mordecai", "health"]
ENTRYPOINT ["mordecai"]
CMD ["run"]
