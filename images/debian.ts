import { appendFile, copyFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";
import { run } from "./run.ts";

const PACKAGES =
  "base-files base-passwd bash ca-certificates coreutils curl dash diffutils file findutils git grep " +
  "gzip hostname libatomic1 libc-bin libstdc++6 login make mawk passwd patch perl-base procps python3 " +
  "sed tar util-linux xz-utils";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** A Debian with the tools of ordinary work, and this machine's own Node. */
export async function debianRecipe(): Promise<Recipe> {
  const suite = await hostSuite();
  return {
    tag: "outwork-test-debian:latest",
    variables: [`PATH=${PATH}`, "LANG=C.UTF-8"],
    inputs: [suite, PACKAGES, process.version],
    source: import.meta.filename,
    fill: (root) => fill(root, suite),
  };
}

async function hostSuite(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8");
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1];
  if (!/^ID=debian$/m.test(release) || suite === undefined) {
    throw new Error(
      "the Debian test image is built from the host's own packages: this is no Debian",
    );
  }
  return suite;
}

/** The mirror that this machine's own apt uses for a suite. */
async function hostMirror(suite: string): Promise<string> {
  const format = ["indextargets", "--format", "$(SITE) $(CODENAME)", "Created-By: Packages"];
  const targets = await run("apt-get", format, "test images are built from Debian packages");
  const line = targets.split("\n").find((target) => target.endsWith(` ${suite}`));
  if (line === undefined)
    throw new Error(`apt has no source for ${suite}: see /etc/apt/sources.list`);
  return line.slice(0, -suite.length - 1);
}

async function fill(root: string, suite: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("the Debian test image can only be built as root");
  await extract(root, await hostMirror(suite), suite);
  await finish(root);
  await addUser(root);
  await copyFile(process.execPath, join(root, "usr/local/bin/node"));
}

/** Unpacks without running the packages' own scripts: a third of the time, `finish` does their work. */
async function extract(root: string, mirror: string, suite: string): Promise<void> {
  const options = ["--quiet", "--mode=root", "--variant=extract", "--format=directory"];
  const packages = `--include=${PACKAGES.replaceAll(" ", ",")}`;
  const source = `deb [signed-by=${KEYRING}] ${mirror} ${suite} main`;
  const hint = "install mmdebstrap (apt-get install mmdebstrap)";
  await run("mmdebstrap", [...options, packages, suite, root, source], hint);
}

async function finish(root: string): Promise<void> {
  const masters = join(root, "usr/share/base-passwd");
  await copyFile(join(masters, "passwd.master"), join(root, "etc/passwd"));
  await copyFile(join(masters, "group.master"), join(root, "etc/group"));
  await link(root, "mawk", "usr/bin/awk");
  await link(root, "dash", "usr/bin/sh");
  const script =
    "cd /usr/share/ca-certificates && find . -name '*.crt' | sed 's|^[.]/||' | sort " +
    "> /etc/ca-certificates.conf; ldconfig; update-ca-certificates";
  await run("chroot", [root, "/bin/sh", "-c", script], "install coreutils");
  for (const folder of ["usr/share/man", "usr/share/doc", "usr/share/locale", "var/cache/apt"]) {
    await rm(join(root, folder), { recursive: true, force: true });
  }
  await rm(join(root, "var/lib/apt/lists"), { recursive: true, force: true });
}

async function link(root: string, target: string, path: string): Promise<void> {
  await rm(join(root, path), { force: true });
  await symlink(target, join(root, path));
}

async function addUser(root: string): Promise<void> {
  await appendFile(join(root, "etc/passwd"), "outwork:x:1000:1000::/home/outwork:/bin/bash\n");
  await appendFile(join(root, "etc/group"), "outwork:x:1000:\n");
  await mkdir(join(root, "usr/local/bin"), { recursive: true });
  await rm(join(root, "etc/hostname"), { force: true });
  await writeFile(join(root, "etc/machine-id"), "");
}
