package io.rocketbufs.contract;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** An RIn that passes its callbacks to one {@link Received} for each buffer. */
final class Inbox implements AutoCloseable {
    private final RIn in;
    private final Map<Integer, Received> received = new ConcurrentHashMap<>();

    Inbox(Connection connection) {
        in = new RIn(connection);
        in.setDataInCallback((bufferId, data) -> received.get(bufferId).onData(data));
        in.setGapCallback((bufferId, position, lost) -> received.get(bufferId).onGap(position, lost));
        in.setBufferEndCallback((bufferId, failure) -> received.get(bufferId).onEnd(failure));
    }

    /** Returns a new receiver of a buffer's data, to be used for the next subscription. */
    Received of(int bufferId) {
        Received receiver = new Received(this, bufferId);
        received.put(bufferId, receiver);
        return receiver;
    }

    RIn in() {
        return in;
    }

    Connection connection() {
        return in.connection();
    }

    @Override
    public void close() {
        in.close();
    }
}
