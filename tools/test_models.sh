#!/usr/bin/env bash
# Fetches the models that tests read. Without a network the tests that need one are skipped and say so;
# in CI (CI=true) a model that cannot be had is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

for model in smollm2-135m qwen2.5-coder-0.5b gemma3-270m; do
  if ! tools/get_model "$model" >/dev/null; then
    echo "test_models.sh: $model could not be fetched; the tests that read it will be skipped" >&2
    [ -z "${CI:-}" ] || exit 1
  fi
done
