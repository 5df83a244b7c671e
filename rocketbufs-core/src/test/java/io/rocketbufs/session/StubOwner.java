package io.rocketbufs.session;

import io.rocketbufs.link.Heartbeat;
import java.nio.ByteBuffer;

/** An owner of sessions that ignores each event that a test does not override. */
public interface StubOwner extends SessionOwner {
    /** Settings for the session. */
    SessionSettings SETTINGS = settings(64 << 20);

    /** Returns the settings for a session whose input buffers may have this many bytes together. */
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
