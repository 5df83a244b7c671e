package io.rocketbufs.rbmq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The timer slack, which is the delay with which Linux may wake a thread after the requested time. The default of 50 µs
 * is a large part of a round trip.
 */
public final class TimerSlack {
    private TimerSlack() {}

    /**
     * Sets the minimum slack for this thread and the threads that it starts afterwards.
     *
     * @return false if the slack cannot be set, in which case messages are sent late
     */
    public static boolean shorten() {
        try {
            Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
            Files.writeString(Path.of("/proc").resolve(thread).resolve("timerslack_ns"), "1");
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
