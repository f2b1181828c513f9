"""What is not for commands to read: the host's files, other environments, the service's own."""

import os

from kit import CLOSED, HIDDEN, Stopped, attack, run_program

GROUP = "secrets"
SHUT = CLOSED | HIDDEN


@attack(GROUP, "read a file of the host's temporary folder", SHUT, bare=True)
def host_file(facts):
    return open(facts["secret"]).read()


@attack(GROUP, "read a file of another environment", SHUT)
def other_environment(facts):
    return open(os.path.join(facts["other_folder"], "workspace", "secret")).read()


@attack(GROUP, "read a file of another environment, from our own workspace on", SHUT)
def other_by_climbing(facts):
    path = os.path.join(facts["workspace"], *[".."] * 3, "other", "workspace", "secret")
    return open(path).read()


@attack(GROUP, "list the service's state", SHUT | {"not the state"})
def list_state(facts):
    names = os.listdir(facts["state_folder"])
    if "environments" not in names:
        raise Stopped("not the state")
    return names


@attack(GROUP, "read the agent's configuration", SHUT)
def agent_configuration(facts):
    return open(os.path.join(os.path.dirname(facts["agent_socket"]), "agent.json")).read()


@attack(GROUP, "find a trace of the agent's folder", SHUT | {"bin only"})
def agent_folder(facts):
    names = os.listdir("/.outwork")
    if names == ["bin"]:
        raise Stopped("bin only")
    return names


@attack(GROUP, "read the hashes of passwords", SHUT)
def shadow(facts):
    return open("/etc/shadow").read()


@attack(GROUP, "read a private key of the system", SHUT | {"none"})
def private_keys(facts):
    found = []
    for folder in ("/etc/ssl/private", "/etc/ssh", "/etc/sudoers.d", "/etc/NetworkManager", "/etc/wireguard"):
        for top, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(top, name)
                if name.endswith(".pub") or "config" in name or name in ("moduli", "README"):
                    continue
                try:
                    found.append((path, open(path, "rb").read(16)))
                except OSError:
                    pass
    if not found:
        raise Stopped("none")
    return found[:3]


for folder in ("/root", "/var/lib", "/var/log", "/run", "/srv", "/mnt", "/media", "/boot", "/home/other"):

    @attack(GROUP, f"list {folder} of the host", SHUT | {"empty", "the container's own"})
    def list_folder(facts, folder=folder):
        names = os.listdir(folder)
        if not names:
            raise Stopped("empty")
        if facts["placement"] == "docker":
            raise Stopped("the container's own")
        return names


@attack(GROUP, "see the homes of other people", {"own one only", "the container's own"})
def homes(facts):
    names = os.listdir("/home")
    if facts["placement"] == "docker":
        raise Stopped("the container's own")
    if names == ["outwork"]:
        raise Stopped("own one only")
    return names


@attack(GROUP, "find the marker of the agent's surroundings in any process", {"nowhere"})
def environments_of_others(facts):
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if "".join(facts["marker"]).encode() in open(f"/proc/{name}/environ", "rb").read():
                    return name
            except OSError:
                continue
    raise Stopped("nowhere")


@attack(GROUP, "find the marker of the agent's surroundings in our own variables", {"nowhere"})
def own_variables(facts):
    if "".join(facts["marker"]) in str(dict(os.environ)):
        return dict(os.environ)
    raise Stopped("nowhere")


@attack(GROUP, "read the disk past the file system", SHUT)
def raw_disk(facts):
    device = os.stat(facts["workspace"]).st_dev
    return open(f"/dev/block/{os.major(device)}:{os.minor(device)}", "rb").read(16)


@attack(GROUP, "search the tree for the secret", {"nowhere"})
def search(facts):
    argv = ["grep", "-rlsF", "--devices=skip", "".join(facts["secret_text"]), "/"]
    skip = ["--exclude-dir=proc", "--exclude-dir=sys", "--exclude-dir=usr", "--exclude-dir=opt", "--exclude-dir=nix"]
    found = run_program([argv[0], *skip, *argv[1:]]).stdout
    if not found:
        raise Stopped("nowhere")
    return found


@attack(GROUP, "learn the control group that the host has us in", {"the root"})
def control_group(facts):
    groups = [line.rstrip().split(":", 2)[2] for line in open("/proc/self/cgroup")]
    if all(group == "/" for group in groups):
        raise Stopped("the root")
    return groups
