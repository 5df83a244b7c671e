package io.rocketbufs.rbmq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much later than asked for Linux wakes a thread: 50 us unless told otherwise, which is much of a round trip. */
public final class TimerSlack {
    private TimerSlack() {}

    /**
     * Asks for the least slack, for this thread and those that it starts from now on.
     *
     * @return false where that is not possible; then messages go later
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
