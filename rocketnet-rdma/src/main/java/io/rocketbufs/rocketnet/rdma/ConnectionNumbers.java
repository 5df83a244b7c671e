package io.rocketbufs.rocketnet.rdma;

import java.util.Arrays;

/**
 * The connections of a NIC, indexed by their numbers, which start at 1 and are part of their {@link Contexts}.
 *
 * <p>A freed number is reused only after all other free numbers have been assigned, because a queue may still contain
 * completions of the number's previous connection.
 *
 * <p><b>Thread-safety:</b> belongs to the monitor's thread.
 */
final class ConnectionNumbers {
    private static final int INITIAL_LENGTH = 64;

    private final int max;
    private RdmaMember[] members = new RdmaMember[INITIAL_LENGTH];
    private int last;
    private int count;

    ConnectionNumbers(int max) {
        this.max = max;
    }

    /** Assigns a free number to a connection. Returns the new member, or null if all numbers are in use. */
    RdmaMember take(CompletionTarget target, CompletionSink worker) {
        if (count == max) {
            return null;
        }
        do {
            last = last == max ? 1 : last + 1;
        } while (get(last) != null);
        if (last >= members.length) {
            members = Arrays.copyOf(members, 2 * members.length);
        }
        members[last] = new RdmaMember(last, target, worker);
        count++;
        return members[last];
    }

    /** Returns the member with this number, or null if the number is free. */
    RdmaMember get(int number) {
        return number < members.length ? members[number] : null;
    }

    /** Frees a member's number. */
    void giveBack(RdmaMember member) {
        if (get(member.number()) == member) {
            members[member.number()] = null;
            count--;
        }
    }

    /** Returns how many numbers are in use. */
    int count() {
        return count;
    }
}
