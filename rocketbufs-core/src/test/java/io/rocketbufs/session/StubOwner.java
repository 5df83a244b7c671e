package io.rocketbufs.session;

import io.rocketbufs.link.Heartbeat;
import java.nio.ByteBuffer;

/** An owner of sessions that ignores every event whose method a test does not override. */
public interface StubOwner extends SessionOwner {
    /** The settings of the session. */
    SessionSettings SETTINGS = settings(64 << 20);

    /** Returns the settings of a session with the given credit for the connection as a whole, in bytes. */
    static SessionSettings settings(long credit) {
        return new SessionSettings(new Heartbeat.Times(1000, 3000, 1000), 1000, 500, credit);
    }

    @Override
    default void greeted(int role, byte[] greeting) {}

    @Override
    default void control(ByteBuffer message) {}

    @Override
    default void closed(Throwable failure) {}
}
