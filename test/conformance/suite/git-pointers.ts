import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { launch, type Target } from "../../support/placement-target.ts";
import { writing } from "../../support/policies.ts";

/** Where `.git` files point, and what of that stays read-only. */
const POINTERS = {
  "a folder of its own root": "/workspace/main/.git/worktrees/one",
  "a folder of its own root, relatively": "main/.git/worktrees/one",
  "a folder of another root": "/tmp/main/.git/worktrees/one",
  "a folder behind a link": "/workspace/link/.git/worktrees/one",
} as const;

/** Every way of putting another git folder in the place of the one that is pointed to. */
const REPLACEMENTS = [
  "echo x > FOLDER/config",
  "mkdir FOLDER/hooks",
  "mv FOLDER FOLDER.old",
  "mv ABOVE/.git/worktrees ABOVE/.git/old",
  "mv ABOVE/.git ABOVE/old",
  "mv ABOVE ABOVE.old",
  "rm -rf ABOVE",
];

export function gitPointers(target: Target): void {
  describe("git pointer files", () => {
    for (const [what, pointer] of Object.entries(POINTERS)) {
      test(`PO-06: a .git file that points to ${what} is read-only, and so is that folder`, async () => {
        await using worktree = await launch(target);
        const above = pointer.startsWith("/tmp") ? "/tmp/main" : "/workspace/main";
        await worktree.sh(
          `mkdir -p ${above}/.git/worktrees/one; echo mine > ${above}/.git/worktrees/one/HEAD; ln -s main link`,
        );
        await worktree.put("/workspace", [{ name: ".git", content: `gitdir: ${pointer}\n` }]);
        const script = [...REPLACEMENTS, "echo x > .git", "mv .git git"]
          .map((attack) => `(${attack}) 2>&1 | tail -1 | grep -c -e Read-only -e busy`)
          .join("\n")
          .replaceAll("FOLDER", `${above}/.git/worktrees/one`)
          .replaceAll("ABOVE", above);
        const { stdout } = await worktree.sh(script);
        assert.equal(stdout, "1\n".repeat(REPLACEMENTS.length + 2));
        const kept = await worktree.sh(`cat ${above}/.git/worktrees/one/HEAD .git`);
        assert.equal(kept.stdout, `mine\ngitdir: ${pointer}\n`);
      });
    }

    test("a git folder that is itself a root stays writable, though a file points to it", async () => {
      const folder = "/workspace/main/.git/worktrees/one";
      await using worktree = await launch(target, { policy: writing("/workspace", folder) });
      await worktree.sh(`mkdir -p ${folder}`);
      await worktree.put("/workspace", [{ name: ".git", content: `gitdir: ${folder}\n` }]);
      const { output } = await worktree.sh(`echo x > ${folder}/index; cat ${folder}/index`);
      assert.equal(output, "x\n");
    });

    test("a pointer to nowhere, out of the roots, or of nonsense harms nobody", async () => {
      for (const content of [
        "gitdir: /nowhere\n",
        "gitdir: /etc\n",
        "gitdir: \n",
        "",
        "nonsense",
      ]) {
        await using worktree = await launch(target);
        await worktree.put("/workspace", [{ name: ".git", content }]);
        const { output } = await worktree.sh("(echo x > .git); echo y > file; cat file");
        assert.match(output, /\.git: Read-only file system\ny\n$/);
      }
    });

    test("what lies between a root and a root inside it cannot be renamed away", async () => {
      const policy = writing("/workspace", "/workspace/a/b/c");
      await using nested = await launch(target, { policy });
      await nested.sh("mkdir -p a/b/c");
      const { output } = await nested.sh(
        "mv a a2; mv a/b a/b2; mv a/b/c a/b/c2; mkdir a/b/c/.git; echo x > a/b/file && echo x > a/b/c/file",
      );
      assert.deepEqual(
        output
          .trim()
          .split("\n")
          .map((line) => line.split(": ").at(-1)),
        [...Array(3).fill("Device or resource busy"), "File exists"],
      );
    });
  });
}
