"""llama.cpp's own HTTP server, as the Python package xllamacpp carries it, with the flags of llama-server that tests use."""
import argparse
import signal

import xllamacpp

flags = argparse.ArgumentParser(prog="llama-server", allow_abbrev=False)
flags.add_argument("-m", "--model", required=True)
flags.add_argument("-a", "--alias", default="")
flags.add_argument("--host", default="127.0.0.1")
flags.add_argument("--port", type=int, default=8080)
flags.add_argument("-t", "--threads", type=int, default=1)
flags.add_argument("-np", "--parallel", type=int, default=4)
flags.add_argument("-c", "--ctx-size", type=int, default=0)
flags.add_argument("-ub", "--ubatch-size", type=int, default=0)
flags.add_argument("--metrics", action="store_true")
flags.add_argument("--props", action="store_true")
flags.add_argument("--embeddings", action="store_true")
flags.add_argument("--pooling", choices=["none", "mean", "cls", "last", "rank"])
flags.add_argument("--api-key", default="")
given = flags.parse_args()

params = xllamacpp.CommonParams()
params.model.path = given.model
params.model_alias = {name for name in given.alias.split(",") if name}
params.hostnames = [given.host]
params.port = given.port
params.cpuparams.n_threads = given.threads
params.cpuparams_batch.n_threads = given.threads
params.n_parallel = given.parallel
params.n_ctx = given.ctx_size
if given.ubatch_size:
    params.n_ubatch = given.ubatch_size
params.endpoint_metrics = given.metrics
params.endpoint_props = given.props
params.endpoint_slots = True
params.embedding = given.embeddings
if given.pooling:
    params.pooling_type = getattr(xllamacpp.llama_pooling_type, f"LLAMA_POOLING_TYPE_{given.pooling.upper()}")
params.api_keys = [key for key in given.api_key.split(",") if key]

server = xllamacpp.Server(params)
signal.pause()
