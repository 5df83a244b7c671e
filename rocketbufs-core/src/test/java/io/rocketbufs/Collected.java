package io.rocketbufs;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Collects what an RIn's callbacks bring, and consumes it at once unless told otherwise. */
final class Collected {
    private final RIn in;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<Long> transferLengths = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private long unconsumed;
    private boolean consuming = true;

    private Collected(RIn in) {
        this.in = in;
    }

    /** Takes over an RIn's callbacks. */
    public static Collected by(RIn in) {
        Collected received = new Collected(in);
        in.setDataInCallback(received::onData);
        in.setGapCallback((bufferId, position, lost) ->
                received.note("gap buffer=" + bufferId + " position=" + position + " lost=" + lost));
        in.setBufferEndCallback((bufferId, failure) ->
                received.note("end buffer=" + bufferId + (failure == null ? "" : " failure=" + failure)));
        return received;
    }

    private synchronized void onData(int bufferId, Segment data) {
        byte[] copy = new byte[(int) data.length()];
        data.get(0, copy, 0, copy.length);
        bytes.writeBytes(copy);
        transferLengths.add(data.length());
        if (consuming) {
            in.dataConsumed(bufferId, data.length());
        } else {
            unconsumed += data.length();
        }
    }

    private synchronized void note(String event) {
        events.add(event);
    }

    /** From now on data is kept in the buffer until {@link #consume}. */
    public synchronized Collected holding() {
        consuming = false;
        return this;
    }

    /** Consumes what was held, and from now on at once. */
    public synchronized void consume(int bufferId) {
        in.dataConsumed(bufferId, unconsumed);
        unconsumed = 0;
        consuming = true;
    }

    /** The RIn. */
    public RIn in() {
        return in;
    }

    /** All bytes so far. */
    public synchronized byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Number of bytes so far. */
    public synchronized int length() {
        return bytes.size();
    }

    /** Lengths of the transfers so far. */
    public synchronized List<Long> transferLengths() {
        return List.copyOf(transferLengths);
    }

    /** Gaps and ends so far. */
    public synchronized List<String> events() {
        return List.copyOf(events);
    }
}
