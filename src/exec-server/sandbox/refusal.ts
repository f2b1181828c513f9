/**
 * Why a sandbox cannot be had as asked. `foreign`: a path of another kind of machine. `needsCwd`: a
 * place relative to a folder that the request does not name. `unavailable`: a mechanism of another
 * system. `inexpressible`: narrower than anything that can be enforced here.
 */
export type RefusalKind = "foreign" | "needsCwd" | "unavailable" | "inexpressible";

/** A sandbox that is refused rather than loosened. */
export class SandboxRefusal extends Error {
  override readonly name = "SandboxRefusal";
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}
