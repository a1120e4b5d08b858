// The worker of a page: Python itself. It loads when it is told to begin, and then runs one cell after the other.
let python, shell, current;

const tell = (what, more = {}) => postMessage({ what, ...more });

/** Packages that cells need without importing them: what our own functions draw and read with. */
const BEHIND = [
  [/\bload_sample_image\b/, "pillow"],
  [/\b(draw|plot)\(/, "matplotlib"],
  [/\bspecial\./, "scipy"],
  [/bfloat16/i, "ml_dtypes"], // not in every distribution
];

async function begin({ pyodide, wheel, language, isNotebook, interrupt }) {
  tell("progress", { stage: "python" });
  const packed = fetch(wheel).then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject(new Error(`${answer.status} ${wheel}`))));
  packed.catch(() => {}); // it is awaited below
  const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
  const env = { HOME: "/home/pyodide", MPLBACKEND: "module://matplotlib_inline.backend_inline", GLASSROOM_LANG: language };
  python = await loadPyodide({ indexURL: pyodide, env });
  tell("progress", { stage: "packages" });
  await python.loadPackage(["numpy", "ipython"], { messageCallback() {}, errorCallback() {} });
  python.unpackArchive(await packed, "wheel");
  tell("progress", { stage: "library" });
  const told = (output) => tell("output", { id: current, output: JSON.parse(output) });
  shell = python.pyimport("glassroom.site.page_shell").begin(told, isNotebook);
  if (interrupt) python.setInterruptBuffer(interrupt);
  tell("ready");
}

async function run({ id, code, every }) {
  const quiet = { messageCallback() {}, errorCallback() {} };
  const behind = BEHIND.filter(([word]) => word.test(code)).map(([, name]) => python.loadPackage(name, quiet));
  // What is missing then, the cell says itself: its import raises.
  await Promise.allSettled([...behind, python.loadPackagesFromImports(code, quiet)]);
  current = id;
  const began = performance.now();
  const ok = shell.run(code, every);
  tell("done", { id, ok, seconds: (performance.now() - began) / 1000 });
}

onmessage = async ({ data }) => {
  try {
    if (data.what === "begin") await begin(data);
    else if (data.what === "run") await run(data);
    else tell("lacks", { id: data.id, lacks: shell.lacks(data.code) });
  } catch (error) {
    tell("failed", { id: data.id, error: String(error?.message ?? error) });
  }
};
