"""The same deeds by other means: other programs, other loaders, what we were started with."""

import fcntl
import os
import shutil
import stat

from kit import ALWAYS, CLOSED, Stopped, attack, call, make_file, own_folder, run_program

GROUP = "carriers"
TARGET = "/etc/attack"


def spawn(argv, **options):
    ran = run_program(argv, **options)
    if os.path.exists(TARGET):
        return f"{argv} made {TARGET}"
    raise Stopped("refused" if ran.returncode != 0 else "did nothing")


def copy_of(facts, program):
    return shutil.copy(shutil.which(program, path="/usr/bin:/bin"), os.path.join(own_folder(facts), "innocent"))


def loader():
    folder = "/lib64" if os.path.isdir("/lib64") else "/lib"
    return next(
        os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith("ld-linux")
    )


@attack(GROUP, "write by a program under another name", {"refused"})
def renamed(facts):
    return spawn([copy_of(facts, "touch"), TARGET])


@attack(GROUP, "write by a script", {"refused"})
def script(facts):
    path = make_file(os.path.join(own_folder(facts), "script"), f"#!/bin/sh\n: > {TARGET}\n")
    os.chmod(path, 0o755)
    return spawn([path])


@attack(GROUP, "write by a program that the loader starts", {"refused"})
def by_loader(facts):
    path = copy_of(facts, "touch")
    os.chmod(path, 0o644)
    return spawn([loader(), path, TARGET])


@attack(GROUP, "write by a program that the toolbox's loader starts", {"refused", "ENOENT"})
def by_toolbox_loader(facts):
    folder = "/.outwork/bin/.lib/lib"
    own = next(name for name in os.listdir(folder) if name.startswith("ld-"))
    return spawn([os.path.join(folder, own), "--library-path", folder, copy_of(facts, "touch"), TARGET])


@attack(GROUP, "write by a program that is no file", {"refused"})
def by_memory(facts):
    memory = call("memfd_create", "touch", 0)
    os.write(memory, open(shutil.which("touch"), "rb").read())
    return spawn([f"/proc/self/fd/{memory}", TARGET], pass_fds=[memory])


@attack(GROUP, "write by the toolbox's own program for terminals", {"refused", "ENOENT"})
def by_setsid(facts):
    folder = "/.outwork/bin/.lib"
    own = next(name for name in os.listdir(f"{folder}/lib") if name.startswith("ld-"))
    program = f"{folder}/libexec/setsid"
    return spawn([f"{folder}/lib/{own}", "--library-path", f"{folder}/lib", program, "touch", TARGET])


for tool, argv in {
    "an editor": ["sed", "-i", "s/x/y/", "/etc/hosts"],
    "a copier": ["cp", "/etc/hosts", TARGET],
    "an archiver": ["tar", "-C", "/etc", "-xf", "/dev/null", "--overwrite", "hosts"],
    "a block copier": ["dd", "if=/dev/zero", f"of={TARGET}", "count=1"],
    "an installer": ["install", "-m", "777", "/etc/hosts", TARGET],
    "the git program": ["git", "init", TARGET],
}.items():

    @attack(GROUP, f"write by {tool}", {"refused"})
    def by_tool(facts, argv=argv):
        return spawn(argv, env={**os.environ, "LC_ALL": "C"})


@attack(GROUP, "make a sandbox of our own, with other mounts", {"refused", "not installed"})
def nested_sandbox(facts):
    if shutil.which("bwrap") is None:
        raise Stopped("not installed")
    return spawn(["bwrap", "--dev-bind", "/", "/", "touch", TARGET])


@attack(GROUP, "unshare by the system's own program", {"refused"})
def by_unshare(facts):
    return spawn(["unshare", "-Urm", "sh", "-c", f"mount -o remount,rw /etc; touch {TARGET}"])


@attack(GROUP, "enter the sandbox's init", {"refused"})
def by_nsenter(facts):
    return spawn(["nsenter", "-t", "1", "-a", "touch", TARGET])


@attack(GROUP, "find an open descriptor beyond the streams", {"streams only"}, bare=False)
def descriptors(facts):
    listing = os.open("/proc/self/fd", os.O_RDONLY)
    harmless, found = {"/dev/null"}, []
    for name in os.listdir(listing):
        number = int(name)
        try:
            leads = os.readlink(f"/proc/self/fd/{number}")
            # The pipe of this very attack, and its listing.
            own = leads.startswith("pipe:") or leads == f"/proc/{os.getpid()}/fd"
            if number > 2 and not own and leads not in harmless:
                found.append(leads)
        except OSError:
            continue
    if not found:
        raise Stopped("streams only")
    return found


@attack(GROUP, "find a folder behind a descriptor", {"none"})
def folder_descriptor(facts):
    for number in range(0, 256):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            return os.readlink(f"/proc/self/fd/{number}")
    raise Stopped("none")


@attack(GROUP, "block whoever reads our output", {"own end only"})
def nonblocking_output(facts):
    flags = fcntl.fcntl(1, fcntl.F_GETFL)
    fcntl.fcntl(1, fcntl.F_SETFL, flags & ~os.O_NONBLOCK)
    fcntl.fcntl(1, fcntl.F_SETFL, flags)
    # The agent's end is a socket of its own; that it still listens is checked outside.
    raise Stopped("own end only")


@attack(GROUP, "run ordinary programs", set(), ALWAYS)
def ordinary_programs(facts):
    script = "ls / >/dev/null && date >/dev/null && echo a | cat | sort && python3 -c 'print(1)'"
    ran = run_program(["/bin/sh", "-c", script])
    if ran.returncode != 0 or ran.stdout != "a\n1\n":
        raise OSError(5, ran.stderr)
    return "ran"


@attack(GROUP, "wake a thread, as event loops do", set(), ALWAYS)
def event_loop(facts):
    import asyncio

    async def elsewhere():
        return await asyncio.to_thread(lambda: "done")

    return asyncio.run(asyncio.wait_for(elsewhere(), 10))
