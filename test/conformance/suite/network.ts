import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { READ_ONLY, WORKSPACE_WRITE, withNetwork } from "../../support/policies.ts";

const ABSTRACT = "outwork-conformance";

function connectTo(port: number): string {
  return `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or die "refused\\n"; connect(S, sockaddr_in(${port}, inet_aton("127.0.0.1"))) or die "refused\\n"; print "connected\\n"'`;
}

const CONNECT_ABSTRACT = `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die "refused\\n"; connect(S, pack("Sa*", AF_UNIX, "\\0${ABSTRACT}")) or die "refused\\n"; print "connected\\n"'`;

/** Listens inside the environment, says its port, and lets whoever connects in. */
const LISTEN = `perl -MSocket -e '$| = 1; socket(S, PF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(0, inet_aton("127.0.0.1"))); listen(S, 9); my ($port) = sockaddr_in(getsockname(S)); print "$port\\n"; while (accept(C, S)) { close(C) }'`;

export function network(target: Target): void {
  describe("network", () => {
    const environment = useEnvironment(target);
    const server = createServer((socket) => socket.destroy());
    const abstract = createServer((socket) => socket.destroy());

    before(async () => {
      server.listen(0, "127.0.0.1");
      abstract.listen(`\0${ABSTRACT}`);
      await Promise.all([once(server, "listening"), once(abstract, "listening")]);
    });
    after(() => {
      server.close();
      abstract.close();
    });

    for (const policy of [WORKSPACE_WRITE, READ_ONLY]) {
      test(`NE-03: off under ${policy.preset} reaches no listener of this machine`, async () => {
        const { port } = server.address() as AddressInfo;
        const { stdout, stderr } = await environment().sh(
          `${connectTo(port)}; ${CONNECT_ABSTRACT}`,
          { policy },
        );
        assert.deepEqual({ stdout, stderr }, { stdout: "", stderr: "refused\nrefused\n" });
      });
    }

    test("NE-03: off has no interface but its own loopback, and no route", async () => {
      const { stdout } = await environment().sh(
        "grep -c : /proc/net/dev; tail -n +2 /proc/net/route; cat /proc/net/unix | tail -n +2 | grep -c .",
      );
      assert.deepEqual(stdout.trim().split("\n"), ["1", "0"]);
    });

    test("NE-03: off for one command is off beside another that has the network", async () => {
      await using open = await launch(target, { policy: withNetwork(WORKSPACE_WRITE) });
      const listening = await open.startSh(LISTEN);
      const port = Number(await open.firstLine(listening));
      const on = await open.sh(connectTo(port));
      const off = await open.sh(connectTo(port), { policy: WORKSPACE_WRITE });
      await open.terminate(listening);
      assert.deepEqual([on.output, off.output], ["connected\n", "refused\n"]);
    });
  });
}
