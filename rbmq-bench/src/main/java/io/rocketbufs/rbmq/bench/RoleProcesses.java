package io.rocketbufs.rbmq.bench;

/**
 * The distribution of a benchmark's publishers or subscribers among processes. Up to 8 members have one process each;
 * more members share 8 processes.
 */
public final class RoleProcesses {
    private static final int MAX_COUNT = 8;

    private RoleProcesses() {}

    /** Returns the number of processes for the given number of members. */
    public static int count(int members) {
        return Math.min(MAX_COUNT, members);
    }

    /** Returns the number of members in process {@code i}, distributed as evenly as possible. */
    public static int share(int members, int i) {
        return members / count(members) + (i < members % count(members) ? 1 : 0);
    }
}
