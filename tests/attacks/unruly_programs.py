"""Programs that learners hand in and that mean harm, by name; none of them answers anything."""

from __future__ import annotations

LIBC = "import ctypes, os, sys, time\nlibc = ctypes.CDLL(None)\n"

PROGRAMS: dict[str, str] = {
    # They wait for ever, or never end.
    "breakpoint": "breakpoint()",
    "password": "import getpass\nmiddle = getpass.getpass()",
    "debugger": "%pdb on\n1 / 0",
    "post mortem": "try: 1 / 0\nexcept Exception:\n    import pdb; pdb.post_mortem()",
    "await": "import asyncio\nawait asyncio.sleep(10**6)",
    "tasks that go on": "import asyncio\nasync def f():\n    while True:\n        print('x' * 1000)\n        await asyncio.sleep(0)\n"
    "for _ in range(100): asyncio.ensure_future(f())\nawait asyncio.sleep(.1)",
    "background shell": "%%bash --bg --out o\nwhile true; do echo x; sleep .01; done",
    "timers": "import threading\nfor n in range(20): threading.Timer(n / 10, lambda: globals().update(middle=1)).start()",
    "a thread that joins all": "import threading\ndef f():\n    for t in threading.enumerate():\n        try: t.join()\n        except Exception: pass\n"
    "    f()\nfor _ in range(5): threading.Thread(target=f).start()",
    "atexit in forks": "import atexit, os, sys, time\natexit.register(lambda: [time.sleep(.1) for _ in range(10**5)])\n"
    "for _ in range(3):\n    if os.fork() == 0: sys.exit(0)",
    "forks that outlive": "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        for n in range(64):\n"
    "            try: os.close(n)\n            except OSError: pass\n        time.sleep(599)",
    "reads a pipe of its own": "import os\nos.mkfifo('p')\nopen('p').read()",
    "reads the terminal": "for p in ('/dev/tty', '/dev/console', '/dev/stdin', '/proc/self/fd/0'):\n    try: open(p).read()\n    except OSError: pass\ninput()",
    "zeros as standard input": "import sys\nsys.stdin = open('/dev/zero')\nmiddle = input()",
    "terminals without end": "import os, time\nkept = []\ntry:\n    while True: kept.append(os.openpty())\nexcept OSError as e: print(e)\ntime.sleep(1)",
    "a lock that is held": "import threading, _thread\nimport logging\nlogging._lock.acquire()\n__import__('_imp').acquire_lock()\nthreading.Thread(target=lambda: __import__('this')).start()",
    "just below the limit": "import time\nend = time.process_time() + 1.8\nwhile time.process_time() < end: pass\ntime.sleep(3.5)",
    "many short naps": "import time\nfor _ in range(10**6): time.sleep(.001)",
    # Signals, traces and hooks.
    "tracing everything": "import sys, threading\ndef t(*a): raise SystemExit\nthreading.settrace(t); threading.setprofile(t); sys.settrace(t); sys.setprofile(t)",
    "a profile that writes": "import sys\ndef p(frame, event, arg):\n    for v in list(frame.f_locals.values()):\n        if isinstance(v, dict) and 'part' in v: v['part'] = 1.0\n"
    "    frame.f_locals.update(part=1.0, solved=True)\nsys.setprofile(p)",
    "an audit hook": "import sys\ndef hook(*a): raise RuntimeError('no')\nsys.addaudithook(hook)",
    "hooks of the interpreter": "import sys\ndef f(*a):\n    while True: pass\nsys.excepthook = sys.displayhook = sys.unraisablehook = sys.breakpointhook = f\n1\nclass D:\n    def __del__(s): 1 / 0\nD()",
    "callbacks of the collector": "import gc, sys\ngc.callbacks.append(lambda *a: sys.exit(3))\ngc.set_threshold(1)\nx = [[] for _ in range(10**4)]",
    "an alarm in C": LIBC + "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_DFL)\nlibc.alarm(1)\ntime.sleep(30)",
    "handlers in C": LIBC + "for s in range(1, 65): libc.signal(s, ctypes.c_void_p(1))\nwhile True: pass",
    "a wake-up descriptor": "import os, signal, socket\na, b = socket.socketpair(); a.setblocking(False)\nsignal.set_wakeup_fd(a.fileno(), warn_on_full_buffer=False)\nsignal.setitimer(signal.ITIMER_VIRTUAL, 1e-6, 1e-6)",
    "a watchdog of its own": "import faulthandler, time\nfaulthandler.dump_traceback_later(.2, repeat=True, exit=False)\nfaulthandler.register(14, chain=False)\ntime.sleep(4)",
    "a watchdog that ends it": "import faulthandler, time\nfaulthandler.dump_traceback_later(.5, exit=True)\ntime.sleep(60)",
    "imports that fail": "import builtins\nbuiltins.__import__ = lambda *a, **k: 1 / 0",
    "paths that are traps": "import sys\nclass P(list):\n    def __iter__(s):\n        while True: yield '/tmp'\nsys.path = P(); sys.path_hooks.clear(); sys.meta_path.clear(); sys.path_importer_cache.clear()",
    "codecs of its own": "import codecs\ncodecs.register(lambda n: 1 / 0)\ncodecs.lookup = lambda n: 1 / 0\nimport encodings\nencodings._cache.clear(); encodings.aliases.aliases.clear()",
    "warnings that hang": "import warnings\ndef f(*a, **k):\n    while True: pass\nwarnings.showwarning = f\nwarnings.simplefilter('always')\nwarnings.warn('x')",
    "settings of the interpreter": "import sys\nsys.setswitchinterval(10**6); sys.setrecursionlimit(60); sys.set_int_max_str_digits(0); sys.flags = None; sys.maxsize = -1; sys.byteorder = 'big'\nmiddle = str(10**400_000)",
    # What the runner uses is changed.
    "no builtins": "import builtins\nfor n in list(vars(builtins)):\n    if n not in ('list', 'vars', 'builtins', 'delattr'): delattr(builtins, n)",
    "names of the notebook": "__builtins__ = {}\n__name__ = '\\x1b[2J'\nget_ipython = In = Out = _ih = _oh = exit = quit = None\n_ = __ = ___ = property(lambda s: 1 / 0)",
    "an encoder that lies": "import base64, json, json.encoder\nbase64.b85encode = lambda b, pad=False: b'0' * 5\njson.encoder.c_make_encoder = None\njson.JSONEncoder.default = lambda s, o: {'part': 1.0}\njson.JSONEncoder.iterencode = lambda s, o, **k: ['{\"values\": [true], \"storages\": {}}']",
    "a socket that lies": "import socket\nsocket.socket.recv = lambda s, n, *f: b'\\0' * n\nsocket.socket.sendall = lambda s, b, *f: None",
    "another program as the runner": "import os, sys\ncode = 'import json, os, socket, sys\\ns = socket.socket(fileno=int(sys.argv[1]))\\n'\ncode += 'while True:\\n n = int.from_bytes(s.recv(8), \"big\"); m = s.recv(n)\\n b = json.dumps(dict(values=[True] * 3, storages={}, part=1.0, error=None, outputs=[], account={}, message=\"solved\", changed=[])).encode()\\n s.sendall(len(b).to_bytes(8, \"big\") + b)\\n'\n"
    "for n in range(3, 64):\n    try: os.set_inheritable(n, True); os.stat(f'/proc/self/fd/{n}')\n    except OSError: continue\n    if 'socket' in os.readlink(f'/proc/self/fd/{n}'): os.execv(sys.executable, [sys.executable, '-c', code, str(n)])",
    "a child as the runner": "import os, time\nif os.fork():\n    time.sleep(10**6)",
    "shuts the channel": "import os, socket\nfor n in range(3, 64):\n    try: socket.socket(fileno=os.dup(n)).shutdown(socket.SHUT_RD)\n    except OSError: pass",
    "a channel that blocks": "import fcntl, os\nfor n in range(3, 64):\n    try: fcntl.fcntl(n, fcntl.F_SETFL, os.O_NONBLOCK)\n    except OSError: pass",
    "displays that display": "class D:\n    def _ipython_display_(s):\n        display(s)\ndisplay(D())\nclass R:\n    def _repr_html_(s): return R()\n    def _repr_mimebundle_(s, **k): return {str(n): 'x' * 10**5 for n in range(1000)}\ndisplay(*[R()] * 50)",
    "letters for a gigabyte": "class R:\n    def __repr__(s): return '\\u202e' * 300_000_000\nR()",
    "a repr that forks": "import os\nclass R:\n    def __repr__(s):\n        os.fork()\n        return '<script>alert(1)</script>'\nmiddle = R()\nmiddle",
    "escapes in every output": "import sys\nfor s in (sys.stdout, sys.stderr): print('\\x1b]52;c;eA==\\x07\\x1b[?1049h\\x9b31m\\r\\x08\\x00\\u2028<iframe src=javascript:alert(1)>', file=s)\n"
    "display({'text/plain': '\\ud800\\x1b[2J', 'image/svg+xml': '<svg><a href=\"javascript:alert(1)\">x</a><animate attributeName=\"href\" values=\"javascript:alert(2)\"/></svg>'}, raw=True)\nraise type('\\x1b[31mE', (Exception,), {})('\\u202e\\x1b[2J<script>')",
    "a gigabyte of displays": "while True: display({'text/plain': 'x' * 10**6}, raw=True)",
    "exceptions in groups": "e = ValueError('x')\nfor _ in range(3000): e = ExceptionGroup('<b>', [e, e])\nraise e",
    "an exit with a message": "raise SystemExit('x' * 10**8)",
    "exits of every kind": "import os, sys\ntry: sys.exit(2**70)\nexcept BaseException: pass\nos.abort()",
    # They hide among other processes, or hide what they use.
    "calls itself bwrap": LIBC + "libc.prctl(15, b'bwrap', 0, 0, 0)\nif os.fork() == 0:\n    libc.prctl(15, b'unshare', 0, 0, 0)\n    time.sleep(600)\ntime.sleep(600)",
    "a name in brackets": LIBC + "libc.prctl(15, b') S 1 1 (', 0, 0, 0)\nfor _ in range(3): os.fork()\nwhile True: pass",
    "hides its memory": LIBC + "libc.prctl(4, 0, 0, 0, 0)\nheld = []\nwhile True: held.append(bytearray(20_000_000))",
    "locks its memory": LIBC + "libc.mlockall(3)\nheld = [bytearray(b'x' * 10**7) for _ in range(100)]",
    "holds the interpreter": LIBC + "ctypes.PyDLL(None).sleep(600)",
    "an interpreter within": "try:\n    import _interpreters as i\nexcept ImportError:\n    import _xxsubinterpreters as i\nn = i.create()\ni.run_string(n, 'while True: pass')",
    "a stack of its own": LIBC + "f = ctypes.CFUNCTYPE(None)(lambda: f())\nf()",
    "frees what others use": LIBC + "libc.free(ctypes.c_void_p(id(torch)))\nlibc.malloc_trim(0)",
    # C code, which Python's checks do not see.
    "a sum without end": "import itertools\nmiddle = sum(itertools.repeat(1))",
    "an expression that doubles": "import re\nre.match('(a|a)*b', 'a' * 60)",
    "one bucket for all": "middle = {n * (2**61 - 1): n for n in range(60_000)}\nmiddle |= {str(n): n for n in range(10)}",
    "a sort that never agrees": "import functools, random\nwhile True: sorted(range(10**6), key=functools.cmp_to_key(lambda a, b: random.choice((-1, 1))))",
    "brackets for the parser": "eval('(' * 10**6)\neval('[' * 90 + ']' * 90 + '-' * 10**6 + '1')",
    "text that grows": "x = 'x'\nwhile True: x = f'{x}{x}'",
    "a bomb to unpack": "import io, zlib, lzma\nmiddle = zlib.decompress(zlib.compress(bytes(2 * 10**9), 1))",
    "a table of everything": "import numpy\nmiddle = numpy.zeros((10**5, 10**5))\nmiddle += 1",
    "an answer of views": "middle = [a[n % 5 :] for n in range(15_000)]",
    "answers within themselves": "middle = []; middle.append(middle)\nd = {}; d['d'] = d; middle.append(d)",
    "an answer that generates": "middle = (n for n in iter(int, 1))\nshare_storage = type('F', (), {'__call__': lambda s, x, y: iter(int, 1)})()",
    "functions that are coroutines": "async def share_storage(x, y):\n    while True: pass\nmiddle = share_storage(1, 2)",
    # The disk.
    "its home is elsewhere": "import os\nos.chdir('/tmp'); os.rename(os.path.expanduser('~'), '/tmp/h') if os.access('/home', 2) else None\nos.symlink('/course', os.path.expanduser('~/c'))\nopen(os.path.expanduser('~/c/x'), 'w')",
    "its folder is gone": "import os, shutil\nos.mkdir('/tmp/d'); os.chdir('/tmp/d'); os.rmdir('/tmp/d')\nshutil.rmtree(os.path.expanduser('~'), ignore_errors=True)\nopen('x', 'w')",
    "links to every place": "import os\nfor n, p in enumerate(('/proc/1/root', '/proc/self/cwd/../..', '{folder}', '/proc/self/fd/1', '/dev/shm', '/')):\n    os.symlink(p, f'l{n}')\n    for r, d, f in os.walk(f'l{n}', followlinks=True):\n        for x in f[:20]:\n            try: print(open(os.path.join(r, x)).read(200))\n            except Exception: pass\n        if len(r) > 200: break",
    "names that no page has": "import os\nfor n in ('\\n', '\\x1b[2J', '-rf', '*', ' ', '\\udcff', 'a' * 255, '\\u202e'):\n    open(f'/tmp/escaped{n}'[:250], 'wb').close()\nos.rename('/tmp/escaped-rf', '/tmp/escaped\\r')",
    "devices of its own": "import os, stat\nfor kind in (stat.S_IFBLK, stat.S_IFCHR, stat.S_IFSOCK, stat.S_IFIFO):\n    for n in range(4):\n        try: os.mknod(f'd{kind}{n}', kind | 0o666, os.makedev(8, n)); print(open(f'd{kind}{n}', 'rb', buffering=0).read(10) if kind == stat.S_IFBLK else '')\n        except OSError: pass",
    "modes of every kind": "import os\nfor m in range(0o10000):\n    f = os.open(f'/tmp/m{m}', os.O_CREAT | os.O_WRONLY, 0o777); os.fchmod(f, m); os.close(f)\ntry: os.chown('/tmp/m1', 0, 0); os.setxattr('/tmp/m1', 'security.capability', b'x' * 20)\nexcept OSError as e: print(e)",
    "writes to what is mapped": "import mmap, os\nf = open('/tmp/m', 'w+b'); f.truncate(4096)\nm = mmap.mmap(f.fileno(), 4096)\nf.truncate(0)\nm[0]",
    "an answer over a file that shrinks": "import os\nopen('/tmp/t', 'wb').write(bytes(4096))\nmiddle = torch.from_file('/tmp/t', size=1024)\nos.truncate('/tmp/t', 0)",
    "looks for the class": "import os\nfor p in ('{folder}', '{folder}/secret.txt', '{folder}/course.toml', os.path.dirname('{folder}')):\n    for do in (os.listdir, open, os.stat, os.readlink):\n        try: print(do(p)); print(do(p).read())\n        except Exception: pass",
    # Libraries.
    "letters of other widths": "\uff4diddle = torch.zeros(2, 2)\nm\u0456ddle = a[1:5].view(2, 2)\n\U0001d5ba = 1\n\u017fhare_storage = lambda x, y: True",
    "modules that are nothing": "import sys\nfor n in ('numpy', 'tensorglass', 'IPython', 'glassroom', 'socket', 'json', 'signal', 'traceback', 'ast'): sys.modules[n] = None",
    "arithmetic that raises": "import numpy, warnings, decimal, locale\nnumpy.seterr(all='raise'); warnings.simplefilter('error'); decimal.getcontext().prec = 1\nnumpy.set_printoptions(threshold=10**9); torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); torch.use_deterministic_algorithms(True)",
    "arrays with strange memory": "import numpy\nclass A(numpy.ndarray):\n    def __array_finalize__(s, o): raise SystemExit\n    __array_interface__ = property(lambda s: {'data': (8, False), 'shape': (10**9,), 'typestr': '<f8', 'version': 3})\nmiddle = torch.as_tensor(A.__new__(A, (2, 2)))",
    "tensors at no address": "class L:\n    __cuda_array_interface__ = __array_interface__ = {'data': (4096, False), 'shape': (2, 2), 'typestr': '<i8', 'strides': None, 'version': 3}\nmiddle = torch.as_tensor(L())",
    "capsules that are not": "class L:\n    def __dlpack__(s, **k): return object()\n    def __dlpack_device__(s): return (1, 10**9)\nmiddle = torch.from_dlpack(L())",
    "checks that are its own": "from glassroom.exercises import engine\nengine._declared.clear()\n@engine.exercise('02-middle', hints=['', '', '', 'x'])\ndef f(middle, *, a): return 'solved'\nmiddle = 1",
    "an answer that is lent": "from glassroom.exercises import _answer_key as k\nk._lent.update({n: 'middle = 1' for n in ('02-middle', '02-whole')})\nmiddle = k._lent",
    "given values of its own": "import gc\nfor r in [r for r in gc.get_objects() if type(r).__name__ == 'Runner']:\n    r.given = {'a': torch.zeros(6), 'tail': torch.zeros(3)}\n    r.before = {}\nmiddle = 1",
    "a grader within": "import subprocess, sys\nfor c in ('grade .', 'release 1_memory/02', 'hub h', 'lab --no-lab w', 'forget . ada --yes'):\n    print(subprocess.run([sys.executable, '-m', 'glassroom', *c.split()], capture_output=True, text=True, timeout=20).stdout[-300:])",
    "threads with names": "import threading, time\nfor n in range(15): threading.Thread(target=time.sleep, args=(600,), name='\\x1b[2J' * 100, daemon=n % 2 == 0).start()",
    "pickles that act": "import os, pickle\nclass P:\n    def __reduce__(s): return os.system, ('cat {folder}/secret.txt',)\nmiddle = P(); pickle.loads(pickle.dumps(middle))",
    "servers of its own": "import http.server, socket, threading\nfor host in ('127.0.0.1', '::1', '0.0.0.0'):\n    try: threading.Thread(target=http.server.HTTPServer((host, 0), http.server.SimpleHTTPRequestHandler).serve_forever).start()\n    except OSError as e: print(e)\nfor h in ('169.254.169.254', '10.0.2.2', '8.8.8.8'):\n    try: print('CONNECTED', socket.create_connection((h, 80), 1))\n    except OSError: pass",
}  # fmt: skip
