# Image of the web server; docs/operating.md explains how to build and run it, and how to pin the base image.
ARG PYTHON_IMAGE=python:3.11-slim
FROM ${PYTHON_IMAGE} AS build
COPY . /source
RUN python -m venv /opt/numberline \
 && /opt/numberline/bin/pip install --no-cache-dir --require-hashes -r /source/requirements-web.txt \
 && /opt/numberline/bin/pip install --no-cache-dir --no-deps --no-build-isolation /source

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --create-home --home-dir /data numberline
COPY --from=build /opt/numberline /opt/numberline
ENV PATH=/opt/numberline/bin:$PATH \
    NUMBERLINE_HOST=0.0.0.0 \
    NUMBERLINE_PORT=8000 \
    NUMBERLINE_DB=/data/numberline.db \
    NUMBERLINE_LOG=json \
    XDG_CACHE_HOME=/data/cache
USER numberline
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import os; from urllib.request import urlopen; urlopen(f\"http://127.0.0.1:{os.environ['NUMBERLINE_PORT']}/healthz\")"]
ENTRYPOINT ["numberline", "web", "--no-browser"]
