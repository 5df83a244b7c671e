package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.rbmq.protocol.HeaderKey;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An object for replying to one request. It accepts exactly one reply, either a message or an error. If it never
 * receives one, the request times out.
 *
 * <p>Replying does not wait. If the buffer for the requester is full, the reply is held in memory
 * ({@code rbmq.client.reply-backlog}) and sent later. When too many replies wait, or there are too many requesters, a
 * reply is refused with {@link PublishResult#NO_SPACE}, and the replier can be used again. The same applies if a call
 * fails because the process has no memory for another buffer.
 *
 * <p><b>Thread-safety:</b> any thread; only one reply is accepted. <b>Ownership:</b> does not refer to the request, so
 * it can be kept.
 */
public final class Replier {
    /** Maximum length of a description in characters, chosen so that it fits into the smallest reply buffer. */
    private static final int MAX_ERROR_LENGTH = 1000;

    private static final byte[] NOTHING = {};

    private final Replies replies;
    private final String inbox;
    private final byte[] correlation;
    private final long expiresMs;
    private final AtomicBoolean used = new AtomicBoolean();

    /**
     * Creates the replier of a request.
     *
     * @param expiresMs end of the request's timeout, in milliseconds since 1970-01-01 UTC
     */
    Replier(Replies replies, String inbox, byte[] correlation, long expiresMs) {
        this.replies = replies;
        this.inbox = inbox;
        this.correlation = correlation;
        this.expiresMs = expiresMs;
    }

    /** Replies with a string, encoded as UTF-8, like {@link #reply(byte[])}. */
    public PublishResult reply(String reply) {
        return reply(reply.getBytes(UTF_8));
    }

    /**
     * Replies with a copy of a byte array. Returns without waiting, and may be called on any thread.
     *
     * @return PUBLISHED if the reply was accepted and will be sent; REFUSED if the broker has refused the buffer for
     *     the requester; CLOSED if the client is closed. The caller may try again later after NO_SPACE, and after
     *     NOT_CONNECTED (the connection is lost)
     * @throws IllegalArgumentException when the reply is longer than {@code rbmq.client.reply-capacity} allows; an
     *     error reply with this text has been sent if there was space
     * @throws IllegalStateException when this replier has already accepted a reply
     */
    public PublishResult reply(byte[] reply) {
        return reply(new Headers(), reply);
    }

    /**
     * Replies with a message with headers, which are copied; otherwise like {@link #reply(byte[])}.
     *
     * @throws IllegalArgumentException as for {@link #reply(byte[])}, and when {@code headers} contains the key
     *     {@code error}, which would make the request fail; use {@link #fail} or another key
     */
    public PublishResult reply(Headers headers, byte[] reply) {
        Headers complete = new Headers(headers).remove(HeaderKey.ERROR);
        if (complete.size() < headers.size()) {
            throw new IllegalArgumentException("header \"error\" marks error replies: use fail(), or another key");
        }
        complete.set(HeaderKey.CORRELATION, correlation);
        int length = complete.encodedLength() + reply.length;
        if (length > replies.longest()) {
            String problem = "a reply of " + length + " bytes, including headers, is longer than the "
                    + replies.longest() + " bytes that the responder's rbmq.client.reply-capacity allows";
            fail(problem);
            throw new IllegalArgumentException(problem);
        }
        return send(complete, reply);
    }

    /**
     * Replies with an error: the requester's future fails with {@link RequestException.Reason#FAILED}.
     *
     * @param description states what failed; truncated after 1,000 characters
     * @return the result, like that of {@link #reply(byte[])}
     * @throws IllegalStateException when this replier has already accepted a reply
     */
    public PublishResult fail(String description) {
        String text =
                description.length() > MAX_ERROR_LENGTH ? description.substring(0, MAX_ERROR_LENGTH) : description;
        // Converted to bytes here, because the conversion replaces half of a surrogate pair.
        return send(
                new Headers().set(HeaderKey.CORRELATION, correlation).set(HeaderKey.ERROR, text.getBytes(UTF_8)),
                NOTHING);
    }

    /** Replies with an error unless a reply has been accepted already. */
    void failIfUnused(String description) {
        if (!used.get()) {
            try {
                fail(description);
            } catch (IllegalStateException e) {
                // Another thread has replied in the meantime, which has the same effect.
            }
        }
    }

    private PublishResult send(Headers headers, byte[] reply) {
        if (!used.compareAndSet(false, true)) {
            throw new IllegalStateException("this request has already been replied to");
        }
        boolean accepted = false;
        try {
            PublishResult result = replies.send(inbox, headers, reply);
            accepted = result == PublishResult.PUBLISHED;
            return result;
        } finally {
            used.set(accepted);
        }
    }

    /**
     * Returns the time in milliseconds until the requester's timeout expires, or a negative number after that. The
     * result depends on the clocks of both computers. A handler can use this to skip long work for which the requester
     * no longer waits.
     */
    public long remainingMs() {
        return expiresMs - System.currentTimeMillis();
    }
}
