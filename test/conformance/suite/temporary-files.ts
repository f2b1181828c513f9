import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EffectivePolicy } from "../../../src/contract/policy.ts";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { READ_ONLY, WORKSPACE_WRITE, writing } from "../../support/policies.ts";

const LEVELS: Readonly<Record<string, EffectivePolicy>> = {
  "read-only": READ_ONLY,
  "workspace-write": WORKSPACE_WRITE,
  "workspace-write without /tmp": writing("/workspace"),
};

/** Everything that programs do with temporary files; what is not installed is left out. */
const USES = `
set -e
file=$(mktemp); echo mktemp > "$file"; cat "$file"; rm "$file"
folder=$(mktemp -d); rmdir "$folder"
if command -v bash > /dev/null; then bash -c 'cat <<END
heredoc
END
big=$(printf %70000s); cat <<END | wc -c
$big
END'
fi
if command -v python3 > /dev/null; then
  python3 -c 'import tempfile; print(tempfile.TemporaryFile().write(b"12345"))'
fi
if command -v perl > /dev/null; then
  perl -e 'open(my $file, "+>", undef) or die $!; print "perl\\n"'
fi
seq 200000 -1 1 | sort -S 100k -n | head -1`;

export function temporaryFiles(target: Target): void {
  describe("temporary files", () => {
    const environment = useEnvironment(target);

    for (const [level, policy] of Object.entries(LEVELS)) {
      test(`PO-16: can be made under ${level}`, async () => {
        const { stdout, stderr, exitCode } = await environment().sh(USES, { policy });
        assert.deepEqual({ stderr, exitCode }, { stderr: "", exitCode: 0 });
        assert.match(stdout, /^mktemp\n/);
        assert.match(stdout, /\n1\n$/);
      });
    }

    test("PO-16: a caller's own TMPDIR is used where the policy lets it be written", async () => {
      await environment().sh("mkdir -p /workspace/tmp");
      const variables = { TMPDIR: "/workspace/tmp" };
      const { stdout } = await environment().sh("mktemp", { variables });
      assert.match(stdout, /^\/workspace\/tmp\//);
    });

    test("PO-16: an environment's TMPDIR is not used where the policy makes it read-only", async () => {
      await using own = await launch(target, { variables: { TMPDIR: "/workspace" } });
      const { stdout, exitCode } = await own.sh('file=$(mktemp) && dirname "$file"', {
        policy: READ_ONLY,
      });
      assert.deepEqual({ stdout, exitCode }, { stdout: "/dev/shm\n", exitCode: 0 });
    });

    test("PO-16: of a read-only command nothing stays", async () => {
      await environment().sh("mktemp; mktemp -d", { policy: READ_ONLY });
      const { stdout } = await environment().sh('ls -A "$TMPDIR"', { policy: READ_ONLY });
      assert.equal(stdout, "");
    });
  });
}
