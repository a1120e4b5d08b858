// node run.mjs DISTRIBUTION PACKAGES CHECKOUT COMPILED
//
// Run Python scripts of this folder in Pyodide, with the checkout at /checkout: one for each line of standard input, a
// JSON list of the script and its arguments. Each has an interpreter and a memory of its own, but WebAssembly that this
// process has compiled before is not compiled again, and Python keeps its bytecode in the folder COMPILED. After what a
// script prints comes the line "end".
//
// DISTRIBUTION is a folder with pyodide.mjs and the wheels beside it; PACKAGES holds pure Python packages that the
// distribution lacks.
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { join, resolve } from "node:path";

const [distribution, packages, checkout, compiled] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(resolve(distribution), "pyodide.mjs")));

/** What the distribution has of what a run imports: loading all of it takes longer than most notebooks. */
function packagesOf(script, [first]) {
  if (script !== "notebook_cells.py") return ["numpy", "scipy","pygments"];
  const text = readFileSync(join(checkout, "notebooks", first), "utf8");
  const named = { scipy: "scipy", matplotlib: "matplotlib", pyplot: "matplotlib", sklearn: "scikit-learn", load_sample_image: "pillow", "draw(": "matplotlib", plot: "matplotlib" };
  const wanted = Object.keys(named).filter((word) => text.includes(word)).map((word) => named[word]);
  return ["numpy", "ipython", "sqlite3", ...new Set(wanted)];
}

async function run(script, argument) {
  const pyodide = await loadPyodide({ indexURL: resolve(distribution) + "/", env: { HOME: "/home", MPLBACKEND: "module://matplotlib_inline.backend_inline" } });
  await pyodide.loadPackage(packagesOf(script, argument), { messageCallback() {} });
  for (const [at, folder] of [["/checkout", checkout], ["/packages", packages], ["/compiled", compiled]]) {
    pyodide.FS.mkdirTree(at);
    pyodide.mountNodeFS(at, resolve(folder));
  }
  pyodide.FS.mkdirTree("/home");
  pyodide.globals.set("argv", pyodide.toPy([script, ...argument]));
  pyodide.runPython(`
import os, runpy, sys
sys.dont_write_bytecode, sys.pycache_prefix = False, "/compiled"
for folder, _, names in os.walk("/lib/python3.12/site-packages"):  # so that bytecode is recognized, which goes by times
    for name in names:
        os.utime(os.path.join(folder, name), (0, 0))
sys.path[:0] = ["/checkout/lib", "/checkout/course", "/checkout/tests/wasm", "/packages"]
sys.argv = list(argv)
try:
    runpy.run_path(f"/checkout/tests/wasm/{argv[0]}", run_name="__main__")
except SystemExit:
    pass
finally:
    sys.stdout.flush()
    sys.stderr.flush()
`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [script, ...argument] = JSON.parse(line);
  await run(script, argument).catch((error) => console.error(error.message));
  writeSync(1, "\nend\n");
}
