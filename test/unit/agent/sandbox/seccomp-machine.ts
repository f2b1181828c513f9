/** A system call as a filter sees it. Arguments are unsigned, of 64 bits. */
export interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly args?: readonly bigint[];
}

/** What the kernel does with a call. */
export type Verdict = "allow" | "kill" | `errno ${number}`;

const INSTRUCTION_BYTES = 8;

/**
 * Runs a classic BPF program on a call, as the kernel does.
 * @see linux/bpf_common.h, linux/seccomp.h
 */
export function judge(program: Uint8Array, call: Call): Verdict {
  const code = Buffer.from(program);
  const facts = factsOf(call);
  let accumulator = 0;
  for (let at = 0; ; at += 1) {
    const operation = code.readUInt16LE(at * INSTRUCTION_BYTES);
    const value = code.readUInt32LE(at * INSTRUCTION_BYTES + 4);
    const jump = (taken: boolean) => code.readUInt8(at * INSTRUCTION_BYTES + (taken ? 2 : 3));
    if (operation === 0x20) accumulator = facts.readUInt32LE(value);
    else if (operation === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (operation === 0x05) at += value;
    else if (operation === 0x15) at += jump(accumulator === value);
    else if (operation === 0x25) at += jump(accumulator > value);
    else if (operation === 0x35) at += jump(accumulator >= value);
    else if (operation === 0x45) at += jump((accumulator & value) !== 0);
    else if (operation === 0x06) return verdictOf(value);
    else throw new Error(`instruction ${at} is of no kind that filters have`);
  }
}

function factsOf({ number, architecture, args = [] }: Call): Buffer {
  const facts = Buffer.alloc(64);
  facts.writeUInt32LE(number, 0);
  facts.writeUInt32LE(architecture, 4);
  args.forEach((argument, index) => {
    facts.writeBigUInt64LE(argument, 16 + 8 * index);
  });
  return facts;
}

function verdictOf(value: number): Verdict {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill";
  return `errno ${value & 0xffff}`;
}
