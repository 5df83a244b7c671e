package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.RequestHandler;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One run of {@code respond}: the requests, the threads that run the command, and the reason for the end of the run.
 *
 * <pre>
 *   RESPONDING ---stop, count reached, connection lost---&gt; FINISHING ---the running commands have ended---&gt; ended
 * </pre>
 *
 * <p><b>Thread-safety:</b> requests are received on one worker; all other calls may come from any thread.
 */
final class RespondRun implements RequestHandler, SubscriberCallback {
    /** Maximum number of requests that wait for a thread; further requests receive an error reply. */
    private static final int MAX_WAITING = 1000;

    /**
     * Together with the client's drain timeout, this limit leaves {@code Termination} a few seconds to close the two
     * connections. If a requester is stuck, closing may take longer, but the replies to all other requesters have been
     * sent by then.
     */
    private static final int FINISH_LIMIT_S = 12;

    private static final int ABORT_LIMIT_S = 1;

    private final Streams streams;
    /** The output lines about events that peers cause on the worker. */
    private final LimitedLines limited;

    private final ConnectionNotices notices;
    private final ShellCommand command;
    private final ThreadPoolExecutor threads;
    private final long wanted;
    private final long maxLength;

    // The following fields are guarded by this object's lock.
    private long takenCount;
    private long doneCount;
    private long heldLength;
    private boolean finishing;
    private String problem;
    private boolean isRefused;

    /**
     * Creates a run that has not accepted any requests.
     *
     * @param wanted number of requests after which the run ends
     * @param maxLength maximum total length in bytes of the requests that are waiting or being handled; a single longer
     *     request is accepted if there is no other
     */
    RespondRun(Streams streams, ShellCommand command, int parallel, long wanted, long maxLength) {
        this.streams = streams;
        this.limited = new LimitedLines(streams::say, System::nanoTime);
        this.notices = new ConnectionNotices(streams);
        this.command = command;
        this.wanted = wanted;
        this.maxLength = maxLength;
        this.threads = new ThreadPoolExecutor(
                parallel, parallel, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, "rbmq-respond");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public void onRequest(Message request, Replier replier) {
        if (!take()) {
            return; // once this responder has left, the requester is notified that there is no responder
        }
        String topic = request.topic();
        int length = request.length();
        if (!hold(length)) {
            refuse(topic, replier, "the responder is busy: the waiting requests would exceed " + maxLength + " bytes");
            done(0);
            return;
        }
        boolean started = false;
        try {
            ShellCommand.Input input = ShellCommand.Input.of(request, replier.remainingMs());
            threads.execute(() -> handle(topic, input, replier));
            started = true;
        } catch (RejectedExecutionException e) {
            refuse(
                    topic,
                    replier,
                    threads.isShutdown()
                            ? "the responder is ending"
                            : "the responder is busy: " + MAX_WAITING + " requests wait");
        } finally {
            if (!started) { // even after an error such as a lack of memory
                done(length);
            }
        }
    }

    private synchronized boolean hold(int length) {
        if (heldLength > 0 && heldLength + length > maxLength) {
            return false;
        }
        heldLength += length;
        return true;
    }

    private void refuse(String topic, Replier replier, String why) {
        limited.say("topic " + topic + ": " + why);
        replier.fail(why);
    }

    private void handle(String topic, ShellCommand.Input input, Replier replier) {
        try {
            reply(topic, input, replier);
        } catch (RuntimeException | Error e) { // for example, there is no memory for another thread
            fail(topic, replier, Reason.of(e));
        } finally {
            done(input.bytes().length);
        }
    }

    private synchronized boolean take() {
        if (finishing || takenCount == wanted) {
            return false;
        }
        takenCount++;
        return true;
    }

    private synchronized void done(int length) {
        heldLength -= length;
        doneCount++;
        if (doneCount == wanted) {
            stop();
        }
    }

    private void reply(String topic, ShellCommand.Input input, Replier replier) {
        try {
            check(topic, replier.reply(command.run(input)));
        } catch (ShellCommand.Failure e) {
            fail(topic, replier, e.getMessage());
        } catch (IllegalArgumentException e) {
            // The reply is too long. An error reply has been sent if there was space for it.
            streams.say("topic " + topic + ": " + e.getMessage());
        } catch (InterruptedException e) {
            fail(topic, replier, "the responder is ending");
        }
    }

    private void fail(String topic, Replier replier, String why) {
        streams.say("topic " + topic + ": " + why);
        check(topic, replier.fail(why));
    }

    private void check(String topic, PublishResult result) {
        if (result != PublishResult.PUBLISHED) {
            streams.say("topic " + topic + ": the reply was not sent: " + result);
        }
    }

    @Override
    public void onError(String topic, int publisher, Throwable error) {
        limited.say(error.getMessage());
    }

    @Override
    public void onGap(Gap gap) {
        String topic = "topic " + gap.topic() + ": ";
        switch (gap.reason()) {
            case RECONNECTED ->
                limited.say(topic + gap.lostLength() + " bytes of requests were missed while the connection was lost");
            case PUBLISHER_LEFT, OTHER_BROKER -> limited.say(topic + "requests may have been missed");
            default ->
                limited.say(
                        topic + "this responder is too slow: " + gap.lostLength() + " bytes of requests were skipped");
        }
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

    /** Returns the number of requests that are waiting for a thread. */
    int waitingCount() {
        return threads.getQueue().size();
    }

    /** Stops accepting requests, and ends the run when the running commands have ended. */
    synchronized void stop() {
        finishing = true;
        notifyAll();
    }

    /**
     * Ends the run because the connection has ended. Waiting requests are dropped, because their replies could not be
     * sent.
     */
    synchronized void connectionEnded(Throwable lost) {
        threads.getQueue().clear();
        if (!finishing) {
            problem = "the connection to the broker was lost" + (lost == null ? "" : ": " + lost.getMessage());
            isRefused = lost instanceof TransportException known && known.code() == TransportException.Code.REFUSED;
            stop();
        }
    }

    /** Waits for the end of the run and then, for a limited time, for the running commands. */
    void await() throws InterruptedException {
        synchronized (this) {
            while (!finishing) {
                wait();
            }
            if (takenCount > doneCount && problem == null) {
                streams.say("waiting up to " + FINISH_LIMIT_S + " s for the running commands to end");
            }
        }
        threads.shutdown();
        if (!threads.awaitTermination(FINISH_LIMIT_S, TimeUnit.SECONDS)) {
            threads.shutdownNow();
            threads.awaitTermination(ABORT_LIMIT_S, TimeUnit.SECONDS);
        }
    }

    /** Reports a lost connection and returns the exit code. */
    synchronized int conclude() {
        limited.close();
        if (problem != null) {
            streams.say(problem);
            return isRefused ? ExitCode.REFUSED : ExitCode.UNAVAILABLE;
        }
        return ExitCode.DONE;
    }
}
