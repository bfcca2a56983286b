# SPDX-License-Identifier: Apache-2.0
"""Writes job files for SLURM, Kubernetes or Snakemake, which make a sweep in parts.

Each job makes one part (parts.py). A part takes at least about ten minutes if the sweep is long
enough, so that the overhead of starting a job is small. A repeated job resumes its part.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from ecnomy.agents.errors import InputError
from ecnomy.markets.support.intact import write_synced
from ecnomy.markets.sweep.parts import JOBS, PARTS

__all__ = ["KINDS", "Jobs", "check_kind", "parts_for", "write_jobs"]

SECONDS: Final = 600.0  # least duration of a part
MOST: Final = 1000  # default limit of a SLURM array
LONGER: Final = 3.0  # time limit of a job, in multiples of its expected time


class Jobs(msgspec.Struct, frozen=True):
    """The jobs of a sweep.

    Attributes:
        file: the sweep file.
        folder: folder of the results.
        count: number of parts.
        part_s: expected time of a part in seconds.
        options: further options of `ecnomy sweep` and `ecnomy merge`.
    """

    file: str
    folder: str
    count: int
    part_s: float
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return a name for the jobs, of lower-case letters, digits and hyphens."""
        return re.sub(r"[^a-z0-9]+", "-", Path(self.file).stem.lower()).strip("-")[:40] or "sweep"

    @property
    def limit_min(self) -> int:
        """Return the time limit of a job in minutes."""
        return max(5, math.ceil(LONGER * self.part_s / 60))

    def sweep(self, shard: str) -> str:
        """Return the command that makes a shard. The text `shard` is not quoted."""
        options = "".join(f" {shlex.quote(one)}" for one in self.options)
        return f"ecnomy sweep {self._file_and_out} --shard {shard}{options}"

    @property
    def merge(self) -> str:
        """Return the command that merges all shards."""
        options = "".join(f" {shlex.quote(one)}" for one in self.options)
        return f"ecnomy merge {self._file_and_out}{options}"

    @property
    def _file_and_out(self) -> str:
        return f"{shlex.quote(self.file)} --out {shlex.quote(self.folder)}"


def parts_for(runs: int, each_s: float) -> int:
    """Return the number of parts: at most 1,000, each of at least ten minutes if possible."""
    return max(1, min(runs, MOST, int(runs * each_s / SECONDS)))


def check_kind(kind: str) -> None:
    """Raise InputError for an unknown scheduler."""
    if kind not in KINDS:
        raise InputError(f"--emit: found {kind!r}, expected {', '.join(KINDS)}")


def write_jobs(kind: str, jobs: Jobs) -> tuple[Path, str]:
    """Write the job file of a scheduler to the folder `jobs` of the results.

    Returns:
        The file, and the command that submits it.

    Raises:
        OSError: the file cannot be written.
    """
    name, text, submit = KINDS[kind](jobs)
    file = Path(jobs.folder) / JOBS / name
    file.parent.mkdir(parents=True, exist_ok=True)
    write_synced(file, text.encode())
    return file, f"{submit} {shlex.quote(str(file))}"


def _slurm(jobs: Jobs) -> tuple[str, str, str]:
    logs = shlex.quote(str(Path(jobs.folder) / JOBS))
    shard = f'"$SLURM_ARRAY_TASK_ID/{jobs.count}"'
    text = f"""#!/bin/sh
#SBATCH --job-name={jobs.name}
#SBATCH --array=1-{jobs.count}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time={jobs.limit_min}
#SBATCH --output=/dev/null
# Each task runs one shard. Submit the file again to resume. Afterwards:
#   {jobs.merge}
exec {jobs.sweep(shard)} > {logs}/"$SLURM_ARRAY_TASK_ID.log" 2>&1
"""
    return "sweep.sbatch", text, "sbatch"


def _kubernetes(jobs: Jobs) -> tuple[str, str, str]:
    command = _accepting(jobs.sweep(f'"$((JOB_COMPLETION_INDEX + 1))/{jobs.count}"'))
    container: dict[str, Any] = {
        "name": "shard",
        "image": "ecnomy",
        "workingDir": "/work",
        "command": ["sh", "-c", command],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
        "volumeMounts": [{"name": "work", "mountPath": "/work"}],
    }
    volume = {"name": "work", "persistentVolumeClaim": {"claimName": "ecnomy"}}
    pod = {"restartPolicy": "Never", "containers": [container], "volumes": [volume]}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": jobs.name},
        "spec": {
            "completionMode": "Indexed",
            "completions": jobs.count,
            "parallelism": min(jobs.count, 100),
            "backoffLimitPerIndex": 5,
            "template": {"spec": pod},
        },
    }
    text = f"""# Each pod runs one shard; a new pod resumes the shard of a failed one. Afterwards:
#   {jobs.merge}
# Before you apply it, set the image (with ecnomy) and the volume claim (with the sweep file).
{yaml.safe_dump(job, sort_keys=False, width=1000)}"""
    return "sweep.yaml", text, "kubectl apply -f"


def _snakemake(jobs: Jobs) -> tuple[str, str, str]:
    done = f"{jobs.folder}/{PARTS}/{{shard}}-of-{jobs.count}/done"
    merged = f"{jobs.folder}/{JOBS}/merged"
    text = f"""# Each job runs one shard; a failed job resumes its shard. The last job merges them.
rule merge:
    input: expand({done!r}, shard=range(1, {jobs.count + 1}))
    output: touch({merged!r})
    shell: {jobs.merge!r}

rule shard:
    output: touch({done!r})
    resources: runtime={jobs.limit_min}
    shell: {_accepting(jobs.sweep(f"{{wildcards.shard}}/{jobs.count}"))!r}
"""
    return "Snakefile", text, "snakemake --cores all --snakefile"


def _accepting(command: str) -> str:
    """Return a command that succeeds even if runs of the sweep fail."""
    return f"{command} || [ $? -eq 1 ]"


KINDS: Final[dict[str, Callable[[Jobs], tuple[str, str, str]]]] = {
    "slurm": _slurm,
    "kubernetes": _kubernetes,
    "snakemake": _snakemake,
}
