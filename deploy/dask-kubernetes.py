"""Marking on Kubernetes: `pip install dask-kubernetes` and its operator in the cluster, then

    python deploy/dask-kubernetes.py CLASS_FOLDER REGISTRY/tensorglass-classroom:TAG

bubblewrap needs user namespaces in the pods: nodes with them on, and `hostUsers: false` or a seccomp profile that lets
`unshare` through. Where they are off, `glassroom grade` refuses rather than run submissions without a sandbox.
"""

import subprocess
import sys

from dask_kubernetes.operator import KubeCluster, make_cluster_spec

folder, image = sys.argv[1:]
spec = make_cluster_spec(
    name="glassroom-grade",
    image=image,
    n_workers=10,
    resources={"requests": {"cpu": "1", "memory": "3Gi"}, "limits": {"cpu": "1", "memory": "3Gi"}},
    worker_command=["dask", "worker", "--nthreads", "1"],
)
# dask-kubernetes still asks for a program `dask-scheduler`, which dask no longer installs.
spec["spec"]["scheduler"]["spec"]["containers"][0]["args"] = ["dask", "scheduler", "--host", "0.0.0.0"]
with KubeCluster(custom_cluster_spec=spec) as cluster:
    command = [sys.executable, "-m", "glassroom", "grade", folder, "--cluster", cluster.scheduler_address]
    sys.exit(subprocess.call(command))
