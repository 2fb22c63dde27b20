"""GGUF forms of the shrunken models, written by llama.cpp's own converter: what people's files look like.

The converter knows a tokenizer by what it makes of a text, and ours is none of those: it is told that the text is cut as GPT-2
cuts it, and that families which come with SentencePiece have a byte-level vocabulary here.
"""

import pathlib
import subprocess
import sys

PROGRAM = """
import sys
source, folder, output, kind = sys.argv[1:]
sys.path[:0] = [source, source + "/gguf-py"]
import convert_hf_to_gguf
from conversion import base, gemma, phi

base.TextModel.get_vocab_base_pre = lambda self, tokenizer: "gpt-2"
for model in (gemma.Gemma2Model, phi.Phi3MiniModel):
    model.set_vocab = base.TextModel._set_vocab_gpt2
sys.argv = ["convert", folder, "--outfile", output, "--outtype", kind, "--model-name", "shrunken"]
convert_hf_to_gguf.main()
"""


TYPES = {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}


def convert(source: pathlib.Path, folder: pathlib.Path, dtype: str) -> None:
    """Writes folder/model.gguf with matrices of that type. `source`: the folder of llama.cpp's sources."""
    output = folder / "model.gguf"
    command = [sys.executable, "-c", PROGRAM, str(source.resolve()), str(folder), str(output), TYPES[dtype]]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"convert: {folder.name}: the converter ended with {run.returncode}:\n{run.stderr[-3000:]}")
    print(f"    {output.stat().st_size} bytes of GGUF", flush=True)
