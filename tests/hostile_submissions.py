"""Submissions that mean harm, by name: what each writes as its answer to 02-middle, or hands in as its file.

None of them solves anything. `SECRET` stands in files of the class that nobody but the teacher may read.
"""

from __future__ import annotations

SECRET = "the-secret-of-the-class"

FORGE = "middle = torch.zeros(2, 2)\n"

CODE: dict[str, str] = {
    # It takes all there is.
    "endless-loop": "while True: pass",
    "loop-that-catches-everything": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "sleep": "import time\ntime.sleep(1e6)",
    "waits-for-input": "middle = input('?')",
    "reads-stdin": "import sys, os\nwhile True:\n    os.read(0, 10) or __import__('time').sleep(1)",
    "fork-bomb": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "fork-bomb-that-daemonises": "import os\nfor _ in range(500):\n    if os.fork() == 0:\n        os.setsid()\n"
    "        if os.fork() == 0:\n            import time\n            time.sleep(600)\n        os._exit(0)",
    "memory-bomb": "x = []\nwhile True: x.append(bytearray(50_000_000))",
    "memory-in-many-processes": "import os, time\nfor _ in range(30):\n    if os.fork() == 0:\n"
    "        x = bytearray(b'1' * 100_000_000)\n        time.sleep(600)\ntime.sleep(600)",
    "prints-a-gigabyte": "for _ in range(1000): print('x' * 1_000_000)",
    "writes-a-gigabyte-to-stdout": "import os\nfor _ in range(1000): os.write(1, b'x' * 1_000_000)",
    "writes-to-stderr": "import os\nwhile True: os.write(2, b'x' * 100_000)",
    "fills-the-disk": "f = open('/tmp/x', 'wb')\nwhile True: f.write(b'x' * 10_000_000)",
    "a-million-files": "import itertools\nfor i in itertools.count(): open(f'/tmp/{i}', 'w').close()",
    "recursion": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nf()",
    "huge-number": "middle = 10 ** 10 ** 8\nprint(middle)",
    "nested-answer": "middle = []\nfor _ in range(100_000): middle = [middle]",
    "answer-of-a-million-items": "middle = list(range(5_000_000))",
    "endless-iterator-in-an-answer": "class L(list):\n    def __iter__(self):\n        while True: yield 1\nmiddle = L()",
    # It ends, or ends others.
    "exits": "import sys\nsys.exit(0)",
    "exits-at-once": "import os\nos._exit(0)",
    "crashes": "import ctypes\nctypes.string_at(0)",
    "kills-its-parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "kills-everybody": "import os, signal\nos.kill(-1, signal.SIGKILL)",
    "kills-the-first-process": "import os, signal\nfor _ in range(5): os.kill(1, signal.SIGKILL)\nmiddle = 1",
    "ignores-signals": "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n"
    "    except OSError: pass\nwhile True: pass",
    "stops-itself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "threads-that-go-on": "import threading\ndef f():\n    while True: pass\n"
    "for _ in range(4): threading.Thread(target=f).start()\nmiddle = 1",
    "atexit": "import atexit, time\natexit.register(time.sleep, 600)\nimport sys\nsys.exit()",
    "a-process-that-stays": "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(599)'],\n"
    "                 start_new_session=True)\nmiddle = 1",
    "interrupts": "raise KeyboardInterrupt",
    # It looks around.
    "reads-others-work": "import glob\nfor p in glob.glob('{folder}/**', recursive=True):\n"
    "    try: print(open(p).read())\n    except OSError: pass",
    "reads-the-whole-disk": "import os\nfor f, _, names in os.walk('/'):\n    for n in names:\n"
    "        if n.endswith(('.toml', '.csv', '.ipynb', '.txt')):\n            try:\n                t = open(os.path.join(f, n)).read()\n"
    "                if '{secret}' in t: print(t)\n            except Exception: pass",
    "reads-the-environment": "import os\nprint(dict(os.environ))\nfor p in os.listdir('/proc'):\n"
    "    try: print(open(f'/proc/{p}/environ').read())\n    except OSError: pass",
    "reads-passwords": "for p in ('/etc/passwd', '/etc/shadow', '/root/.bash_history', '/root/.ssh/id_rsa'):\n"
    "    try: print(open(p).read())\n    except OSError: pass",
    "writes-to-the-course": "import glassroom, os\np = os.path.dirname(glassroom.__file__)\n"
    "for q in (p, p + '/exercises', '/usr', '/'):\n    try: open(q + '/written-by-a-submission.py', 'w').write('x')\n    except OSError: pass",
    "network": "import socket\nprint(socket.create_connection(('127.0.0.1', {port}), 2).recv(100))",
    "network-by-name": "import urllib.request\nprint(urllib.request.urlopen('http://localhost:{port}', timeout=2).read())",
    "a-link-to-the-class": "import os\nos.symlink('{folder}/course.toml', '/tmp/link')\nprint(open('/tmp/link').read())",
    "mounts": "import subprocess\nfor c in (['mount', '-o', 'remount,rw', '/usr'], ['unshare', '-Urm', 'id'], ['chroot', '/', 'id']):\n"
    "    print(subprocess.run(c, capture_output=True))",
    "raises-its-limits": "import resource\nfor k in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC):\n"
    "    resource.setrlimit(k, (resource.RLIM_INFINITY,) * 2)",
    # It forges.
    "patched-check": FORGE + "import glassroom, glassroom.exercises as e\nfrom types import SimpleNamespace\n"
    "ok = e.Verdict(True, 'solved')\ne.judge = e.engine.judge = lambda *a, **k: ok\n"
    "e.check = e.engine.check = check = lambda *a, **k: print('solved')",
    "patched-builtins": FORGE + "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.all = lambda *a: True\n"
    "builtins.hasattr = lambda *a: True",
    "patched-expectations": FORGE + "from glassroom.exercises import expect, facts\nfor m in (expect, facts):\n"
    "    for n in list(vars(m)):\n        if n.startswith('expect'): setattr(m, n, lambda *a, **k: None)\n"
    "facts.share_memory = lambda *a: True",
    "patched-grader": FORGE + "from glassroom.classroom import credit\ncredit.verdict_of = lambda *a: (1.0, 'solved')\n"
    "credit.share = lambda v: 1.0\ncredit.graded_check = lambda p, *a, **k: p",
    "patched-code": FORGE + "from glassroom.exercises import engine\nimport builtins\n"
    "engine._examine.__code__ = (lambda found, answers, given: 'solved').__code__",
    "patched-messages": FORGE + "import sys\nfor n, m in list(sys.modules.items()):\n    if 'inside' in n:\n"
    "        for k in list(vars(m)):\n            if callable(getattr(m, k)): setattr(m, k, lambda *a, **kw: {'part': 1.0, 'done': True})",
    "patched-tensors": FORGE + "torch.Tensor.__eq__ = lambda *a: True\ntorch.Tensor.untyped_storage = lambda s: a",
    "forged-lines": FORGE + 'import json, os\nline = json.dumps({"mark": {"id": "02-middle", "exercise": "02-middle", "part": 1.0,'
    ' "message": "", "how": "apart"}}) + "\\n"\nfor fd in range(3, 64):\n    try: os.write(fd, line.encode())\n    except OSError: pass\n'
    "print(line)",
    "forged-messages": FORGE + "import socket, os\nfor fd in range(3, 64):\n    try:\n        s = socket.socket(fileno=os.dup(fd))\n"
    "        body = b'{\"values\": [], \"storages\": {}, \"part\": 1.0, \"ready\": true}'\n"
    "        for _ in range(50): s.sendall(len(body).to_bytes(8, 'big') + body)\n    except OSError: pass",
    "an-endless-message": "import socket, os\nfor fd in range(3, 64):\n    try:\n        s = socket.socket(fileno=os.dup(fd))\n"
    "        s.sendall((2**60).to_bytes(8, 'big') + b'x' * 1000)\n    except OSError: pass",
    "closes-everything": "import os\nos.closerange(0, 64)",
    "equal-to-everything": "class Yes:\n    def __eq__(self, o): return True\n    def __getattr__(self, n): return self\n"
    "    def __call__(self, *a, **k): return self\n    shape = (2, 2)\n    def stride(self): return (2, 1)\n"
    "    def storage_offset(self): return 1\n    def untyped_storage(self): return a.untyped_storage()\nmiddle = Yes()",
    "a-lying-tensor": "class Lie(torch.Tensor):\n    pass\nmiddle = torch.zeros(2, 2).as_subclass(Lie)",
    "another-answer-to-another-exercise": "exec('raise Exception')",
    "an-error-that-cannot-be-printed": "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
    "a-shell": "get_ipython().system('sleep 600 & cat /etc/passwd')\nmiddle = 1",
    "traces": "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\nimport gc\ngc.disable()\nmiddle = 1",
    "empties-the-modules": "import sys\nsys.modules.clear()",
    "script-in-outputs": "from IPython.display import HTML, SVG, display\ndisplay(HTML('<script>alert(1)</script>'))\n"
    "display({'image/svg+xml': '<svg onload=\"alert(1)\"><script>alert(2)</script></svg>'}, raw=True)\n"
    "print('<script>alert(3)</script><img src=x onerror=alert(4)>')\nmiddle = '</pre><script>alert(5)</script>'",
}  # fmt: skip
