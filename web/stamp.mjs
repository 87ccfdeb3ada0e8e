// Write a hash of the sources beside the build, so that a test notices a build older than its sources.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
  );
const hash = createHash("sha256");
for (const name of [...files("src"), "index.html"].map((path) => path.replaceAll("\\", "/")).sort()) {
  hash.update(`${name}\n`);
  hash.update(readFileSync(name));
}
writeFileSync("../src/rummylab/ui/web/static/sources.sha256", `${hash.digest("hex")}\n`);
