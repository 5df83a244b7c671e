package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;

/**
 * A word to which the test writes.
 *
 * <p><b>Thread-safety:</b> none.
 */
public final class StubWord implements LentWord {
    private final RemoteAccess access;
    private long value;
    private boolean takenBack;

    StubWord(int number) {
        access = new RemoteAccess(number, number);
    }

    /** Simulates a write by the peer. */
    public void write(long position) {
        value = position;
    }

    /** Returns true after {@link #takeBack}. */
    public boolean isTakenBack() {
        return takenBack;
    }

    @Override
    public RemoteAccess access() {
        return access;
    }

    @Override
    public long value() {
        return value;
    }

    @Override
    public void takeBack() {
        if (takenBack) {
            throw new AssertionError("taken back twice");
        }
        takenBack = true;
    }
}
