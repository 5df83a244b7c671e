package io.rocketbufs.out;

import io.rocketbufs.link.Link;
import java.util.function.Consumer;

/**
 * The peer of one connection as a reader of output buffers.
 *
 * @param link its connection
 * @param writeTimeoutMs how long writes to it may keep memory in use that a producer needs, without progress
 * @param onEnded called, on any thread, when a subscription sends nothing more and uses no memory, and again when its
 *     tag is free
 */
public record Subscriber(Link link, long writeTimeoutMs, Consumer<Subscription> onEnded) {}
