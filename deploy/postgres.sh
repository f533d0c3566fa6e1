#!/bin/sh
# Makes the workers' role and database, at the first start of the image `postgres`. The role is no
# superuser: row-level security does not bind those.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$WORKER_PASSWORD" --username postgres <<'SQL'
CREATE ROLE mordecai LOGIN PASSWORD :'password';
CREATE DATABASE mordecai OWNER mordecai;
SQL
