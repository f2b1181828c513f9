/** A place in a program, reached by jumps from further up. */
export type Label = string;

/** How a jump compares the loaded value with its own. */
export type Comparison = "equal" | "at-least" | "more-than" | "any-bit-of";

/** One instruction of classic BPF, jumps by name. */
export type Instruction =
  | { readonly kind: "label"; readonly label: Label }
  | { readonly kind: "load"; readonly offset: number }
  | { readonly kind: "and"; readonly mask: number }
  | {
      readonly kind: "jump";
      readonly when: Comparison;
      readonly value: number;
      /** Where to go on; null: with the next instruction. */
      readonly yes: Label | null;
      readonly no: Label | null;
    }
  | { readonly kind: "go"; readonly to: Label }
  | { readonly kind: "return"; readonly value: number };

type Jump = Extract<Instruction, { kind: "jump" }>;
type Real = Exclude<Instruction, { kind: "label" }>;

/** @see linux/bpf_common.h */
const LOAD_WORD = 0x20;
const AND_VALUE = 0x54;
const GO = 0x05;
const RETURN_VALUE = 0x06;
const JUMPS = { equal: 0x15, "more-than": 0x25, "at-least": 0x35, "any-bit-of": 0x45 } as const;

const INSTRUCTION_BYTES = 8;
/** Jumps are relative and have one byte. */
const MAX_JUMP = 255;

/** The program as the kernel takes it: an array of `struct sock_filter`, little-endian. */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const { instructions, places } = placeLabels(program);
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
  instructions.forEach((instruction, index) => {
    const [code, value, yes, no] = encode(instruction, index, places);
    const offset = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, offset);
    bytes.writeUInt8(yes, offset + 2);
    bytes.writeUInt8(no, offset + 3);
    bytes.writeUInt32LE(value, offset + 4);
  });
  return bytes;
}

function placeLabels(program: readonly Instruction[]) {
  const instructions: Real[] = [];
  const places = new Map<Label, number>();
  for (const instruction of program) {
    if (instruction.kind === "label") places.set(instruction.label, instructions.length);
    else instructions.push(instruction);
  }
  return { instructions, places };
}

function encode(
  instruction: Real,
  index: number,
  places: ReadonlyMap<Label, number>,
): readonly [code: number, value: number, yes: number, no: number] {
  switch (instruction.kind) {
    case "load":
      return [LOAD_WORD, instruction.offset, 0, 0];
    case "and":
      return [AND_VALUE, instruction.mask, 0, 0];
    case "return":
      return [RETURN_VALUE, instruction.value, 0, 0];
    case "go":
      return [GO, distance(instruction.to, index, places), 0, 0];
    case "jump":
      return encodeJump(instruction, (label) => distance(label, index, places));
  }
}

function encodeJump(jump: Jump, distanceTo: (label: Label | null) => number) {
  const { when, value } = jump;
  return [JUMPS[when], value, distanceTo(jump.yes), distanceTo(jump.no)] as const;
}

function distance(label: Label | null, index: number, places: ReadonlyMap<Label, number>): number {
  if (label === null) return 0;
  const jump = (places.get(label) ?? Number.NaN) - index - 1;
  if (jump >= 0 && jump <= MAX_JUMP) return jump;
  throw new RangeError(`no jump of one byte leads to ${label}`);
}
