#!/usr/bin/env bash
# Installs what the reference tools need (make_golden.py, make_family_golden.py, make_ggml_golden.py) into a virtual environment:
#   tools/reference_env.sh FOLDER     about 2 GB of downloads; then:  . FOLDER/env.sh
# For making golden data on x86-64, not for CI. torch's wheel wants CUDA libraries even where no such device is: the packages
# below and a CUDA 13 toolkit (CUDA_HOME, default /usr/local/cuda) have those that it loads.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "reference_env.sh: expected one argument, the folder of the environment, got $#" >&2
  exit 2
fi
folder=$1
cuda=${CUDA_HOME:-/usr/local/cuda}
if [ ! -e "$cuda/lib64/libcudart.so.13" ]; then
  echo "reference_env.sh: expected $cuda/lib64/libcudart.so.13 of a CUDA 13 toolkit; set CUDA_HOME" >&2
  exit 1
fi

python3 -m venv "$folder"
pip=$folder/bin/pip
"$pip" install --quiet --no-deps torch==2.13.0 nvidia-cufile nvidia-cusparselt-cu13==0.8.1 nvidia-nvshmem-cu13 \
  nvidia-nccl-cu13==2.29.7 accelerate psutil
# pip names what torch wants besides; it is the toolkit's, or not loaded.
"$pip" install --quiet transformers==5.23.0 gguf==0.19.0 "mlx[cpu]==0.32.4" tokenizers sentencepiece safetensors numpy \
  jinja2 filelock sympy networkx fsspec typing_extensions

folder=$(realpath "$folder")
cat > "$folder/env.sh" <<END
. "$folder/bin/activate"
LD_LIBRARY_PATH=\$(ls -d "$folder"/lib/python3*/site-packages/nvidia/*/lib | tr '\n' ':')$cuda/lib64
cupti=$cuda/extras/CUPTI/lib64
[ ! -d "\$cupti" ] || LD_LIBRARY_PATH=\$LD_LIBRARY_PATH:\$cupti
export LD_LIBRARY_PATH
END
. "$folder/env.sh"
python -c 'import gguf, mlx.core, torch, transformers; print("torch", torch.__version__, "transformers", transformers.__version__)'
