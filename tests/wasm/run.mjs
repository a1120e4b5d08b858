// node run.mjs DISTRIBUTION PACKAGES CHECKOUT SCRIPT ARGUMENT...
//
// Run a Python script of this folder in Pyodide, with the checkout at /checkout. DISTRIBUTION is a folder with
// pyodide.mjs and the wheels beside it; PACKAGES holds pure Python packages that the distribution lacks.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join, resolve } from "node:path";

const [distribution, packages, checkout, script, ...argument] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(resolve(distribution), "pyodide.mjs")));
/** What the distribution has of what a run imports: loading all of it takes longer than most notebooks. */
function packagesOf(script, [first]) {
  if (script !== "notebook_cells.py") return ["numpy", "scipy","pygments"];
  const text = readFileSync(join(checkout, "notebooks", first), "utf8");
  const named = { scipy: "scipy", matplotlib: "matplotlib", pyplot: "matplotlib", sklearn: "scikit-learn", load_sample_image: "pillow", "draw(": "matplotlib", plot: "matplotlib" };
  const wanted = Object.keys(named).filter((word) => text.includes(word)).map((word) => named[word]);
  return ["numpy", "ipython", "sqlite3", ...new Set(wanted)];
}

const pyodide = await loadPyodide({ indexURL: resolve(distribution) + "/", env: { HOME: "/home", MPLBACKEND: "module://matplotlib_inline.backend_inline" } });
await pyodide.loadPackage(packagesOf(script, argument), { messageCallback() {} });
for (const [at, folder] of [["/checkout", checkout], ["/packages", packages]]) {
  pyodide.FS.mkdirTree(at);
  pyodide.mountNodeFS(at, resolve(folder));
}
pyodide.FS.mkdirTree("/home");
pyodide.globals.set("argv", pyodide.toPy([script, ...argument]));
const status = pyodide.runPython(`
import runpy, sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/checkout/lib", "/checkout/course", "/checkout/tests/wasm", "/packages"]
sys.argv = list(argv)
try:
    runpy.run_path(f"/checkout/tests/wasm/{argv[0]}", run_name="__main__")
    status = 0
except SystemExit as end:
    status = end.code if isinstance(end.code, int) else 1
status
`);
process.exit(status);
