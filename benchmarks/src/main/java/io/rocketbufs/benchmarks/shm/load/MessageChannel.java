package io.rocketbufs.benchmarks.shm.load;

import java.util.function.LongConsumer;

/**
 * One end of a connection between two processes, which sends numbered messages of a fixed length and receives those of
 * the other end.
 *
 * <p><b>Thread-safety:</b> one thread at a time sends. Received messages are reported on one thread of the library.
 */
interface MessageChannel extends AutoCloseable {
    /**
     * Begins to receive.
     *
     * @param onMessage called with the number of each message; may send
     */
    void receive(LongConsumer onMessage) throws Exception;

    /** Waits until the other end receives. */
    void awaitReceiver() throws Exception;

    /**
     * Sends a message, and waits if there is no space for it. Within the callback of {@link #receive}, there is space
     * if each message answers a received one.
     */
    void send(long number);

    @Override
    void close();
}
