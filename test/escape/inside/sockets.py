"""The network, and services that listen on sockets."""

import os
import socket
import stat
import struct

from kit import ALWAYS, HIDDEN, ONLINE, Stopped, attack, call, entries_below, own_folder

GROUP = "sockets"
CUT = {"EPERM"}

# With the network on, the host's is in reach where there is no other, but never its Unix sockets.
EMBEDDED_ONLINE = frozenset(f"embedded: {policy}" for policy in ONLINE)
DOCKER_ONLINE = frozenset(f"docker: {policy}" for policy in ONLINE)


def unix(path, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, kind) as peer:
        peer.settimeout(3)
        peer.connect(path)
        return "connected"


@attack(GROUP, "connect to the agent's socket", CUT | HIDDEN)
def agent_socket(facts):
    return unix(facts["agent_socket"])


@attack(GROUP, "connect to the agent's socket where containers have it", CUT | HIDDEN)
def container_socket(facts):
    return unix("/.outwork/run/agent.sock")


@attack(GROUP, "connect to a socket of the host's temporary folder", CUT | HIDDEN, bare=True)
def host_socket(facts):
    return unix(facts["unix_socket"])


SERVICES = (
    "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock",
    "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/run/systemd/private",
    "/run/systemd/journal/stdout", "/run/snapd.socket", "/run/libvirt/libvirt-sock",
    "/run/crio/crio.sock", "/nix/var/nix/daemon-socket/socket", "/run/user/1000/bus",
    "/tmp/.X11-unix/X0", "/run/nscd/socket", "/run/acpid.socket", "/run/lxd.socket",
)

for service in SERVICES:

    @attack(GROUP, f"connect to {service}", CUT | HIDDEN, traceless=True)
    def connect_service(facts, service=service):
        return unix(service)


@attack(GROUP, "connect to any socket that there is in the tree", {"none answers"})
def any_socket(facts):
    for entry in entries_below("/"):
        try:
            if not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                if stat.S_ISSOCK(os.lstat(entry.path).st_mode):
                    return unix(entry.path), entry.path
        except OSError:
            continue
    raise Stopped("none answers")


@attack(GROUP, "connect to an abstract name of the host", CUT | {"ECONNREFUSED"}, bare=True)
def abstract_name(facts):
    return unix("\0" + facts["abstract"])


@attack(GROUP, "send a datagram to an abstract name of the host", CUT | {"ECONNREFUSED"})
def abstract_datagram(facts):
    left, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return left.sendmsg([b"x"], [], 0, "\0" + facts["abstract"])


@attack(GROUP, "send a datagram by an unconnected socket", CUT | HIDDEN | {"ECONNREFUSED"})
def unconnected_datagram(facts):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        return sender.sendmsg([b"x"], [], 0, facts["unix_socket"])


@attack(GROUP, "make a raw Unix socket, which is one for datagrams", CUT | {"ESOCKTNOSUPPORT"}, DOCKER_ONLINE)
def raw_unix(facts):
    return call("socket", socket.AF_UNIX, socket.SOCK_RAW, 0)


@attack(GROUP, "listen on a socket in a folder of our own", CUT, DOCKER_ONLINE)
def listen_unix(facts):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.join(own_folder(facts), "s"))
        server.listen()
        return "listening"


@attack(GROUP, "listen on an abstract name", CUT, DOCKER_ONLINE)
def listen_abstract(facts):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0attack-{os.getpid()}")
        return "bound"


@attack(GROUP, "talk over a pair of sockets, as programs do", CUT, ALWAYS)
def pair(facts):
    left, right = socket.socketpair()
    left.send(b"x")
    left.sendall(b"y")
    return right.recv(2)


@attack(GROUP, "connect to a service on the host's loopback", CUT | {"ECONNREFUSED"}, EMBEDDED_ONLINE, bare=True)
def loopback(facts):
    return socket.create_connection(("127.0.0.1", facts["tcp_port"]), 3)


@attack(GROUP, "connect to our own loopback", CUT, ONLINE)
def own_loopback(facts):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        return socket.create_connection(server.getsockname(), 3)


@attack(GROUP, "connect over IPv6", CUT | {"ECONNREFUSED", "EADDRNOTAVAIL", "ENETUNREACH"})
def loopback_6(facts):
    return socket.create_connection(("::1", facts["tcp_port"]), 3)


@attack(GROUP, "send a name to a name server", CUT, ONLINE)
def name_server(facts):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"\0" * 12, ("127.0.0.1", 53))


@attack(GROUP, "look up a name", {"gaierror", "EPERM", "EAI_AGAIN", "EAI_NONAME"})
def look_up(facts):
    try:
        return socket.getaddrinfo("secret.blocked.test", 80)
    except socket.gaierror as error:
        raise Stopped("gaierror") from error


FAMILIES = {
    "packet": (17, 3), "key management": (15, 3), "virtual machine": (40, 1), "kernel crypto": (38, 5),
    "Bluetooth": (31, 3), "CAN": (29, 3), "TIPC": (30, 1), "RDS": (21, 5), "KCM": (41, 5), "XDP": (44, 3),
    "Qualcomm": (42, 2), "NFC": (39, 1), "phone": (35, 2), "PPP": (24, 1), "LLC": (26, 1), "X.25": (9, 5),
    "AX.25": (3, 5), "AppleTalk": (5, 2), "infiniband": (27, 3), "SMC": (43, 1), "MCTP": (45, 2),
}

for family, (number, kind) in FAMILIES.items():

    @attack(GROUP, f"make a {family} socket", CUT, traceless=True)
    def make_socket(facts, number=number, kind=kind):
        return call("socket", number, kind, 0)


NETLINK = {"packet filter": 12, "audit": 9, "device events": 15, "socket diagnosis": 4, "crypto": 21, "xfrm": 6, "generic": 16}

for protocol, number in NETLINK.items():

    @attack(GROUP, f"make a netlink socket for {protocol}", CUT, traceless=True)
    def make_netlink(facts, number=number):
        return call("socket", 16, 3, number)


@attack(GROUP, "ask for addresses and routes", CUT, ONLINE)
def routes(facts):
    return call("socket", 16, 3, 0)


@attack(GROUP, "make a raw socket", CUT)
def raw(facts):
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


@attack(GROUP, "make a packet socket the old way", CUT | {"EINVAL", "ESOCKTNOSUPPORT"})
def old_packet(facts):
    return call("socket", 2, 10, 0x300)


@attack(GROUP, "see the host's listening sockets", {"own ones only"}, EMBEDDED_ONLINE)
def listening(facts):
    wanted = f":{facts['tcp_port']:04X} "
    if wanted not in open("/proc/net/tcp").read():
        raise Stopped("own ones only")
    return "listed"


@attack(GROUP, "set an address of an interface", {"EPERM"})
def set_address(facts):
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14s", b"lo", socket.AF_INET, b"\0\0" + socket.inet_aton("10.1.2.3"))
        return fcntl.ioctl(control, 0x8916, request)


# Engines give containers such ports, in their own network.
@attack(GROUP, "take a port below 1024", {"EPERM", "EACCES"}, DOCKER_ONLINE)
def low_port(facts):
    with socket.socket() as server:
        return server.bind(("127.0.0.1", 81))
