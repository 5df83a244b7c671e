package io.rocketbufs.rbmq.bench;

/**
 * How the publishers of a benchmark, or its subscribers, are shared among processes: each has one of its own, up to 8
 * processes.
 */
public final class RoleProcesses {
    private static final int MAX_COUNT = 8;

    private RoleProcesses() {}

    /** Number of processes for that many members. */
    public static int count(int members) {
        return Math.min(MAX_COUNT, members);
    }

    /** Members of process {@code i}, where all are shared as evenly as possible. */
    public static int share(int members, int i) {
        return members / count(members) + (i < members % count(members) ? 1 : 0);
    }
}
