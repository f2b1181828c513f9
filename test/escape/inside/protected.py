"""Protected names: a repository in the workspace, and names that are missing."""

import os
import shutil

from kit import ALWAYS, CLOSED, UNBOUND, WRITING, Stopped, attack, call, make_file, own_folder, run_program

BUSY = CLOSED | {"EBUSY"}
GROUP = "protected names"


def git(facts, *below):
    return os.path.join(facts["workspace"], ".git", *below)


@attack(GROUP, "read a repository, as everybody may", {"ENOENT"}, ALWAYS, bare=True)
def read_repository(facts):
    return open(git(facts, "HEAD")).read()


@attack(GROUP, "add to the repository's configuration", CLOSED, UNBOUND, bare=True)
def write_config(facts):
    return open(git(facts, "config"), "a").write("# more\n")


@attack(GROUP, "make a hook", CLOSED, UNBOUND, bare=True)
def make_hook(facts):
    return make_file(git(facts, "hooks", "pre-commit"), "#!/bin/sh\n")


@attack(GROUP, "make a hook through a link", CLOSED, UNBOUND)
def hook_through_link(facts):
    link = os.path.join(own_folder(facts), "hooks")
    os.symlink(git(facts, "hooks"), link)
    return make_file(os.path.join(link, "post-commit"))


@attack(GROUP, "make a hook below an open folder", CLOSED, UNBOUND)
def hook_below_descriptor(facts):
    hooks = os.open(git(facts, "hooks"), os.O_PATH | os.O_DIRECTORY)
    return os.open("pre-push", os.O_CREAT | os.O_WRONLY, 0o755, dir_fd=hooks)


@attack(GROUP, "make a hook through /proc/self/root", CLOSED, UNBOUND)
def hook_through_proc(facts):
    return make_file(f"/proc/self/root{git(facts, 'hooks', 'pre-rebase')}")


@attack(GROUP, "make a hook by a path that turns round", CLOSED, UNBOUND)
def hook_by_detour(facts):
    return make_file(git(facts, "..", "..", git(facts).lstrip("/"), ".", "hooks", "update"))


@attack(GROUP, "let a hook be executable", CLOSED, UNBOUND)
def chmod_hook(facts):
    return os.chmod(git(facts, "hooks", "sample"), 0o755)


@attack(GROUP, "overwrite what HEAD says", CLOSED, UNBOUND)
def overwrite_head(facts):
    return open(git(facts, "HEAD"), "r+").write("ref: refs/heads/other\n")


@attack(GROUP, "put a file in the place of the configuration", CLOSED | {"EXDEV"}, UNBOUND)
def replace_config(facts):
    other = make_file(os.path.join(own_folder(facts), "c"), "[core]\n\tbare = false\n")
    return os.replace(other, git(facts, "config"))


@attack(GROUP, "write the configuration through a hard link", CLOSED | {"EXDEV"}, UNBOUND)
def config_through_hard_link(facts):
    link = os.path.join(own_folder(facts), "config")
    os.link(git(facts, "config"), link)
    return open(link, "a").write("#")


@attack(GROUP, "link a file of our own in as a hook", CLOSED | {"EXDEV"}, UNBOUND)
def hook_by_hard_link(facts):
    os.link(make_file(os.path.join(own_folder(facts), "h")), git(facts, "hooks", "commit-msg"))
    return "linked"


@attack(GROUP, "commit", {"refused"}, UNBOUND)
def commit(facts):
    return run_git(facts, "commit", "--allow-empty", "-m", "x")


@attack(GROUP, "set the configuration with git", {"refused"}, UNBOUND)
def configure(facts):
    return run_git(facts, "config", "core.hooksPath", "/tmp")


def run_git(facts, *args):
    who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "safe.directory=*"]
    argv = ["git", *who, "-C", facts["workspace"], *args]
    ran = run_program(argv)
    if ran.returncode != 0:
        raise Stopped("refused")
    return ran.stdout


@attack(GROUP, "move the repository away", BUSY)
def move_repository(facts):
    os.rename(git(facts), git(facts) + "-old")
    os.rename(git(facts) + "-old", git(facts))
    if facts["policy"] in UNBOUND:
        raise OSError(16, "allowed, and undone")
    return "moved"


@attack(GROUP, "exchange the repository for a folder of our own", BUSY | {"EXDEV"})
def exchange_repository(facts):
    fake = own_folder(facts)
    call("renameat2", -100, fake, -100, git(facts), 2)
    call("renameat2", -100, fake, -100, git(facts), 2)
    if facts["policy"] in UNBOUND:
        raise OSError(16, "allowed, and undone")
    return "exchanged"


@attack(GROUP, "remove the repository", BUSY | {"ENOTEMPTY"})
def remove_repository(facts):
    return os.rmdir(git(facts))


@attack(GROUP, "remove what is in the repository", {"still there"})
def empty_repository(facts):
    if facts["policy"] not in UNBOUND:
        shutil.rmtree(git(facts), ignore_errors=True)
    if os.path.exists(git(facts, "HEAD")) and os.path.exists(git(facts, "config")):
        raise Stopped("still there")
    return "removed"


@attack(GROUP, "lock the folder that the repository is in, then change it", CLOSED)
def lock_and_change(facts):
    if facts["policy"] in UNBOUND:
        raise PermissionError(1, "nothing to gain")
    mode = os.stat(facts["workspace"]).st_mode & 0o7777
    os.chmod(facts["workspace"], 0o500)
    os.chmod(facts["workspace"], mode)
    return make_file(git(facts, "hooks", "applypatch-msg"))


@attack(GROUP, "change the repository's mode", CLOSED, UNBOUND)
def chmod_repository(facts):
    return os.chmod(git(facts), 0o777)


@attack(GROUP, "write a repository below, which only the policy of its own root protects", CLOSED, WRITING)
def nested_repository(facts):
    hooks = os.path.join(own_folder(facts), "nested", ".git", "hooks")
    os.makedirs(hooks)
    if not hooks.startswith(facts["workspace"]):
        raise PermissionError(13, "not in the workspace")
    return make_file(os.path.join(hooks, "pre-commit"))


@attack(GROUP, "write a file whose name only begins like a protected one", CLOSED, WRITING)
def similar_name(facts):
    return make_file(os.path.join(facts["workspace"], ".gitignore"))


for name in (".codex", ".agents", ".aws"):

    @attack(GROUP, f"make {name}, which is missing", CLOSED | {"EEXIST"}, UNBOUND, bare=True)
    def make_missing(facts, name=name):
        os.mkdir(os.path.join(facts["workspace"], name))
        return os.rmdir(os.path.join(facts["workspace"], name))

    @attack(GROUP, f"write into what stands for {name}", CLOSED | {"ENOENT"})
    def write_stand_in(facts, name=name):
        return make_file(os.path.join(facts["workspace"], name, "config"))

    @attack(GROUP, f"take away what stands for {name}", BUSY | {"ENOENT"})
    def remove_stand_in(facts, name=name):
        return os.rmdir(os.path.join(facts["workspace"], name))

    @attack(GROUP, f"move away what stands for {name}", BUSY | {"ENOENT"})
    def move_stand_in(facts, name=name):
        return os.rename(os.path.join(facts["workspace"], name), os.path.join(facts["workspace"], "moved"))


@attack(GROUP, "make a repository where the second root has none", CLOSED | {"EEXIST"}, UNBOUND)
def second_root(facts):
    os.mkdir("/tmp/.git")
    return os.rmdir("/tmp/.git")


@attack(GROUP, "open up what stands for a missing name", CLOSED | {"ENOENT"})
def chmod_stand_in(facts):
    return os.chmod("/tmp/.git", 0o777)


@attack(GROUP, "put a link where a protected name is missing", CLOSED | {"EEXIST"}, UNBOUND)
def link_as_missing(facts):
    os.symlink("/tmp", os.path.join(facts["workspace"], ".aws"))
    return os.unlink(os.path.join(facts["workspace"], ".aws"))
