import type { Shells } from "../tools/shell.ts";
import type { EnvironmentView } from "./view.ts";

/** The shells of the environment, whatever its image: bash where there is one, else sh. */
export function findShells(view: EnvironmentView): Shells {
  const find = (name: string) =>
    [`/bin/${name}`, `/usr/bin/${name}`, `/usr/local/bin/${name}`].find((path) =>
      exists(view, path),
    );
  const [sh = "/bin/sh", bash, zsh] = [find("sh"), find("bash"), find("zsh")];
  return {
    default: bash ?? sh,
    sh,
    ...(bash === undefined ? {} : { bash }),
    ...(zsh === undefined ? {} : { zsh }),
  };
}

function exists(view: EnvironmentView, path: string): boolean {
  try {
    view.follow(path);
    return true;
  } catch {
    return false;
  }
}
