"""Runs every attack, or those that work bare, and prints a line of JSON for each."""

import gc
import json
import sys

import carriers  # noqa: F401
import files  # noqa: F401
import kernel  # noqa: F401
import kit
import knobs  # noqa: F401
import processes  # noqa: F401
import protected  # noqa: F401
import secrets_of_others  # noqa: F401
import sockets  # noqa: F401


def verdict(each, facts, outcome, by):
    policy = facts["policy"]
    allowed = policy in each.works or f"{facts['placement']}: {policy}" in each.works
    if policy == "bare":
        allowed = True
    if allowed:
        return outcome == "worked"
    return outcome == "stopped" and by in each.stopped_by


def main():
    facts = json.loads(sys.argv[1])
    # Each attack is a fork: what nobody touches need not be copied.
    gc.freeze()
    attacks = [each for each in kit.ATTACKS if each.bare or facts["policy"] != "bare"]
    for each, (outcome, by, detail) in kit.run_all(attacks, facts):
        line = {
            "group": each.group,
            "title": each.title,
            "outcome": outcome,
            "by": by,
            "detail": detail,
            "as_it_should": verdict(each, facts, outcome, by),
        }
        print(json.dumps(line), flush=True)


main()
