package io.rocketbufs.rocketnet.shm;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * The rule that determines which processes may be connected: processes of the same user, and processes in the
 * configured group. The kernel guarantees a peer's identity as of the time when the peer connected or started
 * listening.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class ShmPeers {
    private static final int SO_PEERCRED = 17;
    private static final int SO_PEERGROUPS = 59;
    private static final int MAX_GROUPS = 65536;
    // struct ucred
    private static final int UID = 4;
    private static final int GID = 8;
    private static final int UCRED_LENGTH = 12;
    // struct group
    private static final int GROUP_ID = 16;
    private static final int NO_GROUP = -1;
    private static final long NO_GROUP_UNSIGNED = Integer.toUnsignedLong(NO_GROUP);

    private final int user;
    private final int group;
    private final String groupName;

    /**
     * Creates the rule for the user of this process.
     *
     * @param groupName name or number of the group; empty if only processes of the same user may connect
     * @throws IllegalArgumentException if there is no such group
     */
    ShmPeers(String groupName) {
        this(currentUser(), groupName);
    }

    /** Creates the rule for a user. */
    ShmPeers(int user, String groupName) {
        this.user = user;
        this.groupName = groupName;
        group = groupName.isEmpty() ? NO_GROUP : groupId(groupName);
    }

    /** Returns the id of this process's effective user. */
    static int currentUser() {
        return (int) ShmCalls.of("geteuid").call();
    }

    private static int groupId(String name) {
        if (name.matches("[0-9]{1,10}") && Long.parseLong(name) < NO_GROUP_UNSIGNED) {
            return Integer.parseUnsignedInt(name);
        }
        ByteBuffer text = ShmCalls.string(name);
        long found = ShmCalls.of("getgrnam").call(ShmCalls.address(text));
        Reference.reachabilityFence(text);
        if (found == 0) {
            throw new IllegalArgumentException("there is no group \"" + name + "\" on this machine");
        }
        return ShmCalls.intAt(found + GROUP_ID);
    }

    /** Returns whether members of a group may connect. */
    boolean hasGroup() {
        return group != NO_GROUP;
    }

    int group() {
        return group;
    }

    /** Returns the reason and the remedy if the peer must not be connected, or null if it may be connected. */
    String refusal(ShmSocket socket) throws ShmException {
        ByteBuffer credentials = ShmCalls.block(UCRED_LENGTH);
        socket.option(SO_PEERCRED, credentials);
        int peer = credentials.getInt(UID);
        if (peer == user || hasGroup() && (credentials.getInt(GID) == group || isMember(socket))) {
            return null;
        }
        String needed = hasGroup()
                ? "is not in the group rocketbufs.shm.group = " + groupName
                : "set rocketbufs.shm.group and rocketbufs.shm.directory on both sides, or use the same user";
        return "user " + Integer.toUnsignedString(peer) + " may not connect to user " + Integer.toUnsignedString(user)
                + (hasGroup() ? ": user " + Integer.toUnsignedString(peer) + " " : "; ") + needed;
    }

    private boolean isMember(ShmSocket socket) throws ShmException {
        ByteBuffer groups = ShmCalls.block(MAX_GROUPS * Integer.BYTES);
        int count = socket.option(SO_PEERGROUPS, groups) / Integer.BYTES;
        for (int i = 0; i < count; i++) {
            if (groups.getInt(i * Integer.BYTES) == group) {
                return true;
            }
        }
        return false;
    }
}
