package io.rocketbufs.rocketnet.tcp;

import static io.netty.channel.epoll.EpollIoOps.EPOLLIN;
import static io.netty.channel.epoll.EpollIoOps.EPOLLOUT;

import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoOps;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;

/**
 * Netty's table of events that it need not make.
 *
 * <p>The table has an event for each single condition; for one that combines several, Netty makes two objects, 32
 * bytes, each time. A connection under back-pressure waits for both directions, and the peer's credit often comes
 * together with space to write, so that case is no exception. The table is private, and without its new entry all works
 * as before but for those objects. So where it is not as expected, it stays as it is.
 */
final class EpollEventTable {
    private static final EpollIoOps BOTH_DIRECTIONS = EPOLLIN.with(EPOLLOUT);
    private static final EpollIoEvent EVENT = () -> BOTH_DIRECTIONS;

    private EpollEventTable() {}

    /** Adds the event of both directions to the table; false when there is no such table. */
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
