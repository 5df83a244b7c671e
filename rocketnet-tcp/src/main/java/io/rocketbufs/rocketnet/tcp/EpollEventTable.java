package io.rocketbufs.rocketnet.tcp;

import static io.netty.channel.epoll.EpollIoOps.EPOLLIN;
import static io.netty.channel.epoll.EpollIoOps.EPOLLOUT;

import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoOps;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;

/**
 * An extension of Netty's table of preallocated events.
 *
 * <p>The table contains only events with a single condition. For a combination of conditions, Netty allocates two
 * objects (32 bytes) each time. That case is common: a connection under back-pressure waits for both directions, and
 * the peer's credit often arrives together with space to write. The table is private to Netty. If another version of
 * Netty has a different table, this class leaves that table unchanged, and Netty allocates as before.
 */
final class EpollEventTable {
    private static final EpollIoOps BOTH_DIRECTIONS = EPOLLIN.with(EPOLLOUT);
    private static final EpollIoEvent EVENT = () -> BOTH_DIRECTIONS;

    private EpollEventTable() {}

    /** Adds the event for both directions to the table. Returns false if there is no such table. */
    static boolean complete() {
        try {
            Field field = EpollIoOps.class.getDeclaredField("EVENTS");
            field.setAccessible(true);
            if (field.get(null) instanceof EpollIoEvent[] table && BOTH_DIRECTIONS.value() < table.length) {
                table[BOTH_DIRECTIONS.value()] = EVENT;
                return true;
            }
            return false;
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            return false;
        }
    }
}
