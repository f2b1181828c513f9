import assert from "node:assert/strict";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { NodeFiles } from "../../../src/patch/files/node-files.ts";
import { runProgram } from "../../../src/patch/program.ts";
import { runTool } from "../../../src/patch/tool.ts";
import { contextIn } from "./support/context.ts";
import { patched, patchedIn, patchOf } from "./support/patched.ts";
import { plant, type Tree, temporaryFolder, treeOf } from "./support/tree.ts";

describe("PA-01: a file moved onto itself", () => {
  const SPELLINGS: Record<string, { to: string; left: Tree; lost: Tree }> = {
    "by the same path": { to: "d/f", left: { "d/f": "A\n" }, lost: { "d/": "empty" } },
    "with a dot": { to: "./d/./f", left: { "d/f": "A\n" }, lost: { "d/": "empty" } },
    "by way of its parent": { to: "x/../d/f", left: { "d/f": "A\n" }, lost: { "d/": "empty" } },
    "through a linked folder": { to: "to-d/f", left: { "d/f": "A\n" }, lost: { "d/": "empty" } },
    "through a link to itself": {
      to: "d/to-f",
      left: { "d/f": "A\n", "d/to-f": "-> f" },
      lost: { "d/to-f": "-> f" },
    },
  };

  for (const [how, { to, left, lost }] of Object.entries(SPELLINGS)) {
    const tree: Tree = {
      "d/f": "a\n",
      "to-d": "-> d",
      ...("d/to-f" in left ? { "d/to-f": "-> f" } : {}),
    };
    const patch = patchOf("*** Update File: d/f", `*** Move to: ${to}`, "-a", "+A");

    test(`${how} is an update`, async (t) => {
      const { tree: after, changes } = await patched(t, tree, patch);
      assert.deepEqual(after, { ...left, "to-d": "-> d" });
      assert.deepEqual(
        changes.map(({ kind }) => kind),
        ["update"],
      );
    });

    test(`${how} is an update that is all or nothing`, async (t) => {
      const { tree: after, failure } = await patched(t, tree, patch, { atomic: true });
      assert.deepEqual({ after, failure }, { after: { ...left, "to-d": "-> d" }, failure: null });
    });

    test(`${how} is lost with the original's faults, and reported as deleted`, async (t) => {
      const { tree: after, changes } = await patched(t, tree, patch, { compat: true });
      assert.deepEqual(after, { ...lost, "to-d": "-> d" });
      assert.deepEqual(
        changes.map(({ kind, after: content }) => ({ kind, content })),
        [{ kind: "delete", content: null }],
      );
    });
  }

  test("by another hard link of it leaves that one, with the new text", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { f: "a\n" });
    await fs.link(join(cwd, "f"), join(cwd, "g"));
    const patch = patchOf("*** Update File: f", "*** Move to: g", "-a", "+A");
    const { tree } = await patchedIn(cwd, patch);
    assert.deepEqual(tree, { g: "A\n" });
  });
});

// Models expect Add and Move to overwrite, as the original does. The report has the hash of what was
// replaced, and callers who want a refusal can have it.
describe("PA-03: Add and Move onto an existing file", () => {
  const TREE = { f: "f\n", taken: "t\n" };
  const ADD = patchOf("*** Add File: taken", "+new");
  const MOVE = patchOf("*** Update File: f", "*** Move to: taken", " f");

  test("overwrite it, and say what was there", async (t) => {
    const added = await patched(t, TREE, ADD);
    const moved = await patched(t, TREE, MOVE);
    assert.deepEqual([added.tree, moved.tree], [{ f: "f\n", taken: "new\n" }, { taken: "f\n" }]);
    assert.equal(added.changes[0]?.before?.bytes, 2);
    assert.equal(moved.changes[0]?.overwritten?.bytes, 2);
  });

  test("are refused by name before any write, on request", async (t) => {
    for (const patch of [ADD, MOVE]) {
      const { tree, failure } = await patched(t, TREE, patch, { overwrite: false });
      assert.match(failure ?? "", /CWD\/taken: it exists/);
      assert.deepEqual(tree, TREE);
    }
  });

  test("write through a link into nowhere, and never into a folder", async (t) => {
    const through = await patched(t, { taken: "-> target" }, ADD);
    assert.deepEqual(through.tree, { taken: "-> target", target: "new\n" });
    const onto = await patched(t, { "taken/x": "x\n" }, ADD);
    assert.equal(onto.failure, "Failed to write file CWD/taken");
    assert.deepEqual(onto.tree, { "taken/x": "x\n" });
  });
});

// New lines take the ending of the first line, and a last line always gets one: the original's
// rules, which models were trained on. All other bytes stay as they are.
describe("PA-05: endings of lines", () => {
  const PATCH = patchOf("*** Update File: f", "@@", "-b", "+B", "+C");
  const FILES: Record<string, [before: string, after: string]> = {
    "are CR LF throughout": ["a\r\nb\r\nc\r\n", "a\r\nB\r\nC\r\nc\r\n"],
    "are LF throughout": ["a\nb\nc\n", "a\nB\nC\nc\n"],
    "are lone CR throughout": ["a\rb\rc\r", "a\rB\rC\rc\r"],
    "are mixed": ["a\r\nb\nc\rd\n", "a\r\nB\r\nC\r\nc\rd\n"],
    "lack the last": ["a\nb\nc", "a\nB\nC\nc\n"],
    "lack the last, after CR LF": ["a\r\nb\r\nc", "a\r\nB\r\nC\r\nc\r\n"],
  };
  for (const [how, [before, after]] of Object.entries(FILES)) {
    test(`that ${how} stay so around the change`, async (t) => {
      assert.deepEqual((await patched(t, { f: before }, PATCH)).tree, { f: after });
    });
  }
});

// The mark is text of the first line, as in the original: a patch that changes that line has to
// repeat it. Elsewhere it does not matter, and it is never dropped.
describe("PA-06: byte order marks", () => {
  test("of UTF-8 stay when other lines change", async (t) => {
    const cwd = await temporaryFolder(t);
    await fs.writeFile(join(cwd, "f"), "\ufeffa\nb\n");
    await patchedIn(cwd, patchOf("*** Update File: f", "-b", "+B"));
    assert.equal(await fs.readFile(join(cwd, "f"), "utf8"), "\ufeffa\nB\n");
  });

  test("of UTF-8 are part of the first line, and a patch without it is refused", async (t) => {
    const tree = { f: "\ufeffa\n" };
    const bare = await patched(t, tree, patchOf("*** Update File: f", "-a", "+A"));
    assert.equal(bare.failure, "Failed to find expected lines in CWD/f:\na");
    const marked = await patched(t, tree, patchOf("*** Update File: f", "-\ufeffa", "+\ufeffA"));
    assert.equal(marked.failure, null);
  });

  test("of UTF-16 lead to a refusal", async (t) => {
    for (const bytes of [Buffer.from("\ufeffa\n", "utf16le"), Buffer.from([0xfe, 0xff, 0, 0x61])]) {
      const cwd = await temporaryFolder(t);
      await fs.writeFile(join(cwd, "f"), bytes);
      const { failure } = await patchedIn(cwd, patchOf("*** Update File: f", "-a"));
      const reason = "invalid utf-8 sequence of 1 bytes from index 0";
      assert.equal(failure, `Failed to read file to update CWD/f: ${reason}`);
      assert.deepEqual(await fs.readFile(join(cwd, "f")), bytes);
    }
  });
});

test("PA-07: a file that is not UTF-8 is refused, and keeps every byte", async (t) => {
  const cwd = await temporaryFolder(t);
  const latin1 = Buffer.from("a\ncaf\u00e9\n", "latin1");
  await fs.writeFile(join(cwd, "f"), latin1);
  const { failure } = await patchedIn(cwd, patchOf("*** Update File: f", "-a", "+A"));
  const reason = "invalid utf-8 sequence of 1 bytes from index 5";
  assert.equal(failure, `Failed to read file to update CWD/f: ${reason}`);
  assert.deepEqual(await fs.readFile(join(cwd, "f")), latin1);
});

describe("PA-09: the line after @@", () => {
  const F = "def one():\n  x = 1\n  return x\ndef two():\n  x = 1\n  return x\n";

  test("says which of two equal places is meant", async (t) => {
    const patch = patchOf("*** Update File: f", "@@ def two():", "-  x = 1", "+  x = 2");
    const { tree } = await patched(t, { f: F }, patch);
    assert.deepEqual(tree, { f: F.replace(/x = 1(?![\s\S]*x = 1)/, "x = 2") });
  });

  test("must be in the file", async (t) => {
    const patch = patchOf("*** Update File: f", "@@ def three():", "-  x = 1");
    const { failure } = await patched(t, { f: F }, patch);
    assert.equal(failure, "Failed to find context 'def three():' in CWD/f");
  });

  // Lines to add without any to find go to the end of the file, as with the original.
  test("does not place lines that are only added", async (t) => {
    const patch = patchOf("*** Update File: f", "@@ def one():", "+# end");
    assert.deepEqual((await patched(t, { f: F }, patch)).tree, { f: `${F}# end\n` });
  });
});

// Links are followed as the original follows them: what they may reach is the sandbox's decision,
// made by the kernel for this very patch. Where no sandbox stands behind, they are refused, and a
// link that appears between check and write is met by the system call itself.
describe("PA-10: a path that leads outside by a link", () => {
  const TREE = { "../outside/f": "a\n", "l/leaf": "-> ../../outside/f", folder: "-> ../outside" };

  for (const path of ["l/leaf", "folder/f"]) {
    test(`is refused where links are not followed: ${path}`, async (t) => {
      const cwd = await temporaryFolder(t);
      await plant(cwd, TREE);
      const context = { ...contextIn(cwd), files: new NodeFiles("refuse") };
      const { text } = await runTool(patchOf(`*** Update File: ${path}`, "-a", "+b"), context);
      const reason = "Symbolic link loop (os error 40)";
      assert.equal(
        text,
        `apply_patch verification failed: Failed to read file to update ${cwd}/${path}: ${reason}`,
      );
      assert.deepEqual(await treeOf(`${cwd}/../outside`), { f: "a\n" });
    });
  }

  test("is refused when the link appears between check and write", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { ...TREE, "d/f": "a\n" });
    const files = new NodeFiles("refuse");
    const write = files.write.bind(files);
    files.write = async (...args) => {
      await fs.rename(join(cwd, "d"), join(cwd, "moved-away"));
      await fs.symlink("../outside", join(cwd, "d"));
      await write(...args);
    };
    const context = { ...contextIn(cwd), files };
    const { text } = await runTool(patchOf("*** Update File: d/f", "-a", "+b"), context);
    assert.match(text, /\nFailed to write file .*\/d\/f\n$/);
    assert.deepEqual(await treeOf(`${cwd}/../outside`), { f: "a\n" });
  });

  test("a hard link keeps its other name in step, unless the patch is atomic", async (t) => {
    const contents = [];
    for (const atomic of [false, true]) {
      const cwd = await temporaryFolder(t);
      await plant(cwd, { "../outside/f": "a\n" });
      await fs.link(join(cwd, "../outside/f"), join(cwd, "f"));
      const { tree } = await patchedIn(cwd, patchOf("*** Update File: f", "-a", "+b"), { atomic });
      contents.push({ ...tree, ...(await treeOf(`${cwd}/../outside`, "")), inside: tree.f });
    }
    assert.deepEqual(contents, [
      { f: "b\n", inside: "b\n" },
      { f: "a\n", inside: "b\n" },
    ]);
  });
});

describe("PA-11: the mode of a file", () => {
  const UPDATE = patchOf("*** Update File: f", "-a", "+b");
  const MOVE = patchOf("*** Update File: f", "*** Move to: g", "-a", "+b");

  async function moded(t: { after(fn: () => Promise<void>): void }, mode: number, tree: Tree = {}) {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { f: "a\n", ...tree });
    await fs.chmod(join(cwd, "f"), mode);
    return cwd;
  }

  async function modeOf(path: string): Promise<number> {
    return (await fs.stat(path)).mode & 0o7777;
  }

  for (const mode of [0o755, 0o600]) {
    test(`${mode.toString(8)} stays in an update and in a move`, async (t) => {
      for (const atomic of [false, true]) {
        const updated = await moded(t, mode);
        await patchedIn(updated, UPDATE, { atomic });
        const moved = await moded(t, mode);
        await patchedIn(moved, MOVE, { atomic });
        const modes = [await modeOf(join(updated, "f")), await modeOf(join(moved, "g"))];
        assert.deepEqual(modes, [mode, mode]);
      }
    });
  }

  test("of a moved script also replaces that of what it overwrites", async (t) => {
    const cwd = await moded(t, 0o700, { g: "old\n" });
    await patchedIn(cwd, MOVE);
    assert.equal(await modeOf(join(cwd, "g")), 0o700);
  });

  test("is lost by a move with the original's faults, which is told", async (t) => {
    const cwd = await moded(t, 0o755);
    const { changes } = await patchedIn(cwd, MOVE, { compat: true });
    assert.notEqual(await modeOf(join(cwd, "g")), 0o755);
    assert.deepEqual(changes[0]?.not_kept, ["mode"]);
  });

  test("loses setuid in a move, which is told", async (t) => {
    const cwd = await moded(t, 0o4755);
    const { changes } = await patchedIn(cwd, MOVE);
    assert.equal(await modeOf(join(cwd, "g")), 0o755);
    assert.deepEqual(changes[0]?.not_kept, ["setuid"]);
  });
});

// The format has no links, modes or binary hunks, and a patch in git's own format is refused whole.
describe("PA-12: a patch in git's format", () => {
  const GIT: Record<string, string> = {
    "that makes a link":
      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
    "that makes a submodule": "diff --git a/m b/m\nnew file mode 160000\n",
    "that renames": "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n",
    "with a binary hunk": "diff --git a/f b/f\nGIT binary patch\nliteral 1\nIcmZ\n",
  };
  for (const [what, patch] of Object.entries(GIT)) {
    test(`${what} is refused`, async (t) => {
      const cwd = await temporaryFolder(t);
      await plant(cwd, { f: "a\n" });
      const { stderr } = await runProgram({ args: [patch], stdin: noInput }, contextIn(cwd));
      assert.equal(
        stderr,
        "Invalid patch: The first line of the patch must be '*** Begin Patch'\n",
      );
      assert.deepEqual(await treeOf(cwd), { f: "a\n" });
    });
  }

  test("within an added file is only text", async (t) => {
    const patch = patchOf("*** Add File: l", "+new file mode 120000", "+/etc");
    assert.deepEqual((await patched(t, {}, patch)).tree, { l: "new file mode 120000\n/etc\n" });
  });
});

// A move needs a chunk, as with the original, and a chunk needs text: renaming anything else is a
// shell's work. A chunk of context alone moves a text with every byte of it.
describe("PA-13: a move without changes", () => {
  test("is refused without a chunk", async (t) => {
    const cwd = await temporaryFolder(t);
    const patch = patchOf("*** Update File: f", "*** Move to: g");
    const { stderr } = await runProgram({ args: [patch], stdin: noInput }, contextIn(cwd));
    const reason = "Update file hunk for path 'f' is empty";
    assert.equal(stderr, `Invalid patch hunk on line 2: ${reason}\n`);
  });

  test("keeps every byte of a text", async (t) => {
    const patch = patchOf("*** Update File: f", "*** Move to: g", " a");
    const text = "a\r\nb\n\rc \t\n\n";
    assert.deepEqual((await patched(t, { f: text }, patch)).tree, { g: text });
  });
});

// What follows `@@` is a line of the file, as with the original, numbers or not: a guess at what a
// model meant could change the wrong place, and the refusal tells it what was looked for.
test("PA-14: a numbered hunk header is looked for as a line", async (t) => {
  const patch = patchOf("*** Update File: f", "@@ -1,2 +1,2 @@ def x():", "-a", "+b");
  const numbered = await patched(t, { f: "a\n" }, patch);
  assert.equal(numbered.failure, "Failed to find context '-1,2 +1,2 @@ def x():' in CWD/f");
  const scope = patchOf("*** Update File: f", "@@ -- list", "-a", "+b");
  const minus = await patched(t, { f: "a\n-- list\na\n" }, scope);
  assert.deepEqual(minus.tree, { f: "a\n-- list\nb\n" });
});

async function noInput(): Promise<Buffer> {
  throw new Error("standard input was read");
}
