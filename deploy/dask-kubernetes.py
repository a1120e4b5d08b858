"""Marking on Kubernetes: `pip install dask-kubernetes` and its operator in the cluster, then

    python deploy/dask-kubernetes.py CLASS_FOLDER REGISTRY/tensorglass-classroom:TAG

bubblewrap needs user namespaces in the pods: nodes with them on, and `hostUsers: false` or a seccomp profile that lets
`unshare` through. Where they are off, `glassroom grade` refuses rather than run submissions without a sandbox.
"""

import subprocess
import sys

from dask_kubernetes.operator import KubeCluster

folder, image = sys.argv[1:]
with KubeCluster(
    name="glassroom-grade",
    image=image,
    n_workers=10,
    resources={"requests": {"cpu": "1", "memory": "3Gi"}, "limits": {"cpu": "1", "memory": "3Gi"}},
    worker_command=["dask", "worker", "--nthreads", "1"],
) as cluster:
    command = [sys.executable, "-m", "glassroom", "grade", folder, "--cluster", cluster.scheduler_address]
    sys.exit(subprocess.call(command))
