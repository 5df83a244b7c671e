package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The messages that {@code pub} publishes, and their outcome.
 *
 * <p><b>Thread-safety:</b> one thread publishes and then finishes the run. If a signal arrives before that, the thread
 * that handles the signal finishes the run. Only the first call that finishes the run has an effect.
 */
final class Publication {
    private static final Duration TIMEOUT_AT_SIGNAL = Duration.ofSeconds(5);
    private static final long STEP_MS = 500;

    private final Publisher publisher;
    private final TopicPublisher topic;
    private final PublishBatch batch;
    private final Headers headers;
    private final Streams streams;
    private final Duration timeout;
    private final RateLimit rate;
    private volatile boolean finishing;
    private volatile Problem problem;
    private boolean finished;
    private int exitCode;

    /** The reason why not all messages were published, with its exit code. */
    private record Problem(int exitCode, String text) {}

    /**
     * Creates a run that has not published any messages.
     *
     * @param headers the headers of each message; the run does not modify them
     */
    Publication(
            Publisher publisher,
            TopicPublisher topic,
            Headers headers,
            Streams streams,
            Duration timeout,
            RateLimit rate) {
        this.publisher = publisher;
        this.topic = topic;
        this.batch = topic.batch();
        this.headers = headers;
        this.streams = streams;
        this.timeout = timeout;
        this.rate = rate;
    }

    /** Returns the maximum length of a message in bytes; negative if the headers alone are too long. */
    int longestMessage() {
        return topic.longestMessage() - headers.encodedLength();
    }

    /** Publishes a message, waiting for space if necessary. Returns false if no more messages may be published. */
    boolean publish(byte[] bytes, int offset, int length) {
        return add(bytes, offset, length) && publishAdded();
    }

    /** Adds a message. Unlike {@link #publish}, may defer its publication until {@link #publishAdded()} is called. */
    boolean add(byte[] bytes, int offset, int length) {
        if (length > longestMessage()) {
            fail("a message is longer than the " + longestMessage() + " bytes that rbmq.publisher.capacity allows"
                    + (headers.isEmpty() ? "" : " in addition to the headers"));
            return false;
        }
        if (!rate.await(() -> finishing)) {
            return false;
        }
        return addWithinTimeout(bytes, offset, length) ? goesOn(PublishResult.PUBLISHED) : goesOn(batch.refusal());
    }

    /** Publishes the messages that were added. Returns false if no more messages may be published. */
    boolean publishAdded() {
        return goesOn(batch.publish());
    }

    private boolean goesOn(PublishResult result) {
        // A message dropped for lack of subscribers counts as success, because the broker would discard it anyway.
        boolean isDone = result == PublishResult.PUBLISHED || result == PublishResult.UNHEARD;
        if (!isDone && !finishing) {
            problem = switch (result) {
                case REFUSED -> refused();
                case NOT_CONNECTED -> lost();
                case NO_SPACE -> stalled(timeout);
                default -> new Problem(ExitCode.FAILED, "publishing ended: " + result);
            };
        }
        return problem == null && !finishing;
    }

    private boolean addWithinTimeout(byte[] bytes, int offset, int length) {
        boolean added = batch.add(headers, bytes, offset, length, STEP_MS);
        if (!added && batch.refusal() == PublishResult.NO_SPACE) {
            StallTimeout stall = new StallTimeout(publisher, timeout);
            while (!added && batch.refusal() == PublishResult.NO_SPACE && !stall.hasExpired() && !finishing) {
                added = batch.add(headers, bytes, offset, length, STEP_MS);
            }
        }
        return added;
    }

    /**
     * Reports that the input cannot be read. {@link #finish()} still waits for the messages that have been published.
     */
    void fail(String why) {
        problem = new Problem(ExitCode.FAILED, why);
    }

    /** Reports that the connection has ended. */
    void loseConnection() {
        problem = lost();
    }

    private static Problem lost() {
        return new Problem(ExitCode.UNAVAILABLE, "the connection to the broker was lost");
    }

    private Problem refused() {
        return new Problem(ExitCode.REFUSED, refusal());
    }

    private static Problem stalled(Duration time) {
        return new Problem(ExitCode.TIMEOUT, "the broker has consumed nothing for " + time.toMillis() / 1000.0 + " s");
    }

    /** Finishes the run because a signal ends the process. */
    void finishAtSignal() {
        finish(TIMEOUT_AT_SIGNAL);
    }

    /** Finishes the run like {@link #finish(Duration)}, but does not wait again if the timeout has already expired. */
    int finish() {
        return finish(problem != null && problem.exitCode == ExitCode.TIMEOUT ? Duration.ZERO : timeout);
    }

    /**
     * Waits until the broker has consumed all messages, or has consumed nothing for the duration of the limit. Reports
     * the number of messages that the broker has not confirmed or, after a failure, that it has confirmed all of them.
     *
     * @return the exit code
     */
    private int finish(Duration limit) {
        finishing = true;
        synchronized (this) {
            if (!finished) {
                Drain.await(publisher, limit, () -> !isRefused());
                exitCode = conclude(limit);
                finished = true;
            }
            return exitCode;
        }
    }

    private int conclude(Duration limit) {
        long missing = Drain.missingCount(publisher);
        long dropped = publisher.unheardCount();
        if (dropped > 0) {
            streams.say("dropped " + dropped + " of " + (dropped + publisher.publishedCount())
                    + " messages, because topic \"" + topic.topic()
                    + "\" had no subscribers (rbmq.publisher.when-unheard = drop)");
        }
        long resent = publisher.resentCount();
        if (resent > 0) {
            streams.say(
                    resent + " messages were sent again, because the broker had not confirmed them when the connection"
                            + " was lost");
        }
        long lost = publisher.droppedCount();
        if (lost > 0) {
            streams.say(
                    lost + " of " + publisher.publishedCount() + " messages were dropped, because the broker had not"
                            + " confirmed them when the connection was lost"
                            + " (rbmq.client.reconnect.unconfirmed = drop)");
        }
        Problem reason = problem == null && missing + lost > 0 ? reasonOfMissing(limit, missing) : problem;
        if (reason != null) {
            streams.say(reason.text);
        }
        if (missing > 0) {
            streams.say(missing + " of " + publisher.publishedCount() + " messages were not confirmed by the broker ("
                    + publisher.unconfirmedLength() + " bytes)");
        } else if (reason != null && publisher.confirmedCount() > 0) {
            streams.say(
                    "the broker confirmed every message published before that (" + publisher.confirmedCount() + ")");
        }
        return reason == null ? ExitCode.DONE : reason.exitCode;
    }

    private Problem reasonOfMissing(Duration limit, long missing) {
        if (missing == 0) {
            return lost();
        }
        if (isRefused()) {
            return refused();
        }
        return publisher.isConnected() ? stalled(limit) : lost();
    }

    /** Returns true if the broker has refused the topic; false if the connection was lost before the broker replied. */
    private boolean isRefused() {
        CompletableFuture<Void> announced = topic.announced();
        return announced.isDone()
                && announced
                        .handle((accepted, failure) -> failure instanceof TransportException known
                                && known.code() == TransportException.Code.REFUSED)
                        .join();
    }

    /**
     * Describes why the broker refused the topic. The broker states no reason if it had previously accepted the topic.
     */
    private String refusal() {
        return topic.announced()
                .handle((accepted, failure) ->
                        failure == null ? "the broker refused topic \"" + topic.topic() + "\"" : failure.getMessage())
                .join();
    }
}
