"""The configuration that `glassroom hub` writes: a few lines, each with a comment that says what it is for."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from glassroom.workspace.whole_files import write_atomically

TEMPLATE = """\
# A classroom on one machine. `glassroom hub` wrote this file once; from then on it is yours. Start it again with
#     glassroom hub {folder}
c = get_config()  # noqa: F821  # JupyterHub defines it

# Where: on this machine only. For a room full of laptops, put this machine's address in the place of 127.0.0.1, and
# certificates in c.JupyterHub.ssl_key and ssl_cert, since passwords go over this line.
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub_port}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.db_url = {database}
c.JupyterHub.cookie_secret_file = {cookie}
c.ConfigurableHTTPProxy.auth_token = {token}
c.ConfigurableHTTPProxy.pid_file = {pid}

# Who.
{authenticator}

# What each learner gets: JupyterLab, shut in by bubblewrap, with a home of their own (kept in homes/) and the course,
# which nobody can write to. Memory is per process; cores are shared among learners.
c.JupyterHub.spawner_class = "glassroom.classroom.hub.spawner.ClassroomSpawner"
c.ClassroomSpawner.homes = {homes}
c.ClassroomSpawner.released = {released}
# The language of a learner's first copy; "" for that of their browser. Later their copy keeps its own.
c.ClassroomSpawner.language = {language}
c.ClassroomSpawner.memory_mb = {memory}
c.ClassroomSpawner.processes = {processes}
c.ClassroomSpawner.cores = {cores}
c.ClassroomSpawner.default_url = "/lab"
c.ClassroomSpawner.start_timeout = 300
c.ClassroomSpawner.http_timeout = 300
c.ClassroomSpawner.args = ["--ServerApp.shutdown_no_activity_timeout=0"]
c.JupyterHub.concurrent_spawn_limit = 10

# A server that nobody uses is stopped after {idle} seconds. Files stay; the learner starts it again by coming back.
c.JupyterHub.load_roles = [
    {{
        "name": "cull-idle",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["cull-idle"],
    }}
]
c.JupyterHub.services = [
    {{"name": "cull-idle", "command": [{python}, "-m", "jupyterhub_idle_culler", "--timeout={idle}"]}}
]
"""

AUTHENTICATORS = {
    "native": """\
# Learners sign up with a name and a password of their own. (jupyterhub-nativeauthenticator)
c.JupyterHub.authenticator_class = "native"
c.NativeAuthenticator.open_signup = True
c.NativeAuthenticator.minimum_password_length = 8
c.NativeAuthenticator.allowed_failed_logins = 5
c.Authenticator.allow_all = True  # everybody who signs up; name learners in allowed_users to have those alone
c.Authenticator.admin_users = set()""",
    "tmp": """\
# Everybody who comes gets a new account, which is nobody's afterwards: for an afternoon. (jupyterhub-tmpauthenticator)
c.JupyterHub.authenticator_class = "tmp"
c.Authenticator.allow_all = True""",
}


@dataclass(frozen=True)
class Settings:
    """What the command line says about a hub."""

    folder: Path
    port: int = 8000
    authenticator: str = "native"
    released: Path | None = None
    language: str = ""
    memory: int = 2048
    processes: int = 200
    cores: int = 2
    idle: int = 3600


def write_config(settings: Settings, python: str) -> Path:
    """Write the hub's configuration, unless it exists, and make the folders that it names; returns its path."""
    folder = settings.folder.resolve()
    path = folder / "jupyterhub_config.py"
    homes = folder / "homes"
    homes.mkdir(parents=True, exist_ok=True, mode=0o700)
    for private in (folder, homes):  # JupyterHub's database has hashes of passwords and tokens
        private.chmod(private.stat().st_mode & ~0o077)
    if not path.exists():
        text = TEMPLATE.format(
            folder=folder,
            port=settings.port,
            hub_port=settings.port + 2,
            proxy_port=settings.port + 1,
            database=json.dumps(f"sqlite:///{folder}/jupyterhub.sqlite"),
            cookie=json.dumps(str(folder / "cookie-secret")),
            token=json.dumps(secrets.token_hex(32)),
            pid=json.dumps(str(folder / "proxy.pid")),
            authenticator=AUTHENTICATORS[settings.authenticator],
            homes=json.dumps(str(homes)),
            released=json.dumps(str(settings.released.resolve()) if settings.released else ""),
            language=json.dumps(settings.language),
            memory=settings.memory,
            processes=settings.processes,
            cores=settings.cores,
            idle=settings.idle,
            python=json.dumps(python),
        )
        write_atomically(path, text.encode())
        path.chmod(0o600)
    return path
