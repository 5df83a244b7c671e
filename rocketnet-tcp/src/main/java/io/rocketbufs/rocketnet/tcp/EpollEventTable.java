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
 * <p>Netty's table contains only events with a single condition. For each event that combines conditions, Netty
 * allocates two objects (32 bytes). That case is common: a connection under back-pressure waits for both directions,
 * and the peer's credit often arrives together with space to write. The table is private to Netty. If a future version
 * of Netty uses a different table, this class leaves it unchanged, and Netty continues to allocate.
 */
final class EpollEventTable {
    private static final EpollIoOps BOTH_DIRECTIONS = EPOLLIN.with(EPOLLOUT);
    private static final EpollIoEvent EVENT = () -> BOTH_DIRECTIONS;

    private EpollEventTable() {}

    /**
     * Adds the event for both directions to the table. Returns false if this version of Netty does not have the
     * expected table.
     */
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
