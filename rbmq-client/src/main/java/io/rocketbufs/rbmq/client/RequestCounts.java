package io.rocketbufs.rbmq.client;

/**
 * The counters of a client's requests, and of the replies that it sends as a responder. The counters of
 * {@link Publisher} and {@link Subscriber} include requests and replies, which are messages too.
 *
 * @param requestCount number of requests made
 * @param inFlightCount number of requests whose future is not complete
 * @param repliedCount number of requests with a reply, including error replies
 * @param timeoutCount number of requests that timed out
 * @param strayReplyCount number of replies that arrived without a waiting request: too late, more than once, or with an
 *     unknown or missing correlation id
 * @param sentReplyCount number of replies that responders of this client have sent, including error replies
 * @param droppedReplyCount number of these replies that were dropped because the requester had left, the connection was
 *     lost, or the broker refused their buffer
 * @param refusedReplyCount number of times that a reply was refused with a result such as NO_SPACE
 */
public record RequestCounts(
        long requestCount,
        long inFlightCount,
        long repliedCount,
        long timeoutCount,
        long strayReplyCount,
        long sentReplyCount,
        long droppedReplyCount,
        long refusedReplyCount) {}
