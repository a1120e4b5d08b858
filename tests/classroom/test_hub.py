"""JupyterHub for a classroom: three learners at once, each with the course, none with another's files."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from course import faults

for needed in ("jupyterhub", "nativeauthenticator", "jupyterhub_idle_culler", "requests", "websocket"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

import requests
import websocket

from glassroom.classroom.hub.config import Settings, write_config
from glassroom.classroom.sandbox import BUBBLEWRAP, best_isolation

if best_isolation(trust=True).means != BUBBLEWRAP:
    pytest.skip("bubblewrap does not work here", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)  # a busy machine is no fault of the code

PASSWORD = "a long enough password"


class Learner:
    """A learner's browser: signs up, logs in, starts a server, and runs code in it."""

    def __init__(self, hub: str, name: str) -> None:
        self.hub, self.name, self.session = hub, name, requests.Session()
        self.server = f"{hub}/user/{name}"

    def post(self, path: str, **fields: str) -> requests.Response:
        self.session.get(f"{self.hub}{path}", timeout=300)
        return self.session.post(
            f"{self.hub}{path}",
            data={**fields, "_xsrf": self._xsrf()},
            headers={"Referer": f"{self.hub}{path}"},
            timeout=300,
        )

    def come_in(self) -> None:
        self.post("/hub/signup", username=self.name, signup_password=PASSWORD, signup_password_confirmation=PASSWORD)
        answer = self.post("/hub/login", username=self.name, password=PASSWORD)
        assert answer.status_code == 200
        assert f"/user/{self.name}" in answer.url or "/hub/spawn" in answer.url, answer.url
        self.session.get(f"{self.hub}/hub/home", timeout=300)
        response = self.session.post(
            f"{self.hub}/hub/api/users/{self.name}/tokens", json={}, headers={"X-XSRFToken": self._xsrf()}, timeout=300
        )
        assert response.status_code == 201, response.text
        self.headers = {"Authorization": f"token {response.json()['token']}"}
        requests.post(f"{self.hub}/hub/api/users/{self.name}/server", headers=self.headers, timeout=300)
        until = time.monotonic() + 300
        while time.monotonic() < until:
            about = requests.get(f"{self.hub}/hub/api/users/{self.name}", headers=self.headers, timeout=300).json()
            if about["servers"].get("", {}).get("ready"):
                return
            time.sleep(0.5)
        raise AssertionError(f"no server for {self.name}")

    def _xsrf(self) -> str:
        cookies = [cookie.value for cookie in self.session.cookies if cookie.name == "_xsrf"]
        return str(cookies[-1])

    def get(self, path: str, of: str | None = None) -> requests.Response:
        return requests.get(f"{self.hub}/user/{of or self.name}{path}", headers=self.headers, timeout=300)

    def run(self, code: str) -> str:
        """What a cell prints."""
        kernel = requests.post(
            f"{self.server}/api/kernels", headers=self.headers, json={"name": "python3"}, timeout=300
        )
        assert kernel.status_code == 201, kernel.text
        address = f"{self.server}/api/kernels/{kernel.json()['id']}/channels".replace("http", "ws", 1)
        line = websocket.create_connection(address, header=self.headers, timeout=300)
        asked = uuid.uuid4().hex
        content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
        header = {"msg_id": asked, "msg_type": "execute_request", "username": "", "session": asked, "version": "5.3"}
        line.send(
            json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"})
        )
        printed: list[str] = []
        while True:
            message: dict[str, Any] = json.loads(line.recv())
            if message["parent_header"].get("msg_id") != asked:
                continue
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])
            elif message["msg_type"] == "error":
                printed.append("\n".join(message["content"]["traceback"]))
            elif message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                line.close()
                return re.sub(r"\x1b\[[0-9;]*m", "", "".join(printed))


def _three_free_ports() -> int:
    # Another run on this machine looks for some as well, and from 32768 on systems give ports to whoever asks for any.
    for first in random.sample(range(21_000, 32_000, 3), 200):
        try:
            for port in range(first, first + 3):
                with socket.create_server(("127.0.0.1", port)):
                    pass
        except OSError:
            continue
        return first
    raise AssertionError("no free ports")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A hub as the command starts it."""
    folder = tmp_path_factory.mktemp("hub") / "room"
    port = _three_free_ports()
    command = [sys.executable, "-m", "glassroom", "hub", str(folder), "--port", str(port), "--memory", "3000"]
    with open(folder.parent / "log.txt", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 300
    while time.monotonic() < until:
        try:
            requests.get(f"{address}/hub/login", timeout=10).raise_for_status()
            break
        except requests.RequestException:
            assert process.poll() is None, (folder.parent / "log.txt").read_text()[-3000:]
            time.sleep(0.5)
    else:
        pytest.fail(f"no hub: {(folder.parent / 'log.txt').read_text()[-3000:]}")
    yield address, folder
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(300)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def learners(hub: tuple[str, Path]) -> list[Learner]:
    """Three learners, who come in at the same time."""
    three = [Learner(hub[0], name) for name in ("ada", "grace", "zoe")]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(Learner.come_in, three))
    return three


def test_each_opens_the_course_and_solves_an_exercise(learners: list[Learner]) -> None:
    code = (
        "import tensorglass as torch\nfrom glassroom import check\n"
        "a = torch.arange(0, 6)\nmiddle = a[1:5].view(2, 2)\ncheck('02-middle', middle, a=a)"
    )
    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(lambda learner: learner.run(code), learners))
    for learner, words in zip(learners, said, strict=True):
        assert "02-middle is solved" in words, words
        listing = learner.get("/api/contents/1_memory").json()
        assert "02_views_share_a_storage.ipynb" in [entry["name"] for entry in listing["content"]]
        notebook = learner.get("/api/contents/1_memory/02_views_share_a_storage.ipynb").json()
        assert "BEGIN SOLUTION" not in json.dumps(notebook)


def test_none_can_read_anothers_files_nor_the_machines(learners: list[Learner], hub: tuple[str, Path]) -> None:
    ada, grace, _ = learners
    ada.run("open('/home/learner/course/diary.txt', 'w').write('the secret of ada')")
    assert (hub[1] / "homes" / "ada" / "course" / "diary.txt").read_text() == "the secret of ada"
    look = (
        "import os\n"
        "for folder, _, names in os.walk('/'):\n"
        "    if folder.startswith(('/proc', '/sys', '/usr')): continue\n"
        "    for name in names:\n"
        "        try:\n"
        "            if not name.endswith('.txt'): continue\n"
        "            if 'secret of ada' in open(os.path.join(folder, name)).read(): print('FOUND', folder)\n"
        "        except (OSError, UnicodeDecodeError): pass\n"
        f"print(os.path.exists({str(hub[1])!r}), os.path.exists('/etc/passwd'), os.listdir('/home'))\n"
        "own = [p for p in os.listdir('/proc') if p.isdigit()]\n"
        "print(any(b'--user=ada' in open(f'/proc/{p}/cmdline', 'rb').read() for p in own), len(own) < 15)\n"
        "for path in ('/course/glassroom/x', '/usr/x'):\n"
        "    try: open(path, 'w'); print('WRITTEN')\n"
        "    except OSError: pass"
    )
    assert grace.run(look).splitlines() == ["False False ['learner']", "False True"]
    assert grace.get("/api/contents/diary.txt", of="ada").status_code in (401, 403, 404)
    assert ada.get("/api/contents/diary.txt").status_code == 200


def test_no_learners_token_opens_anothers_server_or_what_is_the_hubs(
    learners: list[Learner], hub: tuple[str, Path]
) -> None:
    doors = [
        *(
            ("GET", f"/user/{{}}/{path}")
            for path in ("lab", "api/status", "api/contents", "api/kernels", "api/terminals")
        ),
        ("POST", "/user/{}/api/kernels"),
        ("PUT", "/user/{}/api/contents/planted.txt"),
        *(("GET", f"/hub/api/{path}") for path in ("users", "users/{}", "users/{}/tokens", "proxy", "services")),
        ("POST", "/hub/api/users/{}/tokens"),
        ("DELETE", "/hub/api/users/{}/server"),
        ("POST", "/hub/api/shutdown"),
        ("GET", "/hub/admin"),
    ]
    opened, tried = [], 0
    for me in learners:
        named = "import os; print(*(value for name, value in os.environ.items() if name.endswith('TOKEN')))"
        tokens = [me.headers["Authorization"].split()[1], *me.run(named).split()]
        for other in (learner.name for learner in learners if learner is not me):
            for method, door in doors:
                for token in tokens:
                    address = f"{hub[0]}{door.format(other)}"
                    headers = {"Authorization": f"token {token}"}
                    answer = requests.request(method, address, headers=headers, allow_redirects=False, timeout=300)
                    tried += 1
                    if answer.status_code < 300:
                        opened.append((me.name, method, address))
    assert opened == []
    assert tried >= len(doors) * 6 * 2  # the server's own token was tried too


LISTENS = """
import json, time, zmq
from pathlib import Path
tables = [Path(each).read_text().splitlines()[1:] for each in ("/proc/net/tcp", "/proc/net/tcp6")]
lines = [line.split() for table in tables for line in table]
ports = {int(line[1].rpartition(":")[2], 16) for line in lines if line[3] == "0A"}
context = zmq.Context()
heard = context.socket(zmq.SUB)
heard.setsockopt(zmq.SUBSCRIBE, b"")
for port in ports: heard.connect(f"tcp://127.0.0.1:{port}")
Path("/home/learner/listening").write_text("")
until = time.monotonic() + 6
while time.monotonic() < until:
    if heard.poll(200) and any(b"secret of ada" in part for part in heard.recv_multipart()):
        print("HEARD")
        break
print(len(ports) > 3)
"""


def test_no_learner_hears_what_anothers_kernel_says(learners: list[Learner], hub: tuple[str, Path]) -> None:
    """All learners share the machine's ports, and whatever a kernel publishes on a port can be read without a token."""
    ada, grace, _ = learners
    sign = hub[1] / "homes" / "grace" / "listening"
    with ThreadPoolExecutor(2) as pool:
        listening = pool.submit(grace.run, LISTENS)
        until = time.monotonic() + 300
        while not sign.exists() and time.monotonic() < until:
            time.sleep(0.1)
        said = ada.run(
            "import time\nfor n in range(15):\n    print('the secret of ada', n, flush=True)\n    time.sleep(.2)"
        )
        assert said.count("secret of ada") == 15
        assert listening.result() == "True\n"


def _opens(address: str, headers: dict[str, str]) -> bool:
    answer = requests.get(address, headers=headers, timeout=30, allow_redirects=False)
    return answer.status_code < 300


def _tries(room: Path, places: list[Path], ports: list[int]) -> list[str]:
    """Try to open a hub as a process of this machine may. Returns the number of attempts, and those that succeeded."""
    opened, count = list[str](), 0

    def tried(what: str, do: Callable[[], Any]) -> None:
        nonlocal count
        count += 1
        with contextlib.suppress(Exception):
            if do() not in (None, False):
                opened.append(what)

    for place in places:
        tried(f"list {place}", partial(os.listdir, place))
        for mode in ("rb", "ab"):
            tried(f"open {place} ({mode})", partial(open, place, mode))
        tried(f"plant in {place}", partial(open, place / "planted", "w"))
        tried(f"link in {place}", lambda place=place: os.symlink("/etc/passwd", place / "link") or True)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        about = Path("/proc", pid)
        words = b""
        with contextlib.suppress(OSError):
            words = (about / "cmdline").read_bytes()
        if str(room).encode() in words:
            for name in ("environ", "root/home", "cwd/x", "fd/0", "mem", "maps"):
                tried(f"{name} of {words!r}", lambda path=about / name: path.open("rb").read(1) or None)
            tried(f"a signal to {words!r}", lambda pid=pid: os.kill(int(pid), 0) or True)
            tried(f"a token in {words!r}", lambda words=words: b"token=" in words.lower())
    doors = ("/api/routes", "/user/ada/api/contents", "/user/ada/api/kernels", "/hub/api/users")
    for port in ports:
        for path in doors:
            for token in ("", "x"):
                address, headers = f"http://127.0.0.1:{port}{path}", {"Authorization": f"token {token}"}
                tried(address, partial(_opens, address, headers))
    return [f"{count} tries", *opened]


def _web_servers() -> list[int]:
    """The ports of this machine on which a server of the hub, or its proxy, answers."""
    tables = [Path(each).read_text().splitlines()[1:] for each in ("/proc/net/tcp", "/proc/net/tcp6")]
    lines = [line.split() for table in tables for line in table]
    ports = sorted({int(line[1].rpartition(":")[2], 16) for line in lines if line[3] == "0A"})

    def answers(port: int) -> bool:
        with contextlib.suppress(requests.RequestException):
            paths = ("/user/ada/api", "/hub/api", "/api/routes")
            codes = [requests.get(f"http://127.0.0.1:{port}{path}", timeout=30).status_code for path in paths]
            return 200 in codes or 403 in codes
        return False

    with ThreadPoolExecutor(32) as pool:
        return [port for port, found in zip(ports, pool.map(answers, ports), strict=True) if found]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else")
def test_no_account_of_the_machine_reaches_a_home_or_a_token(learners: list[Learner], hub: tuple[str, Path]) -> None:
    folder = hub[1]
    faults.open_to_all(folder.parent)
    homes = sorted((folder / "homes").iterdir())
    inside = [home / part for home in homes for part in (".", "course", ".local", ".jupyter", "handed-in")]
    ports = _web_servers()
    places = [folder / "homes", *inside, *sorted(path for path in folder.iterdir() if path.is_file())]

    def become(user: int) -> None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)

    def act() -> None:
        raise AssertionError(_tries(folder, places, ports))

    assert len(ports) >= 4  # the proxy's two, the hub's, and a learner's server; others may be starting
    for user in (20001, 20002, 20003):
        said = faults.finished(faults.start(act, partial(become, user)))
        assert re.search(r"AssertionError: \['\d{3,} tries'\]$", said.strip()), said[-3000:]


def test_a_learner_hands_in_from_a_notebook_and_sees_no_tools_for_teachers(
    learners: list[Learner], hub: tuple[str, Path]
) -> None:
    ada = learners[0]
    hand_in = ["glassroom", "submit", "1_memory/02_views_share_a_storage.ipynb"]
    words = ada.run(
        "import subprocess\n"
        f"said = subprocess.run({hand_in!r}, cwd='/home/learner/course', capture_output=True, text=True)\n"
        "print(said.stdout + said.stderr)"
    )
    assert "Handed in: 1_memory, 02_views_share_a_storage.ipynb, at " in words, words
    (place,) = (hub[1] / "homes" / "ada" / "handed-in").iterdir()
    assert place.name.startswith("ada+1_memory+")
    said = re.search(r'<script id="jupyter-config-data"[^>]*>(.*?)</script>', ada.get("/lab").text, re.DOTALL)
    assert said is not None
    assert "@jupyter/nbgrader:create-assignment" in json.dumps(json.loads(said[1])["disabledExtensions"])


def test_limits_are_in_force(learners: list[Learner]) -> None:
    words = learners[0].run(
        "import os\nfrom resource import RLIMIT_AS, RLIMIT_NPROC, getrlimit\n"
        "print(getrlimit(RLIMIT_AS)[0] >> 20, getrlimit(RLIMIT_NPROC)[0])\n"
        "print(len(os.sched_getaffinity(0)) <= 2)\n"
        "try: bytearray(4_000_000_000)\nexcept MemoryError: print('MemoryError')\n"
        "import signal, time\nforked = []\n"
        "try:\n    for _ in range(400):\n        forked.append(os.fork() or time.sleep(600))\n"
        "except OSError: print(100 < len(forked) < 200)\n"
        "for pid in forked: os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)"
    )  # by the kernel, for each learner, and also where root has started the hub
    assert words.splitlines() == ["3000 200", "True", "MemoryError", "True"]


def test_what_a_learner_made_is_there_when_they_come_back(learners: list[Learner], hub: tuple[str, Path]) -> None:
    zoe = learners[2]
    zoe.run("open('/home/learner/course/mine.txt', 'w').write('mine')")
    requests.delete(f"{hub[0]}/hub/api/users/zoe/server", headers=zoe.headers, timeout=300)
    until = time.monotonic() + 300
    while time.monotonic() < until and _servers_of(hub[1], "zoe"):
        time.sleep(0.2)
    assert not _servers_of(hub[1], "zoe")
    zoe.come_in()
    assert zoe.run("print(open('/home/learner/course/mine.txt').read())") == "mine\n"


def test_no_link_in_a_home_leads_the_hub_to_anothers_work(learners: list[Learner], hub: tuple[str, Path]) -> None:
    """Updating a home follows links no further than its learner could, and waits for no pipe."""
    grace, zoe = learners[1:]
    homes = hub[1] / "homes"
    notebook = "1_memory/02_views_share_a_storage.ipynb"
    of_zoe = homes / "zoe" / "course" / notebook
    zoe.run("import json\np = '/home/learner/course/" + notebook + "'\nn = json.load(open(p))\n"
            "n['cells'][-1]['source'] = 'the secret of zoe'\njson.dump(n, open(p, 'w'))")  # fmt: skip
    before = of_zoe.read_bytes()
    assert b"the secret of zoe" in before
    grace.run(
        "import json, os, shutil\nos.chdir('/home/learner/course')\nshutil.rmtree('1_memory')\n"
        f"os.symlink({str(homes / 'zoe' / 'course' / '1_memory')!r}, '1_memory')\n"
        "m = json.load(open('.glassroom/manifest.json'))\nm['given'] = {k: 'x' for k in m['given']}\n"
        "json.dump(m, open('.glassroom/manifest.json', 'w'))\n"
        f"shutil.rmtree('2_tensors')\nos.symlink({str(homes / 'zoe' / 'course' / 'new')!r}, '2_tensors')\n"
        "os.mkfifo('.glassroom/before')"
    )
    requests.delete(f"{hub[0]}/hub/api/users/grace/server", headers=grace.headers, timeout=300)
    until = time.monotonic() + 300
    while time.monotonic() < until and _servers_of(hub[1], "grace"):
        time.sleep(0.2)
    grace.come_in()
    assert of_zoe.read_bytes() == before
    assert not (homes / "zoe" / "course" / "new").exists()
    for path in (homes / "grace").rglob("*"):
        assert path.is_symlink() or not path.is_file() or b"the secret of zoe" not in path.read_bytes(), path


def _servers_of(folder: Path, name: str) -> list[str]:
    home = str(folder / "homes" / name).encode()
    pids = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if home in Path(f"/proc/{pid}/cmdline").read_bytes():
                pids.append(pid)
        except OSError:
            continue
    return pids


def test_a_configuration_is_written_once_and_is_readable(tmp_path: Path) -> None:
    path = write_config(Settings(tmp_path / "room", port=9000, memory=512), sys.executable)
    text = path.read_text()
    assert 'c.JupyterHub.bind_url = "http://127.0.0.1:9000"' in text
    assert "c.ClassroomSpawner.memory_mb = 512" in text
    compile(text, str(path), "exec")
    assert path.stat().st_mode & 0o077 == 0
    path.write_text(text + "# mine\n")
    assert write_config(Settings(tmp_path / "room"), sys.executable).read_text().endswith("# mine\n")
