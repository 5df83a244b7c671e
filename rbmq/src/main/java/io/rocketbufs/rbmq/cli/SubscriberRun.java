package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import java.time.Duration;

/**
 * One run of {@code sub}: the messages received, and the reason for the end of the run.
 *
 * <p><b>Thread-safety:</b> messages are received on one worker; all other calls may come from any thread.
 */
final class SubscriberRun implements SubscriberCallback {
    private static final long MILLI_NS = 1_000_000;

    private final Streams streams;
    private final ConnectionNotices notices;
    private final long wanted;
    private long takenCount;
    private long lostLength;
    private long skippedLength;
    private Runnable atEnd = () -> {};
    private boolean ended;
    private boolean readerGone;
    private boolean outputFailed;
    private String problem;
    private boolean isRefused;
    private long lastNs;

    SubscriberRun(Streams streams, long wanted) {
        this.streams = streams;
        this.notices = new ConnectionNotices(streams);
        this.wanted = wanted;
        this.ended = wanted == 0;
    }

    /** Returns true while the run accepts messages. */
    synchronized boolean takes() {
        return !ended;
    }

    /** Counts an accepted message. */
    synchronized void taken() {
        lastNs = System.nanoTime();
        takenCount++;
        if (takenCount == wanted) {
            stop();
        }
    }

    /** Sets the action that runs as soon as the run accepts no more messages. */
    synchronized void callAtEnd(Runnable action) {
        atEnd = action;
    }

    /** Ends the run gracefully. */
    synchronized void stop() {
        ended = true;
        atEnd.run();
        notifyAll();
    }

    /**
     * Ends the run because the output can no longer be written.
     *
     * @param hadReader true if the reader of the output has closed it, which is not a failure; false if writing failed
     */
    synchronized void outputFailed(boolean hadReader) {
        readerGone = hadReader;
        outputFailed = !hadReader;
        stop();
    }

    /** Ends the run because the connection has ended. */
    synchronized void connectionEnded(Throwable lost) {
        if (!ended) {
            problem = "the connection to the broker was lost" + (lost == null ? "" : ": " + lost.getMessage());
            isRefused = lost instanceof TransportException known && known.code() == TransportException.Code.REFUSED;
            stop();
        }
    }

    @Override
    public synchronized void onGap(Gap gap) {
        switch (gap.reason()) {
            case RECONNECTED ->
                streams.say("topic " + gap.topic() + ": missed "
                        + (gap.isKnown() ? gap.lostLength() + " bytes" : "an unknown number of bytes")
                        + " of publisher "
                        + gap.publisher() + " while the connection was lost");
            case PUBLISHER_LEFT ->
                streams.say("topic " + gap.topic()
                        + ": a publisher left while the connection was lost; it is not known what was missed");
            case OTHER_BROKER -> streams.say("topic " + gap.topic() + ": it is not known what was missed");
            default -> {
                if (skippedLength == 0) {
                    streams.say(
                            "this subscriber is too slow for topic " + gap.topic() + ": messages are being skipped");
                }
                skippedLength += gap.lostLength();
            }
        }
        lostLength += gap.isKnown() ? gap.lostLength() : 0;
    }

    @Override
    public void onDisconnected(TransportException cause, long nextAttemptMs) {
        notices.onDisconnected(cause, nextAttemptMs);
    }

    @Override
    public void onFallback(String former, String transport, String why) {
        notices.onFallback(former, transport, why);
    }

    @Override
    public void onReconnected(String broker, boolean isSame) {
        notices.onReconnected(broker, isSame);
    }

    @Override
    public void onError(String topic, int publisher, Throwable error) {
        boolean isOfAPublisher = publisher > 0;
        streams.say((isOfAPublisher ? "topic " + topic + ", publisher " + publisher + ": " : "") + error.getMessage());
    }

    /**
     * Waits for the end of the run.
     *
     * @param timeout time without a message after which the run ends; null for no timeout
     */
    synchronized void await(Duration timeout) throws InterruptedException {
        lastNs = Math.max(lastNs, System.nanoTime());
        while (!ended) {
            if (timeout == null) {
                wait();
                continue;
            }
            long leftMs = (timeout.toNanos() - (System.nanoTime() - lastNs)) / MILLI_NS;
            if (leftMs <= 0) {
                stop();
            } else {
                wait(leftMs);
            }
        }
    }

    /** Reports missing messages and returns the exit code. */
    synchronized int conclude() {
        if (problem != null) {
            streams.say(problem);
        }
        if (lostLength > 0) {
            streams.say(lostLength + " bytes were " + (skippedLength == lostLength ? "skipped" : "missed"));
        }
        if (outputFailed) {
            streams.say("standard output can no longer be written");
            return ExitCode.FAILED;
        }
        if (readerGone || takenCount == wanted) {
            return ExitCode.DONE;
        }
        if (problem != null) {
            return isRefused ? ExitCode.REFUSED : ExitCode.UNAVAILABLE;
        }
        if (wanted != Long.MAX_VALUE) {
            streams.say("only " + takenCount + " of " + wanted + " messages arrived");
            return ExitCode.FAILED;
        }
        return ExitCode.DONE;
    }
}
