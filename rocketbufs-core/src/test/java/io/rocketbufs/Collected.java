package io.rocketbufs;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** A collector of the events reported to an RIn's callbacks. By default, it consumes data immediately. */
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

    /** Sets all callbacks of an RIn, and returns the collector of their events. */
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

    /** Retains data that arrives after this call in the buffer until {@link #consume} is called. */
    public synchronized Collected holding() {
        consuming = false;
        return this;
    }

    /** Consumes the retained data. Data that arrives after this call is consumed immediately. */
    public synchronized void consume(int bufferId) {
        in.dataConsumed(bufferId, unconsumed);
        unconsumed = 0;
        consuming = true;
    }

    /** Returns the RIn. */
    public RIn in() {
        return in;
    }

    /** Returns all bytes received so far. */
    public synchronized byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Returns the number of bytes received so far. */
    public synchronized int length() {
        return bytes.size();
    }

    /** Returns the lengths of the transfers received so far. */
    public synchronized List<Long> transferLengths() {
        return List.copyOf(transferLengths);
    }

    /** Returns the gaps and ends reported so far. */
    public synchronized List<String> events() {
        return List.copyOf(events);
    }
}
