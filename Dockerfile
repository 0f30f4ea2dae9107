# The site in a container: built with the commands of `make setup`, started with that of `make run`.
FROM python:3.11-slim

ENV PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1
WORKDIR /srv/cardgames

COPY requirements.txt requirements-postgresql.txt requirements-browser.txt ./
COPY tools/setup tools/setup/
RUN ./tools/setup/environment python3 .venv requirements.txt \
 && ./tools/setup/environment python3 .venv requirements-postgresql.txt

COPY app.py pyproject.toml README.md LICENSE NOTICE ./
COPY docs docs/
COPY cardgames cardgames/
COPY course course/
COPY web web/
COPY migrations migrations/
COPY templates templates/
COPY translations translations/
COPY static static/
RUN .venv/bin/python -m whitenoise.compress --quiet static \
 && .venv/bin/python tools/setup/browser_python .browser \
 && .venv/bin/python -m hatchling build --target wheel \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin cardgames \
 && install --directory --owner=cardgames --mode=0700 /data

USER 10001
ENV HOST=0.0.0.0 PORT=8000 DATA_DIR=/data PYTHONDONTWRITEBYTECODE=1 container=oci
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=4s --start-period=10s \
    CMD [".venv/bin/python", "-m", "web.commands.health"]
CMD [".venv/bin/python", "app.py"]
