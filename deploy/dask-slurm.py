"""Marking on a cluster that SLURM runs: `pip install dask-jobqueue`, then on the login node

    python deploy/dask-slurm.py CLASS_FOLDER

The class's folder need not be on a shared disk: submissions travel with the work. Python with the course does.
"""

import subprocess
import sys

from dask_jobqueue import SLURMCluster

with SLURMCluster(
    cores=4,
    processes=4,  # one submission at a time in each
    memory="12GB",  # four sandboxes of 2 GB each, and what they are watched from
    walltime="02:00:00",
    job_extra_directives=["--constraint=userns"],  # nodes on which user namespaces are allowed; take it away if all do
) as cluster:
    cluster.adapt(minimum_jobs=1, maximum_jobs=25)
    command = [sys.executable, "-m", "glassroom", "grade", sys.argv[1], "--cluster", cluster.scheduler_address]
    sys.exit(subprocess.call(command))
